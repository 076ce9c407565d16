/**
 * Queued messages written on this connection and not proved received, and the pings whose echo proves them
 * (01 §5). Bookkeeping only: must not know the socket, the store or timers.
 */
import { keyOf } from '../keys.js';

interface Batch {
  throughSeq: number;
  readonly bytes: number;
  readonly messages: number;
  readonly writtenAt: number;
  pingedAt?: number;
  reported: boolean;
}

interface Ping {
  readonly payload: string;
  readonly throughSeq: number;
}

/** Pings that are remembered; a peer may answer the latest only (RFC 6455 §5.5.3). */
export const MAX_PINGS_REMEMBERED = 8;

export class Receipts {
  #batches: Batch[] = [];
  #pings: Ping[] = [];
  #writtenSeq = 0;

  get unprovenBytes(): number {
    return this.#batches.reduce((sum, batch) => sum + batch.bytes, 0);
  }

  /** Room for another ping that is worth waiting for. */
  get mayAsk(): boolean {
    return this.#pings.length < MAX_PINGS_REMEMBERED;
  }

  /** Whether something was written that no ping was sent after. */
  get isUnasked(): boolean {
    return this.#batches.some((batch) => batch.pingedAt === undefined);
  }

  written(throughSeq: number, messages: number, bytes: number, now: number): void {
    this.#writtenSeq = throughSeq;
    this.#batches.push({ throughSeq, messages, bytes, writtenAt: now, reported: false });
  }

  pinged(payload: Uint8Array, now: number): void {
    if (!this.mayAsk) this.#pings.shift();
    this.#pings.push({ payload: keyOf(payload), throughSeq: this.#writtenSeq });
    for (const batch of this.#batches) batch.pingedAt ??= now;
  }

  /** A pong came: undefined when it echoes no ping of ours, else the seq through which all is proved now. */
  ponged(payload: Uint8Array): number | undefined {
    const echo = keyOf(payload);
    const index = this.#pings.findIndex((ping) => ping.payload === echo);
    const throughSeq = this.#pings[index]?.throughSeq;
    if (throughSeq === undefined) return undefined;
    this.#pings.splice(0, index + 1);
    this.#batches = this.#batches.filter((batch) => batch.throughSeq > throughSeq);
    return throughSeq;
  }

  /** When the oldest message was written whose lack of proof nobody was told of. */
  get oldestUnreportedAt(): number | undefined {
    return this.#batches.find((batch) => !batch.reported)?.writtenAt;
  }

  /** Marks what was written until `writtenUntil`; how many messages that were. */
  report(writtenUntil: number): number {
    let messages = 0;
    for (const batch of this.#batches) {
      if (batch.reported || batch.writtenAt > writtenUntil) continue;
      batch.reported = true;
      messages += batch.messages;
    }
    return messages;
  }

  /** When the first ping after the oldest unproven message was sent. */
  get askedSince(): number | undefined {
    return this.#batches[0]?.pingedAt;
  }
}

/**
 * Queued messages written on this connection and not proved received, and what proves them: the echo of a ping
 * sent after them, or, from a peer with `received`, that frame alone (01 §5). Bookkeeping only: must not know the
 * socket, the store or timers.
 */
import { keyOf } from '../keys.js';

interface Written {
  readonly seq: number;
  readonly bytes: number;
  readonly at: number;
}

interface Ping {
  readonly payload: string;
  readonly throughSeq: number;
  readonly at: number;
}

/** Pings that are remembered; a peer may answer the latest only (RFC 6455 §5.5.3). */
export const MAX_PINGS_REMEMBERED = 8;

export class Receipts {
  readonly #byFrame: boolean;
  /** Ascending; bounded by the bytes that may be unproven. */
  #unproven: Written[] = [];
  #unprovenBytes = 0;
  /** How many of them, from the oldest, were reported. */
  #reported = 0;
  /** Never changed in place: room to grow would weigh more than the one or two there are. */
  #pings: readonly Ping[] = [];
  #writtenSeq = 0;
  #askedSeq = 0;

  /** `byFrame`: the peer confirms with `received`, and its pongs say only that it lives. */
  constructor(byFrame = false) {
    this.#byFrame = byFrame;
  }

  get unprovenBytes(): number {
    return this.#unprovenBytes;
  }

  /** Room for another ping that is worth waiting for. */
  get mayAsk(): boolean {
    return this.#pings.length < MAX_PINGS_REMEMBERED;
  }

  /** Whether something was written that no ping was sent after. */
  get isUnasked(): boolean {
    return this.#unproven.length > 0 && this.#writtenSeq > this.#askedSeq;
  }

  /** One message. */
  written(seq: number, bytes: number, now: number): void {
    this.#writtenSeq = seq;
    this.#unproven.push({ seq, bytes, at: now });
    this.#unprovenBytes += bytes;
  }

  pinged(payload: Uint8Array, now: number): void {
    const kept = this.mayAsk ? this.#pings : this.#pings.slice(1);
    this.#pings = [...kept, { payload: keyOf(payload), throughSeq: this.#writtenSeq, at: now }];
    this.#askedSeq = this.#writtenSeq;
  }

  /** A pong came: undefined when it echoes no ping of ours, else the seq through which it proves all, 0 for nothing. */
  ponged(payload: Uint8Array): number | undefined {
    const echo = keyOf(payload);
    const index = this.#pings.findIndex((ping) => ping.payload === echo);
    const throughSeq = this.#pings[index]?.throughSeq;
    if (throughSeq === undefined) return undefined;
    this.#pings = this.#pings.slice(index + 1);
    return !this.#byFrame && this.#prove(throughSeq) ? throughSeq : 0;
  }

  /** `received` came: the seq through which it proves something new; undefined when it proves nothing. */
  received(seq: number): number | undefined {
    const counts = this.#byFrame && seq <= this.#writtenSeq;
    return counts && this.#prove(seq) ? seq : undefined;
  }

  /** When the oldest message was written whose lack of proof nobody was told of. */
  get oldestUnreportedAt(): number | undefined {
    return this.#unproven[this.#reported]?.at;
  }

  /** Marks what was written until `writtenUntil`, and returns its seqs. */
  report(writtenUntil = Number.POSITIVE_INFINITY): number[] {
    const rest = this.#unproven.slice(this.#reported);
    const later = rest.findIndex(({ at }) => at > writtenUntil);
    const reported = later < 0 ? rest : rest.slice(0, later);
    this.#reported += reported.length;
    return reported.map(({ seq }) => seq);
  }

  /** When the first ping was sent that came after the oldest unproven message and is not answered. */
  get askedSince(): number | undefined {
    const oldest = this.#unproven[0];
    return oldest && this.#pings.find((ping) => ping.throughSeq >= oldest.seq)?.at;
  }

  /** False when nothing was left to prove up to there. */
  #prove(throughSeq: number): boolean {
    const later = this.#unproven.findIndex(({ seq }) => seq > throughSeq);
    const count = later < 0 ? this.#unproven.length : later;
    for (const { bytes } of this.#unproven.splice(0, count)) this.#unprovenBytes -= bytes;
    this.#reported = Math.max(0, this.#reported - count);
    return count > 0;
  }
}

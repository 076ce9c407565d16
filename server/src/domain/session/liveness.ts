/**
 * Whether the peer still answers: a ping at login and every 30 s, closed after 120 s without a message or 30 s
 * without a byte after a ping that asks for a receipt; no proof in 10 s is told on (01 §1, §5). A connection the
 * relay does not read is exempt. Must not know frames or the store.
 */
import { WIRE } from '@countersign/protocol';
import type { Cancel, Clock, PeerSocket, Random } from '../../ports/index.js';
import type { RelayLimits } from '../settings.js';
import type { Receipts } from './receipts.js';

export interface LivenessOptions {
  readonly clock: Clock;
  readonly random: Random;
  readonly socket: Pick<PeerSocket, 'ping'>;
  readonly limits: Pick<RelayLimits, 'pingEveryMs' | 'idleMs' | 'pingSilenceMs' | 'proofMs'>;
  readonly receipts: Receipts;
  isPaused(): boolean;
  onIdle(): void;
  onUnproven(seqs: readonly number[]): void;
}

export class Liveness {
  readonly #options: LivenessOptions;
  #cancel: Cancel | undefined;
  /** When the timer runs, if there is one. */
  #timerAt = 0;
  #nextPingAt = 0;
  #messageAt = 0;
  #byteAt = 0;
  /** The moment from which deadlines count after a pause. */
  #resumedAt = 0;

  constructor(options: LivenessOptions) {
    this.#options = options;
  }

  start(): void {
    this.resumed();
    this.ping();
  }

  stop(): void {
    this.#cancel?.();
    this.#cancel = undefined;
  }

  /** A whole message, ping or pong came. */
  heard(): void {
    this.#messageAt = this.#options.clock.elapsed();
  }

  bytesCame(): void {
    this.#byteAt = this.#options.clock.elapsed();
  }

  resumed(): void {
    const now = this.#options.clock.elapsed();
    this.#messageAt = now;
    this.#byteAt = now;
    this.#resumedAt = now;
  }

  ping(): void {
    const { clock, random, socket, receipts, limits } = this.#options;
    const payload = random.bytes(WIRE.pingBytes);
    const now = clock.elapsed();
    receipts.pinged(payload, now);
    socket.ping(payload);
    this.#nextPingAt = now + limits.pingEveryMs;
    this.#arm(now);
  }

  #arm(now: number): void {
    const at = this.#dueAt();
    if (this.#cancel && this.#timerAt <= at) return;
    this.#cancel?.();
    this.#timerAt = at;
    this.#cancel = this.#options.clock.after(Math.max(0, at - now), () => this.#check());
  }

  #dueAt(): number {
    return Math.min(this.#nextPingAt, this.#idleAt(), this.#silentAt(), this.#unprovenAt());
  }

  #idleAt(): number {
    return this.#messageAt + this.#options.limits.idleMs;
  }

  #silentAt(): number {
    const askedSince = this.#options.receipts.askedSince;
    if (askedSince === undefined) return Number.POSITIVE_INFINITY;
    return Math.max(askedSince, this.#byteAt, this.#resumedAt) + this.#options.limits.pingSilenceMs;
  }

  #unprovenAt(): number {
    const writtenAt = this.#options.receipts.oldestUnreportedAt;
    if (writtenAt === undefined) return Number.POSITIVE_INFINITY;
    return Math.max(writtenAt, this.#resumedAt) + this.#options.limits.proofMs;
  }

  #check(): void {
    this.#cancel = undefined;
    const { clock, limits, receipts } = this.#options;
    if (this.#options.isPaused()) this.resumed();
    const now = clock.elapsed();
    if (now >= this.#idleAt() || now >= this.#silentAt()) {
      this.#options.onIdle();
      return;
    }
    if (now >= this.#unprovenAt()) this.#options.onUnproven(receipts.report(now - limits.proofMs));
    if (now >= this.#nextPingAt) this.ping();
    else this.#arm(now);
  }
}

/**
 * When a connection is read: not while its login is judged, not while work piles up, not while it owes messages
 * (01 §4, §6). Steady excess ends it. Must not know frames.
 */
import type { Cancel, Clock, PeerSocket } from '../../ports/index.js';
import { type BucketSize, TokenBucket } from '../admission/token-bucket.js';

/** One bit each. */
export const PAUSE = { login: 1, backlog: 2, rate: 4 } as const;
export type PauseReason = (typeof PAUSE)[keyof typeof PAUSE];

export interface ReadGateOptions {
  readonly socket: Pick<PeerSocket, 'pause' | 'resume'>;
  readonly clock: Clock;
  /** Of the bucket to begin with. */
  readonly size: BucketSize;
  readonly excessMs: number;
  /** Reading went on after a pause. */
  onResume(): void;
  /** Too much for too long. */
  onExcess(): void;
}

/** Pings and unasked pongs have a bucket of their own, so many times as large: a sender may ask for proof of each message. */
const CONTROL_FACTOR = 2;
/** An excess is over once this share of the burst has been saved up again. */
const CALM_SHARE = 0.25;

export class ReadGate {
  readonly #options: ReadGateOptions;
  #reasons = 0;
  /** Made with the first message: until then it is full. */
  #messages: TokenBucket | undefined;
  /** Made with the first ping or unasked pong. */
  #control: TokenBucket | undefined;
  #size: BucketSize;
  #excessSince: number | undefined;
  #refill: Cancel | undefined;
  #stopped = false;

  constructor(options: ReadGateOptions) {
    this.#options = options;
    this.#size = options.size;
  }

  get paused(): boolean {
    return this.#reasons > 0;
  }

  resize(size: BucketSize): void {
    this.#size = size;
    this.#messages?.resize(size, this.#options.clock.elapsed());
    this.#control?.resize(controlSize(size), this.#options.clock.elapsed());
  }

  message(): void {
    this.#messages ??= new TokenBucket(this.#size, this.#options.clock.elapsed());
    this.#charge(this.#messages);
  }

  control(): void {
    this.#control ??= new TokenBucket(controlSize(this.#size), this.#options.clock.elapsed());
    this.#charge(this.#control);
  }

  pause(reason: PauseReason): void {
    if (this.#stopped) return;
    if (this.#reasons === 0) this.#options.socket.pause();
    this.#reasons |= reason;
  }

  resume(reason: PauseReason): void {
    const isPausedForIt = (this.#reasons & reason) !== 0;
    this.#reasons &= ~reason;
    if (!isPausedForIt || this.#reasons > 0) return;
    this.#options.onResume();
    this.#options.socket.resume();
  }

  /** The connection closes: it is read on, for the farewell. */
  stop(): void {
    this.#stopped = true;
    this.#refill?.();
    if (this.#reasons > 0) this.#options.socket.resume();
    this.#reasons = 0;
  }

  #charge(bucket: TokenBucket): void {
    if (this.#stopped) return;
    const now = this.#options.clock.elapsed();
    if (bucket.level(now) >= bucket.burst * CALM_SHARE) this.#excessSince = undefined;
    bucket.take(now);
    if (bucket.level(now) >= 0) return;
    this.#excessSince ??= now;
    const debtMs = this.#debtMs(now);
    // A debt that takes so long to pay is as steady: what one read may hold in tiny frames is not run to its end.
    if (Math.max(now - this.#excessSince, debtMs) >= this.#options.excessMs) {
      this.#options.onExcess();
      return;
    }
    this.pause(PAUSE.rate);
    this.#refill?.();
    this.#refill = this.#options.clock.after(debtMs, () => this.#paid());
  }

  #paid(): void {
    const waitMs = this.#debtMs(this.#options.clock.elapsed());
    if (waitMs > 0) this.#refill = this.#options.clock.after(waitMs, () => this.#paid());
    else this.resume(PAUSE.rate);
  }

  /** Until both buckets allow one more. */
  #debtMs(now: number): number {
    return Math.max(this.#messages?.waitMs(1, now) ?? 0, this.#control?.waitMs(1, now) ?? 0);
  }
}

function controlSize({ burst, perSecond }: BucketSize): BucketSize {
  return { burst: burst * CONTROL_FACTOR, perSecond: perSecond * CONTROL_FACTOR };
}

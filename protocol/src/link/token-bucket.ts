/**
 * Paces what one connection sends: `burst` at once, `perSecond` in the long run, waiters served in order.
 * Must not know what is sent.
 */
import type { LinkRuntime, Timer } from './runtime.js';

export class TokenBucket {
  readonly #runtime: LinkRuntime;
  readonly #burst: number;
  readonly #perSecond: number;
  readonly #waiters: Array<(got: boolean) => void> = [];
  #tokens: number;
  #at: number;
  #timer: Timer | undefined;
  #closed = false;

  constructor(runtime: LinkRuntime, pace: { burst: number; perSecond: number }) {
    this.#runtime = runtime;
    this.#burst = pace.burst;
    this.#perSecond = pace.perSecond;
    this.#tokens = pace.burst;
    this.#at = runtime.now();
  }

  /** Takes one if nobody waits and there is one. */
  tryTake(): boolean {
    this.#refill();
    if (this.#closed || this.#waiters.length > 0 || this.#tokens < 1) return false;
    this.#tokens--;
    return true;
  }

  /** Takes one even if there is none: for what must not wait. The debt is at most a whole burst. */
  force(): void {
    this.#refill();
    this.#tokens = Math.max(this.#tokens - 1, -this.#burst);
  }

  /** Resolves with true once one was taken, with false when the bucket closes. */
  take(): Promise<boolean> {
    if (this.tryTake()) return Promise.resolve(true);
    if (this.#closed) return Promise.resolve(false);
    return new Promise((resolve) => {
      this.#waiters.push(resolve);
      this.#arm();
    });
  }

  close(): void {
    this.#closed = true;
    this.#timer?.cancel();
    for (const waiter of this.#waiters.splice(0)) waiter(false);
  }

  #refill(): void {
    const now = this.#runtime.now();
    // A clock set back earns nothing and costs nothing.
    const earned = (Math.max(0, now - this.#at) / 1000) * this.#perSecond;
    this.#tokens = Math.min(this.#burst, this.#tokens + earned);
    this.#at = now;
  }

  #arm(): void {
    if (this.#timer || this.#waiters.length === 0) return;
    const ms = Math.max(1, Math.ceil(((1 - this.#tokens) / this.#perSecond) * 1000));
    this.#timer = this.#runtime.setTimer(() => this.#serve(), ms);
  }

  #serve(): void {
    this.#timer = undefined;
    this.#refill();
    while (this.#tokens >= 1 && this.#waiters.length > 0) {
      this.#tokens--;
      this.#waiters.shift()?.(true);
    }
    this.#arm();
  }
}

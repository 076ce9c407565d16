/**
 * A token bucket that may go into debt: what was read already is counted, then reading stops until it is paid
 * (01 §4). Must not know connections.
 */

export interface BucketSize {
  readonly burst: number;
  readonly perSecond: number;
}

export class TokenBucket {
  #size: BucketSize;
  #tokens: number;
  #updatedAt: number;

  constructor(size: BucketSize, now: number) {
    this.#size = size;
    this.#tokens = size.burst;
    this.#updatedAt = now;
  }

  /** Keeps what was spent: a larger bucket has that much more in it. */
  resize(size: BucketSize, now: number): void {
    this.#refill(now);
    this.#tokens = Math.min(size.burst, this.#tokens + size.burst - this.#size.burst);
    this.#size = size;
  }

  /** Takes one token, owing it if need be. */
  take(now: number): void {
    this.#refill(now);
    this.#tokens--;
  }

  /** Tokens now; negative is debt. */
  level(now: number): number {
    this.#refill(now);
    return this.#tokens;
  }

  /** Milliseconds until there are `tokens`. */
  waitMs(tokens: number, now: number): number {
    const missing = tokens - this.level(now);
    return missing <= 0 ? 0 : Math.ceil((missing / this.#size.perSecond) * 1000);
  }

  get burst(): number {
    return this.#size.burst;
  }

  #refill(now: number): void {
    const gained = ((now - this.#updatedAt) / 1000) * this.#size.perSecond;
    this.#tokens = Math.min(this.#size.burst, this.#tokens + gained);
    this.#updatedAt = now;
  }
}

/**
 * Counts per key in fixed windows of time. Remembers a bounded number of keys: the least recently charged goes
 * first. Must not know what a key stands for.
 */

export interface RateWindowOptions {
  readonly limit: number;
  readonly windowMs: number;
  readonly maxKeys?: number;
}

interface Counter {
  count: number;
  startedAt: number;
}

/** Keys of one window that are remembered at most. */
export const MAX_RATE_KEYS = 100_000;

export interface RateKey {
  readonly key: string;
  /** Multiplies the limit for this key. */
  readonly factor: number;
}

export class RateWindow {
  readonly #counters = new Map<string, Counter>();
  readonly #options: Required<RateWindowOptions>;

  constructor(options: RateWindowOptions) {
    this.#options = { maxKeys: MAX_RATE_KEYS, ...options };
  }

  /** Milliseconds until every key has room again; 0 when all have. */
  waitMs(keys: readonly RateKey[], now: number): number {
    return Math.max(0, ...keys.map((key) => this.#waitFor(key, now)));
  }

  charge(keys: readonly RateKey[], now: number): void {
    for (const { key } of keys) {
      const counter = this.#live(key, now) ?? { count: 0, startedAt: now };
      counter.count++;
      this.#counters.delete(key);
      this.#counters.set(key, counter);
    }
    this.#forget();
  }

  /** Takes one charge back, if its window still runs. */
  refund(keys: readonly RateKey[], chargedAt: number): void {
    for (const { key } of keys) {
      const counter = this.#counters.get(key);
      if (counter && counter.startedAt <= chargedAt && counter.count > 0) counter.count--;
    }
  }

  get size(): number {
    return this.#counters.size;
  }

  #waitFor({ key, factor }: RateKey, now: number): number {
    const counter = this.#live(key, now);
    if (counter === undefined || counter.count < this.#options.limit * factor) return 0;
    return counter.startedAt + this.#options.windowMs - now;
  }

  #live(key: string, now: number): Counter | undefined {
    const counter = this.#counters.get(key);
    return counter && now - counter.startedAt < this.#options.windowMs ? counter : undefined;
  }

  #forget(): void {
    for (const key of this.#counters.keys()) {
      if (this.#counters.size <= this.#options.maxKeys) return;
      this.#counters.delete(key);
    }
  }
}

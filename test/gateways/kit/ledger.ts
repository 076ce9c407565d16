/** A list that only grows, and can be waited for. Knows nothing of what it lists. */
export class Ledger<T> {
  /** Empty for good where only counts are kept. */
  readonly items: T[] = [];
  readonly #keeps: boolean;
  #count = 0;
  #waiting: { readonly count: number; readonly resolve: () => void }[] = [];

  constructor(keeps: boolean) {
    this.#keeps = keeps;
  }

  get count(): number {
    return this.#count;
  }

  add(item: T): void {
    this.#count += 1;
    if (this.#keeps) this.items.push(item);
    const ready = this.#waiting.filter(({ count }) => this.#count >= count);
    this.#waiting = this.#waiting.filter(({ count }) => this.#count < count);
    for (const { resolve } of ready) resolve();
  }

  /** Resolves once at least `count` were added since the start. */
  whenCount(count: number): Promise<void> {
    if (this.#count >= count) return Promise.resolve();
    return new Promise((resolve) => this.#waiting.push({ count, resolve }));
  }
}

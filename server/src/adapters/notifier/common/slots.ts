/** So many at once; who comes later waits in line. Must not know for what. */
export class Slots {
  readonly #max: number;
  readonly #waiting: (() => void)[] = [];
  #taken = 0;

  constructor(max: number) {
    this.#max = max;
  }

  /** Nobody holds or waits for a place. */
  get idle(): boolean {
    return this.#taken === 0;
  }

  async take(): Promise<void> {
    if (this.#taken < this.#max) {
      this.#taken += 1;
      return;
    }
    await new Promise<void>((free) => this.#waiting.push(free));
  }

  /** Hands the place to the next in line. */
  give(): void {
    const next = this.#waiting.shift();
    if (next) next();
    else this.#taken -= 1;
  }
}

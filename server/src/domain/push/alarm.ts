/** One timer that goes off at the earliest moment anybody asked for. Must not know for what. */
import type { Cancel, Clock } from '../../ports/index.js';

export class Alarm {
  readonly #clock: Clock;
  readonly #ring: () => void;
  #timer: { readonly at: number; readonly cancel: Cancel } | undefined;

  constructor(clock: Clock, ring: () => void) {
    this.#clock = clock;
    this.#ring = ring;
  }

  /** Unix ms; at once when that is over. */
  set(at: number): void {
    if (this.#timer && this.#timer.at <= at) return;
    const waitMs = at - this.#clock.now();
    if (waitMs <= 0) {
      this.#ring();
      return;
    }
    this.stop();
    const run = () => {
      this.#timer = undefined;
      this.#ring();
    };
    this.#timer = { at, cancel: this.#clock.after(waitMs, run) };
  }

  stop(): void {
    this.#timer?.cancel();
    this.#timer = undefined;
  }
}

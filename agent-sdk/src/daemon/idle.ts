/** Notices that nobody has used a daemon for a while. Must not know what ending means. */
import type { Clock, Timer } from '../agent/core.js';

export class Idle {
  readonly #clock: Clock;
  readonly #idleMs: number;
  readonly #onIdle: () => void;
  #timer: Timer | undefined;
  #stopped = false;

  /** Starts counting at once; an infinite time never ends. */
  constructor(clock: Clock, idleMs: number, onIdle: () => void) {
    this.#clock = clock;
    this.#idleMs = idleMs;
    this.#onIdle = onIdle;
    this.update(0);
  }

  /** Tells how many clients there are now; the time runs while there is none. */
  update(clients: number): void {
    this.#timer?.cancel();
    if (clients === 0 && !this.#stopped && Number.isFinite(this.#idleMs)) {
      this.#timer = this.#clock.setTimer(this.#onIdle, this.#idleMs);
    }
  }

  /** For good: a daemon that is ending has no more time to count. */
  stop(): void {
    this.#stopped = true;
    this.#timer?.cancel();
  }
}

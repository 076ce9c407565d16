/** A clock that stands still until a test moves it. Timers run in order of their due time. */

interface Pending {
  readonly at: number;
  readonly callback: () => void;
}

export class VirtualTime {
  #now: number;
  #pending: Pending[] = [];
  #changed: Array<() => void> = [];

  constructor(startMs = 1_800_000_000_000) {
    this.#now = startMs;
  }

  readonly now = (): number => this.#now;

  readonly setTimer = (callback: () => void, ms: number): { cancel(): void } => {
    const timer = { at: this.#now + Math.max(0, ms), callback };
    this.#pending.push(timer);
    for (const changed of this.#changed.splice(0)) changed();
    return {
      cancel: () => {
        this.#pending = this.#pending.filter((other) => other !== timer);
      },
    };
  };

  /** Milliseconds from now at which timers are due, ascending. */
  get due(): number[] {
    return this.#pending.map(({ at }) => at - this.#now).sort((a, b) => a - b);
  }

  /** Moves on and runs what falls due, timers set by timers included. */
  advance(ms: number): void {
    const until = this.#now + ms;
    for (;;) {
      const next = this.#pending.filter(({ at }) => at <= until).sort((a, b) => a.at - b.at)[0];
      if (!next) break;
      this.#pending = this.#pending.filter((other) => other !== next);
      this.#now = Math.max(this.#now, next.at);
      next.callback();
    }
    this.#now = until;
  }

  /** Moves the clock only, as a machine does that sleeps. */
  sleep(ms: number): void {
    this.#now += ms;
  }

  /** Waits until a timer is due in exactly `ms`. */
  untilDueIn(ms: number): Promise<void> {
    return this.untilDue((due) => due === ms);
  }

  /** Waits until a timer is due as asked. */
  async untilDue(fits: (dueInMs: number) => boolean): Promise<void> {
    while (!this.due.some(fits)) await new Promise<void>((resolve) => this.#changed.push(resolve));
  }
}

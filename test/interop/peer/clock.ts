/** A clock that moves only when told. Its shape is that of the relay's clock option. */
import type { StartRelayOptions } from '@countersign/server';

type Clock = NonNullable<StartRelayOptions['clock']>;

export class HandClock implements Clock {
  private at = 0;
  private readonly began = Date.now();
  private timers: { due: number; run: () => void }[] = [];

  now(): number {
    return this.began + this.at;
  }

  elapsed(): number {
    return this.at;
  }

  after(delayMs: number, run: () => void): () => void {
    const timer = { due: this.at + delayMs, run };
    this.timers.push(timer);
    return () => {
      this.timers = this.timers.filter((other) => other !== timer);
    };
  }

  /** Lets so much time pass; what falls due runs in order, with room for what it sets going. */
  async pass(ms: number): Promise<void> {
    const end = this.at + ms;
    for (;;) {
      const [first] = this.timers.filter(({ due }) => due <= end).sort((a, b) => a.due - b.due);
      if (first === undefined) break;
      this.timers = this.timers.filter((other) => other !== first);
      this.at = Math.max(this.at, first.due);
      first.run();
      await new Promise((resolve) => setImmediate(resolve));
    }
    this.at = end;
    await new Promise((resolve) => setImmediate(resolve));
  }
}

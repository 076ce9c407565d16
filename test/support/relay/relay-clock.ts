/** The relay's time, moved by a test. */
import type { Clock } from '@countersign/server/ports';
import { VirtualTime } from '../link/virtual-time.js';

export class RelayClock implements Clock {
  readonly #time = new VirtualTime();

  now = (): number => this.#time.now();
  elapsed = (): number => this.#time.now();

  after(delayMs: number, run: () => void): () => void {
    const timer = this.#time.setTimer(run, delayMs);
    return () => timer.cancel();
  }

  advance(ms: number): void {
    this.#time.advance(ms);
  }
}

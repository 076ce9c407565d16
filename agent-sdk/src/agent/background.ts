/** Work nobody waits for, so that closing can. Must not know what the work is. */
import { CountersignError } from '@countersign/protocol';
import type { AgentLogger } from '../api.js';

export class Background {
  readonly #log: AgentLogger;
  readonly #running = new Set<Promise<void>>();

  constructor(log: AgentLogger) {
    this.#log = log;
  }

  /** Runs it; a failure is logged by its code under the event's name. */
  run(event: string, work: () => Promise<unknown>): void {
    const running = this.attempt(event, work).finally(() => this.#running.delete(running));
    this.#running.add(running);
  }

  /** The same for a caller that waits: never rejects. */
  async attempt(event: string, work: () => Promise<unknown>): Promise<void> {
    try {
      await work();
    } catch (error) {
      this.#log.warn(event, { code: error instanceof CountersignError ? error.code : 'unexpected' });
    }
  }

  /** Resolves when everything started so far, and what that started, is over. */
  async drained(): Promise<void> {
    while (this.#running.size > 0) await Promise.all(this.#running);
  }
}

/**
 * Callers that wait for the link to come online, each with its own patience. Must not know connections.
 */
import { CountersignError } from '../frames/index.js';
import { type Deferred, deferred, orAborted } from './async-tools.js';
import type { LinkRuntime } from './runtime.js';

export class Waiters {
  readonly #runtime: LinkRuntime;
  readonly #waiting = new Set<Deferred<void>>();

  constructor(runtime: LinkRuntime) {
    this.#runtime = runtime;
  }

  /** @throws CountersignError `timeout`, or whatever {@link fail} is given; the signal's reason. */
  async wait({ timeoutMs, signal }: { timeoutMs?: number; signal?: AbortSignal }): Promise<void> {
    const waiter = deferred();
    this.#waiting.add(waiter);
    const late = () =>
      waiter.reject(new CountersignError('timeout', 'The relay could not be reached in time'));
    const timer = timeoutMs === undefined ? undefined : this.#runtime.setTimer(late, timeoutMs);
    try {
      await orAborted(waiter.promise, signal);
    } finally {
      timer?.cancel();
      this.#waiting.delete(waiter);
    }
  }

  resolve(): void {
    for (const waiter of this.#waiting) waiter.resolve();
  }

  fail(reason: CountersignError): void {
    for (const waiter of this.#waiting) waiter.reject(reason);
  }
}

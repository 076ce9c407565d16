/**
 * Counts how often one arriving thing failed its handler, so that a poisonous one does not stop all others for
 * ever. Bounded; survives reconnects. Must not know what the things are.
 */
import { LINK } from './link-limits.js';

export class Failures {
  readonly #attempts = new Map<string, number>();

  /** Counts one more. True: it failed so often that it is to be dropped. */
  again(key: string): boolean {
    const attempts = (this.#attempts.get(key) ?? 0) + 1;
    this.#attempts.delete(key);
    if (attempts >= LINK.maxHandlerAttempts) return true;
    this.#attempts.set(key, attempts);
    const [oldest] = this.#attempts.keys();
    if (this.#attempts.size > LINK.maxRememberedFailures && oldest !== undefined)
      this.#attempts.delete(oldest);
    return false;
  }

  passed(key: string): void {
    this.#attempts.delete(key);
  }
}

/**
 * Whether our own part is known to be right: a group that had a push accepted within the hour has a good credential,
 * so a refusal that could be ours or the device's is the device's. Otherwise one device with a token of somebody
 * else would stop the pushes of all. Must not know what a group is.
 */
import type { Clock } from '../../../ports/index.js';

export const PROVEN_MS = 3_600_000;
/** Groups remembered; forgetting one only makes it careful again. */
const MAX_GROUPS = 1_000;

export class Proven {
  readonly #clock: Clock;
  readonly #accepted = new Map<string, number>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  accepted(group: string): void {
    this.#accepted.delete(group);
    this.#accepted.set(group, this.#clock.elapsed());
    const [oldest] = this.#accepted.keys();
    if (this.#accepted.size > MAX_GROUPS && oldest !== undefined) this.#accepted.delete(oldest);
  }

  has(group: string): boolean {
    const at = this.#accepted.get(group);
    return at !== undefined && this.#clock.elapsed() - at <= PROVEN_MS;
  }
}

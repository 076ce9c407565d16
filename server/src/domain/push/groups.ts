/**
 * What is remembered of each group: its breaker, its fuse, how many pushes it has in flight, and how fast it takes them.
 * Must not know what a group is.
 */
import { Breaker } from './breaker.js';
import { Fuse } from './fuse.js';
import { PUSH } from './push-limits.js';

/** Until one was measured. */
const FIRST_TURN_MS = 100;
const SMOOTHING = 0.2;

export class Group {
  readonly breaker = new Breaker();
  readonly fuse = new Fuse();
  readonly #cap: number;
  inFlight = 0;
  /** How long one send takes, smoothed. */
  #turnMs = FIRST_TURN_MS;
  /** When the group will have a place for the next push that is put off. */
  #nextPlaceAt = 0;

  constructor(cap: number) {
    this.#cap = cap;
  }

  get isFull(): boolean {
    return this.inFlight >= this.#cap;
  }

  took(ms: number): void {
    this.#turnMs += (ms - this.#turnMs) * SMOOTHING;
  }

  /** Milliseconds until there should be a place for it: those put off come back one after another, not all at once. */
  putOffMs(now: number, minMs = 0): number {
    const latest = now + minMs + PUSH.breakerMaxProbeMs;
    const at = Math.min(latest, Math.max(this.#nextPlaceAt, now + minMs) + this.#turnMs / this.#cap);
    this.#nextPlaceAt = at;
    return Math.max(1, Math.ceil(at - now));
  }
}

export class Groups {
  readonly #groups = new Map<string, Group>();

  /** `cap`: pushes it takes at once. */
  of(name: string, cap: number): Group {
    const group = this.#groups.get(name) ?? new Group(cap);
    this.#groups.delete(name);
    this.#groups.set(name, group);
    if (this.#groups.size > PUSH.maxGroups) this.#forgetOne();
    return group;
  }

  /** Of those whose name begins so. */
  openBreakers(prefix: string): number {
    let open = 0;
    for (const [name, { breaker }] of this.#groups) if (breaker.isOpen && name.startsWith(prefix)) open++;
    return open;
  }

  #forgetOne(): void {
    for (const [name, group] of this.#groups) {
      if (group.inFlight > 0) continue;
      this.#groups.delete(name);
      return;
    }
  }
}

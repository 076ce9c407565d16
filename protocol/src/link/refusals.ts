/**
 * What a refused message waits for: which peers and whether everything is held back, for how long, and when a
 * message is given up. Survives reconnects. Must not know connections or stores.
 */
import { LINK } from './link-limits.js';
import type { LinkRuntime } from './runtime.js';

interface Hold {
  until: number;
  delayMs: number;
}

/** Refusals that time does not heal. */
const HARD: ReadonlySet<string> = new Set(['bad_request', 'payload_too_large']);
/** Refusals that concern the relay, not one recipient. */
const EVERYONE: ReadonlySet<string> = new Set(['rate_limited', 'unavailable']);
const ALL = '*';

export class Refusals {
  readonly #runtime: LinkRuntime;
  readonly #holds = new Map<string, Hold>();
  readonly #hardRefusals = new Map<number, number>();

  constructor(runtime: LinkRuntime) {
    this.#runtime = runtime;
  }

  /** Unix milliseconds until which nothing goes to the peer; 0 when it may now. */
  heldUntil(peer: string): number {
    const until = Math.max(this.#holds.get(ALL)?.until ?? 0, this.#holds.get(peer)?.until ?? 0);
    return until > this.#runtime.now() ? until : 0;
  }

  /**
   * Whether the message is given up. Anything else is held back, longer each time. `named`: the relay said that it
   * was this one; otherwise that is inferred, and believed only the third time.
   */
  refused(row: { id: number; peer: string }, code: string, named: boolean): 'keep' | 'drop' {
    if (HARD.has(code)) {
      const times = (this.#hardRefusals.get(row.id) ?? 0) + 1;
      this.#hardRefusals.set(row.id, times);
      if (named || times >= LINK.maxHardRefusals) return 'drop';
    }
    this.#hold(EVERYONE.has(code) ? ALL : row.peer);
    return 'keep';
  }

  /** Some message of several was refused: which one is not known yet. */
  someRefused(codes: readonly string[]): void {
    if (codes.some((code) => EVERYONE.has(code))) this.#hold(ALL);
  }

  /** The relay took it, or it is gone. */
  settled(row: { id: number; peer: string }): void {
    this.#hardRefusals.delete(row.id);
    this.#holds.delete(row.peer);
    this.#holds.delete(ALL);
  }

  /** The peer is there: what filled its queue is about to leave. Says whether anything was held back for it. */
  release(peer: string): boolean {
    return this.#holds.delete(peer);
  }

  #hold(key: string): void {
    const hold = this.#holds.get(key);
    // Several of those under way may be refused for one reason: that is one reason to wait.
    if (hold && hold.until > this.#runtime.now()) return;
    const last = hold?.delayMs;
    const next = last === undefined ? LINK.refusedFirstDelayMs : last * 2;
    const delayMs = Math.min(next, LINK.refusedMaxDelayMs);
    this.#holds.set(key, { until: this.#runtime.now() + delayMs, delayMs });
  }
}

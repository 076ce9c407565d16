/**
 * When to try again: 1, 2, 4 … 60 s with full jitter, the first again after 30 s of session (01 §6).
 * Must not know why a connection ended beyond what it is told.
 */
import { RECONNECT } from '../frames/index.js';
import { LINK } from './link-limits.js';
import type { LinkProblem } from './ports.js';
import { type LinkRuntime, randomFraction } from './runtime.js';

export interface Ended {
  /** How long this peer was logged in; 0 when it never was. */
  onlineMs: number;
  /** Why it ended. */
  code: LinkProblem['code'];
  /** The relay asked for at least this. */
  retryAfterMs?: number | undefined;
}

/** How a relay that stops, or is stopped, looks from here. */
const RESTARTS: ReadonlySet<LinkProblem['code']> = new Set(['going_away', 'unreachable']);

export class Backoff {
  readonly #runtime: LinkRuntime;
  #attempt = 0;
  #quickSpent = false;

  constructor(runtime: LinkRuntime) {
    this.#runtime = runtime;
  }

  /** Milliseconds until the next attempt. */
  next(ended: Ended): number {
    if (ended.onlineMs >= RECONNECT.resetAfterMs) this.#reset();
    if (ended.code === 'displaced') return RECONNECT.displacedDelayMs;
    if (RESTARTS.has(ended.code) && ended.onlineMs > 0 && !this.#quickSpent) {
      // A relay that restarts is back in a moment; one that does so again and again gets the usual wait.
      this.#quickSpent = true;
      return this.#jitter(RECONNECT.firstDelayMs);
    }
    const delay = this.#jitter(Math.min(RECONNECT.maxDelayMs, RECONNECT.firstDelayMs * 2 ** this.#attempt));
    this.#attempt = Math.min(this.#attempt + 1, 16);
    return Math.max(delay, Math.min(ended.retryAfterMs ?? 0, LINK.maxRetryAfterMs));
  }

  #reset(): void {
    this.#attempt = 0;
    this.#quickSpent = false;
  }

  #jitter(ms: number): number {
    return Math.floor(randomFraction(this.#runtime) * ms);
  }
}

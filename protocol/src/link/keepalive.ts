/**
 * Finds out that a relay is gone: a probe right after login and every 30 s, the end after 30 s without a byte
 * behind a probe, and after 120 s without one in any case (01 §1). Must not know what a probe is: a ping, or
 * in a browser, which hides pings, a `presence_request`.
 */
import { LOGIN } from '../frames/index.js';
import type { LinkRuntime, Timer } from './runtime.js';

export interface Watched {
  /** Unix milliseconds of the last inbound byte. */
  readonly lastByteAt: number;
  /** How often anything came in; more than before means alive. */
  readonly heard: number;
  fail(code: 'idle'): void;
}

export class Keepalive {
  readonly #runtime: LinkRuntime;
  readonly #watched: Watched;
  readonly #probe: () => void;
  #tick: Timer | undefined;
  #silence: Timer | undefined;

  constructor(runtime: LinkRuntime, watched: Watched, probe: () => void) {
    this.#runtime = runtime;
    this.#watched = watched;
    this.#probe = probe;
  }

  /** Probes now and every 30 s until {@link stop}. */
  start(): void {
    // A sleeping machine runs no timers: the first one after waking finds a silence longer than the limit.
    if (this.#runtime.now() - this.#watched.lastByteAt >= LOGIN.idleMs) {
      this.#watched.fail('idle');
      return;
    }
    this.#expectByte();
    this.#probe();
    this.#tick = this.#runtime.setTimer(() => this.start(), LOGIN.pingEveryMs);
  }

  stop(): void {
    this.#tick?.cancel();
    this.#silence?.cancel();
  }

  #expectByte(): void {
    if (this.#silence) return;
    const heard = this.#watched.heard;
    this.#silence = this.#runtime.setTimer(() => {
      this.#silence = undefined;
      if (this.#watched.heard === heard) this.#watched.fail('idle');
    }, LOGIN.pingSilenceMs);
  }
}

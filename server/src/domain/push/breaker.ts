/**
 * Whether a group (a credential, an origin) is asked at all: not after several faults in a row, nor after one of our own.
 * Then one push tries at a time, rarer and rarer (04 §2). Must not know what a fault is, nor wait.
 */
import { PUSH } from './push-limits.js';

export class Breaker {
  #faults = 0;
  #probeMs: number = PUSH.breakerProbeMs;
  /** Undefined: closed. */
  #openUntil: number | undefined;
  #isProbing = false;

  get isOpen(): boolean {
    return this.#openUntil !== undefined;
  }

  /** Milliseconds until a push may be tried; 0 when this one may, which then is the probe of an open one. */
  waitMs(now: number): number {
    if (this.#openUntil === undefined) return 0;
    if (this.#openUntil > now) return this.#openUntil - now;
    if (this.#isProbing) return this.#probeMs;
    this.#isProbing = true;
    return 0;
  }

  succeeded(): void {
    this.#faults = 0;
    this.#openUntil = undefined;
    this.#probeMs = PUSH.breakerProbeMs;
    this.#isProbing = false;
  }

  /** True when it opened by this. */
  failed(now: number, floorMs: number): boolean {
    this.#faults++;
    if (this.isOpen || this.#faults >= PUSH.breakerFaults) return this.trip(now, floorMs);
    return false;
  }

  /** Opens at once. True when it was closed. */
  trip(now: number, floorMs: number): boolean {
    const wasOpen = this.isOpen;
    // Pushes that were under way when it opened say nothing new.
    if (wasOpen && !this.#isProbing) return false;
    if (wasOpen) this.#probeMs = Math.min(this.#probeMs * 2, PUSH.breakerMaxProbeMs);
    this.#openUntil = now + Math.max(this.#probeMs, floorMs);
    this.#isProbing = false;
    return !wasOpen;
  }
}

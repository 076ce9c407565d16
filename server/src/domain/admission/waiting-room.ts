/**
 * Connections that have not logged in: at most so many, each for so long, for less when it gets crowded; the
 * oldest makes room for a new one (01 §6). Must not know what a connection is.
 */
import type { Cancel, Clock } from '../../ports/index.js';
import type { RelaySettings } from '../settings.js';

export interface Waiting {
  /** The login took too long. */
  onDeadline(): void;
  /** Somebody newer needs the place. */
  onCrowdedOut(): void;
}

export class WaitingRoom {
  readonly #arrivals = new Map<Waiting, number>();
  readonly #settings: RelaySettings;
  readonly #clock: Clock;
  #timer: { at: number; cancel: Cancel } | undefined;

  constructor(settings: RelaySettings, clock: Clock) {
    this.#settings = settings;
    this.#clock = clock;
  }

  get size(): number {
    return this.#arrivals.size;
  }

  enter(waiting: Waiting): void {
    if (this.#arrivals.size >= this.#settings.maxConnectionsBeforeLogin) this.#dropOldest();
    this.#arrivals.set(waiting, this.#clock.elapsed());
    this.#arm();
  }

  leave(waiting: Waiting): void {
    this.#arrivals.delete(waiting);
    if (this.#arrivals.size === 0) this.#disarm();
  }

  #dropOldest(): void {
    for (const [oldest] of this.#arrivals) {
      this.#arrivals.delete(oldest);
      oldest.onCrowdedOut();
      return;
    }
  }

  #deadlineMs(): number {
    const crowded = this.#arrivals.size > this.#settings.maxConnectionsBeforeLogin / 2;
    return crowded ? this.#settings.crowdedLoginDeadlineMs : this.#settings.loginDeadlineMs;
  }

  /** One timer for the oldest: arrivals are in the order of time. */
  #arm(): void {
    const [oldestAt] = this.#arrivals.values();
    if (oldestAt === undefined) return;
    const at = oldestAt + this.#deadlineMs();
    if (this.#timer && this.#timer.at <= at) return;
    this.#disarm();
    const delayMs = Math.max(0, at - this.#clock.elapsed());
    this.#timer = { at, cancel: this.#clock.after(delayMs, () => this.#expire()) };
  }

  #expire(): void {
    this.#timer = undefined;
    for (const [waiting, since] of this.#arrivals) {
      if (this.#clock.elapsed() - since < this.#deadlineMs()) break;
      this.#arrivals.delete(waiting);
      waiting.onDeadline();
    }
    this.#arm();
  }

  #disarm(): void {
    this.#timer?.cancel();
    this.#timer = undefined;
  }
}

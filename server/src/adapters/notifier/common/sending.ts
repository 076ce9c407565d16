/**
 * Runs the sends of one adapter: so many at once, each with an end, all of them ended by `close`. Must not know what
 * is sent.
 */
import type { Cancel, Clock, PushOutcome } from '../../../ports/index.js';
import { Slots } from './slots.js';

/** What is still in flight then ends as `unknown`. */
export const CLOSE_GRACE_MS = 9_000;

export interface SendingOptions {
  readonly clock: Clock;
  readonly maxInFlight: number;
  /** Of one group; all of {@link maxInFlight} when absent. */
  readonly maxPerGroup?: number;
  /** From the start of one send to its outcome, whatever the provider does. */
  readonly deadlineMs: number;
}

/** One attempt; it must stop what it does when the signal says so. */
export type Attempt = (signal: AbortSignal) => Promise<PushOutcome>;

/** Nothing went out: the relay is stopping. */
const CLOSING: PushOutcome = { outcome: 'retry', reason: 'closing' };

export class Sending {
  readonly #options: SendingOptions;
  readonly #slots: Slots;
  readonly #groups = new Map<string, Slots>();
  readonly #running = new Map<AbortController, Promise<unknown>>();
  #closing: Promise<void> | undefined;

  constructor(options: SendingOptions) {
    this.#options = options;
    this.#slots = new Slots(options.maxInFlight);
  }

  /** Waits for a free place, of the group first so that a slow one holds no other up, then sends. Never rejects. */
  async run(group: string, attempt: Attempt): Promise<PushOutcome> {
    const own = this.#groups.get(group) ?? new Slots(this.#options.maxPerGroup ?? this.#options.maxInFlight);
    this.#groups.set(group, own);
    await own.take();
    await this.#slots.take();
    try {
      return this.#closing === undefined ? await this.#track(attempt) : CLOSING;
    } finally {
      this.#slots.give();
      own.give();
      if (own.idle) this.#groups.delete(group);
    }
  }

  /** Waits for what is in flight, {@link CLOSE_GRACE_MS} at most. Idempotent. */
  close(): Promise<void> {
    this.#closing ??= this.#finish();
    return this.#closing;
  }

  async #finish(): Promise<void> {
    const cancel = this.#options.clock.after(CLOSE_GRACE_MS, () => {
      for (const controller of this.#running.keys()) controller.abort('closing');
    });
    await Promise.all(this.#running.values());
    cancel();
  }

  async #track(attempt: Attempt): Promise<PushOutcome> {
    const controller = new AbortController();
    const outcome = this.#bounded(attempt, controller);
    this.#running.set(controller, outcome);
    return outcome.finally(() => this.#running.delete(controller));
  }

  async #bounded(attempt: Attempt, controller: AbortController): Promise<PushOutcome> {
    const { signal } = controller;
    let cancel: Cancel = () => undefined;
    const ended = new Promise<PushOutcome>((resolve) => {
      const giveUp = () => resolve(interrupted(signal));
      // An attempt that already knows the answer may still tell it.
      signal.addEventListener('abort', () => setImmediate(giveUp));
      cancel = this.#options.clock.after(this.#options.deadlineMs, () => controller.abort('timeout'));
    });
    try {
      const outcome = await Promise.race([attempt(signal), ended]);
      return signal.aborted && outcome.outcome === 'unknown' ? interrupted(signal) : outcome;
    } catch {
      // An adapter translates what it knows; what it does not know may have gone out or not.
      return { outcome: 'unknown', reason: 'failed' };
    } finally {
      cancel();
    }
  }
}

/** `timeout` or `closing`. */
function interrupted(signal: AbortSignal): PushOutcome {
  return { outcome: 'unknown', reason: String(signal.reason) };
}

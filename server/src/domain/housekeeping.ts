/** Lets the store forget what is over (01 §4, §6), now and then. Must not know connections. */
import { CountersignError } from '@countersign/protocol';
import type { Cancel } from '../ports/index.js';
import type { RelayContext } from './context.js';

/** Rows of each kind that one transaction may remove. */
export const MAX_ROWS_PER_STEP = 500;
/** Steps of one round; what is left waits for the next. */
export const MAX_STEPS_PER_ROUND = 20;

export class Housekeeping {
  readonly #context: RelayContext;
  #cancel: Cancel | undefined;
  #stopped = false;

  constructor(context: RelayContext) {
    this.#context = context;
  }

  start(): void {
    if (this.#stopped) return;
    this.#cancel = this.#context.clock.after(this.#context.settings.collectEveryMs, () => {
      void this.collect().then(() => this.start());
    });
  }

  stop(): void {
    this.#stopped = true;
    this.#cancel?.();
  }

  /** One round. Never rejects. */
  async collect(): Promise<void> {
    try {
      for (let step = 0; step < MAX_STEPS_PER_ROUND && !this.#stopped; step++) {
        if (!(await this.#step())) return;
      }
    } catch (error) {
      const code = error instanceof CountersignError ? error.code : 'unknown';
      this.#context.events.emit({ event: 'store_failed', operation: 'collect', code });
    }
  }

  /** Whether there may be more. */
  async #step(): Promise<boolean> {
    const { store, bus, clock, settings, events } = this.#context;
    const now = clock.now();
    const { nonces, ...gone } = await store.collect({
      now,
      pendingBefore: now - settings.pendingDeviceMs,
      emptyBefore: now - settings.emptyNamespaceMs,
      idleBefore: now - settings.pairedNamespaceMs,
      connected: bus.namespaces(),
      maxRows: MAX_ROWS_PER_STEP,
    });
    if (gone.messages + gone.devices + gone.namespaces > 0) events.emit({ event: 'collected', ...gone });
    return Math.max(gone.messages, gone.devices, gone.namespaces, nonces) >= MAX_ROWS_PER_STEP;
  }
}

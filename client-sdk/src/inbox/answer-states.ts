/** The present state of every answer of one pairing, and who waits for it. Must not know how answers travel. */
import type { AnswerState, SentAnswer } from '../api.js';
import type { ClientRuntime } from '../client/runtime.js';
import { isFinal } from './inbox-records.js';

/** Default of {@link SentAnswer.settled}. */
export const SETTLE_TIMEOUT_MS = 10_000;

export class AnswerStates {
  readonly #states = new Map<string, AnswerState>();
  readonly #waiters = new Map<string, Set<() => void>>();
  readonly #runtime: ClientRuntime;

  constructor(runtime: ClientRuntime) {
    this.#runtime = runtime;
  }

  set(id: string, state: AnswerState): void {
    this.#states.set(id, state);
    if (isFinal(state)) for (const wake of this.#waiters.get(id) ?? []) wake();
  }

  get(id: string): AnswerState {
    return this.find(id) ?? { phase: 'not_confirmed' };
  }

  find(id: string): AnswerState | undefined {
    return this.#states.get(id);
  }

  /** Wakes everyone who waits: nothing more will come. */
  close(): void {
    for (const waiters of this.#waiters.values()) for (const wake of waiters) wake();
  }

  handle({ id, receipt }: Record<string, unknown>): SentAnswer {
    const answerId = id as string;
    const present = () => this.get(answerId);
    return {
      id: answerId,
      receipt: receipt as SentAnswer['receipt'],
      get state() {
        return present();
      },
      settled: (options = {}) => this.#settled(answerId, options.timeoutMs ?? SETTLE_TIMEOUT_MS),
    };
  }

  async #settled(id: string, timeoutMs: number): Promise<AnswerState> {
    if (!isFinal(this.get(id))) await this.#finalOrTimeout(id, timeoutMs);
    const state = this.get(id);
    return isFinal(state) ? state : { phase: 'not_confirmed' };
  }

  #finalOrTimeout(id: string, timeoutMs: number): Promise<void> {
    return new Promise((resolve) => {
      const waiters = this.#waiters.get(id) ?? new Set();
      this.#waiters.set(id, waiters);
      const timer = this.#runtime.setTimer(() => done(), timeoutMs);
      const done = () => {
        timer.cancel();
        waiters.delete(done);
        if (waiters.size === 0) this.#waiters.delete(id);
        resolve();
      };
      waiters.add(done);
    });
  }
}

/** Answers items without a person: for scripts and demonstrations (`watch --auto`). Must not know terminals. */
import type { Client, InboxItem, SentAnswer } from '../api.js';
import { keyOf } from './watch-events.js';

export interface AutoOptions {
  auto: 'approve' | 'reject';
  reason?: string | undefined;
  /** Given to clarifications. */
  answer?: string | undefined;
  delayMs: number;
}

export class AutoAnswer {
  readonly #client: Client;
  readonly #options: AutoOptions;
  readonly #taken = new Set<string>();

  constructor(client: Client, options: AutoOptions) {
    this.#client = client;
    this.#options = options;
  }

  /** The answer given to an item, or undefined when it is not for this script, or was taken before. */
  async take(item: InboxItem): Promise<SentAnswer | undefined> {
    if (item.state !== 'open' || this.#taken.has(keyOf(item))) return undefined;
    if (
      item.kind === 'elicitation' ||
      (item.kind === 'clarification' && this.#options.answer === undefined)
    ) {
      return undefined;
    }
    this.#taken.add(keyOf(item));
    await new Promise((resolve) => setTimeout(resolve, this.#options.delayMs));
    return this.#answer(item);
  }

  async #answer(item: InboxItem): Promise<SentAnswer> {
    const { auto, reason, answer } = this.#options;
    if (item.kind === 'clarification') {
      return this.#client.answer(item, { kind: 'clarification', answer: answer ?? '' });
    }
    if (auto === 'reject') return this.#client.reject(item, { reason });
    const whole = item.whole ? item : ((await this.#client.load(item)) ?? item);
    return this.#client.approve(whole);
  }
}

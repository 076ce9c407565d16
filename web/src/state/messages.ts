/**
 * What agents say beside their items: information without an answer, and how items ended elsewhere. Kept until the
 * person has read it. Must not know screens.
 */
import type { Alert } from '@countersign/client-sdk';
import { type ReadonlySignal, signal } from '@preact/signals';
import type { AppDatabase } from './database.js';

export interface Message {
  readonly id: string;
  readonly pairingId: string;
  readonly agentName: string;
  readonly title: string;
  readonly body: string;
  /** Unix ms of this device. */
  readonly at: number;
}

/** Messages and endings kept; the oldest go first. */
export const MESSAGES_MAX = 50;
export const ENDINGS_MAX = 200;
const KEY = 'messages';

export class Messages {
  readonly unread: ReadonlySignal<readonly Message[]>;
  readonly #unread;
  readonly #endings = signal<ReadonlyMap<string, string>>(new Map());
  readonly #database: AppDatabase;

  private constructor(database: AppDatabase, unread: readonly Message[]) {
    this.#database = database;
    this.#unread = signal(unread);
    this.unread = this.#unread;
  }

  static async open(database: AppDatabase): Promise<Messages> {
    const stored: unknown = await database.get('settings', KEY);
    return new Messages(database, Array.isArray(stored) ? (stored as Message[]) : []);
  }

  async take(alert: Alert, now: number): Promise<void> {
    const { pairingId, replaces, outcome, requestId } = alert;
    if (replaces !== undefined) this.#end(pairingId, replaces, outcome ?? alert.body);
    if (requestId !== undefined || replaces !== undefined) return;
    const { id, agentName, title, body } = alert;
    const rest = this.#unread.value.filter((one) => one.id !== id || one.pairingId !== pairingId);
    await this.#keep([{ id, pairingId, agentName, title, body, at: now }, ...rest].slice(0, MESSAGES_MAX));
  }

  async dismiss(message: Message): Promise<void> {
    await this.#keep(this.#unread.value.filter((one) => one !== message));
  }

  /** How an item ended, in the agent's words; undefined when nobody said. */
  endingOf(pairingId: string, requestId: string): string | undefined {
    return this.#endings.value.get(`${pairingId}/${requestId}`);
  }

  #end(pairingId: string, requestId: string, how: string): void {
    const all = [...this.#endings.value, [`${pairingId}/${requestId}`, how] as const];
    this.#endings.value = new Map(all.slice(-ENDINGS_MAX));
  }

  async #keep(messages: readonly Message[]): Promise<void> {
    this.#unread.value = messages;
    await this.#database.put('settings', messages, KEY);
  }
}

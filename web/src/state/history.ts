/**
 * Decisions given on this device, with their receipts, and what became of them. Kept here because an agent's list
 * holds only what is pending. Must not hold what was secret: the receipt leaves it out (02 §4).
 */
import type { AnswerState, InboxItem, ItemKind, SentAnswer } from '@countersign/client-sdk';
import { type ReadonlySignal, signal } from '@preact/signals';
import type { AppDatabase } from './database.js';
import type { Device } from './device.js';

/** Decisions kept; the oldest go first. */
export const HISTORY_MAX = 1000;

/** How the person answered; `t('decision.…')` says it. */
export const DECISIONS = [
  'approved',
  'approved_for',
  'approved_session',
  'approved_rule',
  'approved_edited',
  'rejected',
  'stopped',
  'responded',
  'answered',
  'accepted',
  'declined',
  'cancelled',
] as const;
export type Decision = (typeof DECISIONS)[number];

export interface HistoryEntry {
  readonly id: string;
  readonly pairingId: string;
  readonly agentName: string;
  readonly kind: ItemKind;
  readonly requestId: string;
  readonly summary: string;
  readonly risk: InboxItem['risk'];
  readonly decision: Decision;
  /** Unix ms of this device. */
  readonly decidedAt: number;
  readonly receipt?: Readonly<Record<string, unknown>> | undefined;
  readonly state: AnswerState;
}

export class History {
  /** Newest first. */
  readonly entries: ReadonlySignal<readonly HistoryEntry[]>;
  readonly #entries;
  readonly #database: AppDatabase;

  private constructor(database: AppDatabase, entries: readonly HistoryEntry[]) {
    this.#database = database;
    this.#entries = signal(entries);
    this.entries = this.#entries;
  }

  static async open(database: AppDatabase): Promise<History> {
    const stored = (await database.getAll('history')) as HistoryEntry[];
    return new History(
      database,
      stored.toSorted((a, b) => b.decidedAt - a.decidedAt),
    );
  }

  async add(item: InboxItem, decision: Decision, sent: SentAnswer, now: number): Promise<void> {
    const { pairingId, agentName, kind, requestId, summary, risk } = item;
    const entry: HistoryEntry = {
      id: sent.id,
      pairingId,
      agentName,
      kind,
      requestId,
      summary,
      risk,
      decision,
      decidedAt: now,
      receipt: sent.receipt,
      state: sent.state,
    };
    const all = [entry, ...this.#entries.value];
    this.#entries.value = all.slice(0, HISTORY_MAX);
    await this.#database.put('history', entry, entry.id);
    for (const { id } of all.slice(HISTORY_MAX)) await this.#database.delete('history', id);
  }

  /** Takes over what became of answers that were not final. */
  async follow({ client }: Pick<Device, 'client'>): Promise<void> {
    const changed = this.#entries.value.flatMap((entry) => {
      const state = isFinal(entry.state) ? undefined : client.answerState(entry.pairingId, entry.id);
      return state === undefined || isSame(state, entry.state) ? [] : [{ ...entry, state }];
    });
    if (changed.length === 0) return;
    const byId = new Map(changed.map((entry) => [entry.id, entry]));
    this.#entries.value = this.#entries.value.map((entry) => byId.get(entry.id) ?? entry);
    for (const entry of changed) await this.#database.put('history', entry, entry.id);
  }

  async clear(): Promise<void> {
    this.#entries.value = [];
    await this.#database.clear('history');
  }

  /** The newest decision about an item. */
  of(pairingId: string, requestId: string): HistoryEntry | undefined {
    return this.#entries.value.find((one) => one.pairingId === pairingId && one.requestId === requestId);
  }
}

export function isFinal(state: AnswerState): boolean {
  return state.phase === 'confirmed' || state.phase === 'refused';
}

function isSame(a: AnswerState, b: AnswerState): boolean {
  return JSON.stringify(a) === JSON.stringify(b);
}

/** What is handed out: the decisions with their receipts, without anything of this device. */
export function exportText(entries: readonly HistoryEntry[]): string {
  return JSON.stringify({ format: 'countersign-history', v: 1, decisions: entries }, undefined, 2);
}

/**
 * From what is stored to what a person is shown. Pure. Must not know how anything arrived.
 */
import type { AnswerState, Bypass, InboxItem, ItemKind } from '../api.js';
import type { AlertRecord, AnswerRecord, InboxState, SnapshotRecord, StoredItem } from './inbox-records.js';
import { itemAlertKey } from './inbox-records.js';

export interface ViewContext {
  pairingId: string;
  agentName: string;
  /** This device's clock. */
  now: number;
  /** Answers that live in memory only (sensitive ones). */
  volatile: readonly AnswerRecord[];
}

/** Items of one agent: those of the snapshot in its order, then cards that wait for it. */
export function itemsOf(state: InboxState, context: ViewContext): InboxItem[] {
  const answers = new Map(
    [...state.answers, ...context.volatile].map((answer) => [itemKey(answer), answer] as const),
  );
  const known = pendingItems(state).map((item) => openItem(item, answers.get(itemKey(item)), state, context));
  return [...known, ...waitingCards(state, context)];
}

/** Last badge minus the items answered here since (03 §6). */
export function badgeOf(state: InboxState, items: readonly InboxItem[]): number {
  const newestAlert = state.alerts
    .filter((alert) => alert.badge !== undefined && alert.counter > (state.snapshot?.counter ?? 0))
    .toSorted((a, b) => b.counter - a.counter)[0];
  const last = newestAlert?.badge ?? state.snapshot?.badge ?? 0;
  const answered = items.filter((item) => item.state === 'answered').length;
  return Math.max(0, last - answered);
}

export function bypassesOf(state: InboxState, context: ViewContext): Bypass[] {
  const agentNow = context.now + offsetOf(state.snapshot);
  return (state.snapshot?.bypasses ?? [])
    .filter(({ until }) => until === null || until > agentNow)
    .map((bypass) => ({
      ...bypass,
      pairingId: context.pairingId,
      agentName: context.agentName,
      remainingMs: bypass.until === null ? null : bypass.until - agentNow,
    }));
}

export function itemKey(item: { kind: ItemKind; requestId: string }): string {
  return `${item.kind}/${item.requestId}`;
}

export function offsetOf(snapshot: SnapshotRecord | undefined): number {
  return snapshot?.clockOffsetMs ?? 0;
}

/** Items of the snapshot that no newer notification has ended. */
export function pendingItems(state: InboxState): StoredItem[] {
  const { snapshot } = state;
  if (snapshot === undefined) return [];
  const ended = new Set(
    state.alerts.filter((alert) => alert.ended && alert.counter > snapshot.counter).map(({ key }) => key),
  );
  return snapshot.items.filter((item) => !ended.has(itemAlertKey(item.requestId)));
}

/** Answered here, until a newer snapshot still has the item without its answer being confirmed (03 §6). */
export function isAnswered(answer: AnswerRecord | undefined, snapshot: SnapshotRecord | undefined): boolean {
  if (answer === undefined) return false;
  return answer.state.phase === 'confirmed' || (snapshot?.counter ?? 0) <= answer.snapshotCounter;
}

function openItem(
  item: StoredItem,
  answer: AnswerRecord | undefined,
  state: InboxState,
  context: ViewContext,
): InboxItem {
  const agentNow = context.now + offsetOf(state.snapshot);
  const answered = isAnswered(answer, state.snapshot);
  return {
    pairingId: context.pairingId,
    agentName: context.agentName,
    kind: item.kind,
    requestId: item.requestId,
    state: answered ? 'answered' : item.readable ? 'open' : 'unreadable',
    summary: item.summary,
    entry: item.entry,
    digest: item.digest,
    whole: item.whole,
    digestMatches: item.digestMatches,
    createdAt: item.createdAt,
    expiresAt: item.expiresAt,
    remainingMs: Math.max(0, item.expiresAt - agentNow),
    risk: item.risk,
    choices: item.choices,
    answer: answer?.state,
  };
}

/** Announced, and newer than the snapshot: the item itself has not come yet. */
function waitingCards(state: InboxState, context: ViewContext): InboxItem[] {
  const agentNow = context.now + offsetOf(state.snapshot);
  return state.alerts.flatMap((alert) => {
    const { requestId } = alert;
    if (requestId === undefined || alert.ended || alert.counter <= (state.snapshot?.counter ?? 0)) return [];
    if (state.snapshot?.items.some((item) => item.requestId === requestId)) return [];
    if (alert.expiresAt !== undefined && alert.expiresAt <= agentNow) return [];
    return [waitingItem(alert, requestId, agentNow, state.answers, context)];
  });
}

function waitingItem(
  alert: AlertRecord,
  requestId: string,
  agentNow: number,
  answers: readonly AnswerRecord[],
  context: ViewContext,
): InboxItem {
  const expiresAt = alert.expiresAt ?? alert.receivedAt + DEFAULT_LIFE_MS;
  const kind = alert.itemKind ?? 'approval';
  return {
    pairingId: context.pairingId,
    agentName: context.agentName,
    kind,
    requestId,
    state: 'waiting',
    summary: alert.body,
    entry: {},
    digest: '',
    whole: false,
    digestMatches: false,
    createdAt: alert.receivedAt,
    expiresAt,
    remainingMs: Math.max(0, expiresAt - agentNow),
    risk: 'normal',
    choices: [],
    answer: answers.find((answer) => answer.kind === kind && answer.requestId === requestId)?.state,
  };
}

/** Of an item whose agent names no end (03 §2). */
export const DEFAULT_LIFE_MS = 24 * 60 * 60 * 1000;

/** Words for a state, used where a screen has one line for it. */
export function answerText(state: AnswerState): string {
  if (state.phase === 'confirmed') return 'confirmed by the agent';
  if (state.phase === 'refused') return state.message;
  return state.phase === 'not_confirmed' ? 'not confirmed yet' : state.phase;
}

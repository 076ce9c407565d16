/**
 * What is stored of an agent's inbox: the newest snapshot, alerts, and the answers given here.
 * Must not know how they arrive or are shown.
 * Keys: `inbox/<pairing>`, `alerts/<pairing>/<r:request_id or i:id>`, `answers/<pairing>/<kind>/<request_id>`.
 */
import type { AnswerState, ItemKind } from '../api.js';
import type { Storage, StorageTx } from '../storage/storage.js';

export interface StoredItem {
  kind: ItemKind;
  requestId: string;
  /** Parsed JSON as received. */
  entry: Record<string, unknown>;
  /** Hex, computed here; empty when the entry has no canonical form. */
  digest: string;
  digestMatches: boolean;
  /** Its schema was met. */
  readable: boolean;
  whole: boolean;
  summary: string;
  createdAt: number;
  expiresAt: number;
  risk: 'low' | 'normal' | 'high';
  choices: string[];
}

export interface StoredBypass {
  id: string;
  toolName: string;
  sessionId?: string | undefined;
  /** In the agent's clock; null until it is ended. */
  until: number | null;
  by: string;
}

export interface SnapshotRecord {
  counter: number;
  /** This device's clock. */
  receivedAt: number;
  /** Agent's clock minus this device's, from the newest live message; absent before the first. */
  clockOffsetMs?: number | undefined;
  badge: number;
  items: StoredItem[];
  bypasses: StoredBypass[];
}

export interface AlertRecord {
  /** {@link itemAlertKey} or {@link infoAlertKey}. */
  key: string;
  counter: number;
  receivedAt: number;
  title: string;
  body: string;
  requestId?: string | undefined;
  itemKind?: ItemKind | undefined;
  badge?: number | undefined;
  expiresAt?: number | undefined;
  replaces?: string | undefined;
  outcome?: string | undefined;
  shown: boolean;
  /** The item it announced is over; `outcome` says how. */
  ended: boolean;
}

export interface AnswerRecord {
  /** The payload's id: the same on every resend. */
  id: string;
  kind: ItemKind;
  requestId: string;
  /** The whole payload; dropped when the answer is final. Absent when it must not be sent again. */
  payload?: Record<string, unknown> | undefined;
  /** `queued`: store-and-forward. `live`: too large for the queue. `once`: to an agent without acks. */
  transport: 'queued' | 'live' | 'once';
  createdAt: number;
  /** Envelope `ts` as sent: what the agent's clock is compared with. */
  sentTs: number;
  /** In the agent's clock. */
  itemExpiresAt: number;
  /** The item counts as answered until a snapshot above this counter still has it. */
  snapshotCounter: number;
  /** How often it was sealed. */
  sends: number;
  /** Row of the newest sealed copy; while it is there the link still sends it. */
  outboxId?: number | undefined;
  state: AnswerState;
  /** A newer snapshot lacks the item: nothing is sent again. */
  itemGone: boolean;
}

export interface InboxState {
  snapshot: SnapshotRecord | undefined;
  alerts: AlertRecord[];
  answers: AnswerRecord[];
}

/** Alerts kept of one pairing; the oldest go first. */
export const ALERTS_MAX = 300;
/** Final answers kept of one pairing; the oldest go first. */
export const FINAL_ANSWERS_MAX = 500;

export function itemAlertKey(requestId: string): string {
  return `r:${requestId}`;
}

/** Of a notification that is about no item. */
export function infoAlertKey(payloadId: string): string {
  return `i:${payloadId}`;
}

export function readInbox(storage: Storage, pairingId: string): Promise<InboxState> {
  return storage.transaction(async (tx) => ({
    snapshot: await readSnapshot(tx, pairingId),
    alerts: await listAlerts(tx, pairingId),
    answers: await listAnswers(tx, pairingId),
  }));
}

export async function readSnapshot(tx: StorageTx, pairingId: string): Promise<SnapshotRecord | undefined> {
  return (await tx.get('inbox', pairingId)) as SnapshotRecord | undefined;
}

export async function writeSnapshot(tx: StorageTx, pairingId: string, record: SnapshotRecord): Promise<void> {
  await tx.put('inbox', pairingId, record);
}

export async function listAlerts(tx: StorageTx, pairingId: string): Promise<AlertRecord[]> {
  return (await tx.list('alerts', `${pairingId}/`)).map(([, value]) => value as AlertRecord);
}

export async function readAlert(
  tx: StorageTx,
  pairingId: string,
  key: string,
): Promise<AlertRecord | undefined> {
  return (await tx.get('alerts', `${pairingId}/${key}`)) as AlertRecord | undefined;
}

/** Writes an alert and forgets the oldest above {@link ALERTS_MAX}. */
export async function writeAlert(tx: StorageTx, pairingId: string, record: AlertRecord): Promise<void> {
  await tx.put('alerts', `${pairingId}/${record.key}`, record);
  const all = await listAlerts(tx, pairingId);
  const surplus = all
    .toSorted((a, b) => a.counter - b.counter)
    .slice(0, Math.max(0, all.length - ALERTS_MAX));
  for (const { key } of surplus) await tx.delete('alerts', `${pairingId}/${key}`);
}

export async function listAnswers(tx: StorageTx, pairingId: string): Promise<AnswerRecord[]> {
  return (await tx.list('answers', `${pairingId}/`)).map(([, value]) => value as AnswerRecord);
}

export async function readAnswer(
  tx: StorageTx,
  pairingId: string,
  kind: ItemKind,
  requestId: string,
): Promise<AnswerRecord | undefined> {
  return (await tx.get('answers', answerKey(pairingId, kind, requestId))) as AnswerRecord | undefined;
}

export async function writeAnswer(tx: StorageTx, pairingId: string, record: AnswerRecord): Promise<void> {
  await tx.put('answers', answerKey(pairingId, record.kind, record.requestId), record);
}

export async function deleteAnswer(tx: StorageTx, pairingId: string, record: AnswerRecord): Promise<void> {
  await tx.delete('answers', answerKey(pairingId, record.kind, record.requestId));
}

function answerKey(pairingId: string, kind: ItemKind, requestId: string): string {
  return `${pairingId}/${kind}/${requestId}`;
}

export function isFinal(state: AnswerState): boolean {
  return state.phase === 'confirmed' || state.phase === 'refused';
}

/** Forgets answers older than `keepMs`, and the oldest final ones above {@link FINAL_ANSWERS_MAX}. */
export async function pruneAnswers(
  tx: StorageTx,
  pairingId: string,
  now: number,
  keepMs: number,
): Promise<void> {
  const all = (await listAnswers(tx, pairingId)).toSorted((a, b) => b.createdAt - a.createdAt);
  const surplus = all.filter(({ state }) => isFinal(state)).slice(FINAL_ANSWERS_MAX);
  for (const record of all) {
    const old = now - record.createdAt > keepMs;
    if (old || surplus.includes(record)) await deleteAnswer(tx, pairingId, record);
  }
}

/** Forgets everything an agent said and was answered. */
export async function removeInbox(tx: StorageTx, pairingId: string): Promise<void> {
  await tx.delete('inbox', pairingId);
  for (const collection of ['alerts', 'answers'] as const) {
    for (const [key] of await tx.list(collection, `${pairingId}/`)) await tx.delete(collection, key);
  }
}

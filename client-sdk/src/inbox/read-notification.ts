/**
 * Notifications become alerts (03 §3, §6). Must not know who shows them.
 */
import type { ReceivedNotification } from '@countersign/protocol/payloads';
import type { Alert } from '../api.js';
import type { StorageTx } from '../storage/storage.js';
import { type AlertRecord, infoAlertKey, itemAlertKey, readAlert, writeAlert } from './inbox-records.js';

export function alertOf(note: ReceivedNotification, counter: number, receivedAt: number): AlertRecord {
  const about = note.replaces ?? note.request_id;
  return {
    key: about === undefined ? infoAlertKey(note.id) : itemAlertKey(about),
    counter,
    receivedAt,
    title: note.title,
    body: note.body,
    ...defined({
      requestId: about,
      itemKind: note.item_kind,
      badge: note.badge,
      expiresAt: note.expires_at,
      replaces: note.replaces,
      outcome: note.outcome,
    }),
    shown: false,
    ended: note.replaces !== undefined,
  };
}

/**
 * Inside the receive transaction: stores the alert as not shown, unless a newer one about the same item is there
 * (02 §2). A card that was replaced stays, ended, so that a tap on it can say what became of the item.
 */
export async function applyAlert(tx: StorageTx, pairingId: string, alert: AlertRecord): Promise<void> {
  const earlier = await readAlert(tx, pairingId, alert.key);
  if (earlier !== undefined && earlier.counter >= alert.counter) return;
  await writeAlert(tx, pairingId, alert);
}

/** A newer alert under the same key was not shown by showing this one. */
export async function markShown(
  tx: StorageTx,
  pairingId: string,
  shown: Pick<AlertRecord, 'key' | 'counter'>,
): Promise<void> {
  const alert = await readAlert(tx, pairingId, shown.key);
  if (alert !== undefined && alert.counter === shown.counter) {
    await writeAlert(tx, pairingId, { ...alert, shown: true });
  }
}

export function publicAlert(
  record: AlertRecord,
  from: { pairingId: string; agentName: string },
  seen: boolean,
): Alert {
  return {
    id: record.key,
    pairingId: from.pairingId,
    agentName: from.agentName,
    title: record.title,
    body: record.body,
    ...defined({
      requestId: record.requestId,
      itemKind: record.itemKind,
      badge: record.badge,
      expiresAt: record.expiresAt,
      replaces: record.replaces,
      outcome: record.outcome,
    }),
    seen,
  };
}

function defined<T extends object>(members: T): { [K in keyof T]?: Exclude<T[K], undefined> } {
  return Object.fromEntries(Object.entries(members).filter(([, value]) => value !== undefined)) as never;
}

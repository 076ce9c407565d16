/**
 * Which notifications on a screen are out of date (04 §3): those of items that ended, or were answered here, while the
 * app was not running. Reads what is stored; must not know platforms.
 */
import type { NotificationChange, ShownNotification } from '../api.js';
import { listPairings, type PairingRecord } from '../client/pairing-record.js';
import { type InboxState, itemAlertKey, readInbox } from '../inbox/inbox-records.js';
import { publicAlert } from '../inbox/read-notification.js';
import { itemsOf } from '../inbox/view.js';
import type { Storage } from '../storage/storage.js';

/**
 * What is to be done with what stands on the screen: call it when the app opens and when a snapshot has come. What is
 * not named in the answer stays.
 *
 * @throws CountersignError only what the storage throws.
 */
export async function reconcileNotifications(
  shown: readonly ShownNotification[],
  storage: Storage,
): Promise<NotificationChange[]> {
  const pairings = await storage.transaction((tx) => listPairings(tx));
  const inboxes = new Map<PairingRecord, InboxState>();
  for (const pairing of pairings) inboxes.set(pairing, await readInbox(storage, pairing.id));
  return shown.flatMap((one) => changeOf(one, inboxes) ?? []);
}

function changeOf(
  { tag, requestId, pairingId }: ShownNotification,
  inboxes: ReadonlyMap<PairingRecord, InboxState>,
): NotificationChange | undefined {
  const places = [...inboxes].filter(([{ id }]) => pairingId === undefined || id === pairingId);
  // Its agent was unpaired.
  if (places.length === 0) return { tag, do: 'close' };
  const fates = places.map(([pairing, inbox]) => fateOf(requestId, pairing, inbox));
  const replaced = fates.find((fate) => fate !== 'pending' && fate !== 'unknown' && fate !== 'gone');
  if (typeof replaced === 'object') return { tag, do: 'replace', alert: replaced };
  if (fates.includes('pending')) return undefined;
  // An id belongs to one agent: the others lack it for certain, the one that has not spoken yet may have it.
  return fates.every((fate) => fate === 'gone') ? { tag, do: 'close' } : undefined;
}

function fateOf(requestId: string, { id, agentName }: PairingRecord, inbox: InboxState) {
  const context = { pairingId: id, agentName, now: Date.now(), volatile: [] };
  const item = itemsOf(inbox, context).find((one) => one.requestId === requestId);
  if (item !== undefined) return item.state === 'answered' || item.remainingMs <= 0 ? 'gone' : 'pending';
  const alert = inbox.alerts.find(({ key }) => key === itemAlertKey(requestId));
  if (alert?.ended) return publicAlert(alert, { pairingId: id, agentName }, true);
  return inbox.snapshot === undefined ? 'unknown' : 'gone';
}

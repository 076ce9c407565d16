/**
 * Opens what a push carries, without a connection: for service workers and notification extensions (04 §1, §3).
 * Must not know who shows it.
 */
import { unframe } from '@countersign/protocol/e2e';
import { parseStrict } from '@countersign/protocol/json';
import {
  type ReceivedInboxUpdate,
  type ReceivedPayload,
  receivePayload,
} from '@countersign/protocol/payloads';
import type { Alert } from '../api.js';
import { openKeys } from '../client/keys.js';
import { listPairings, type PairingRecord } from '../client/pairing-record.js';
import { peekCounter, peerStore } from '../client/peer-store.js';
import { readAlert } from '../inbox/inbox-records.js';
import { alertOf, applyAlert, markShown, publicAlert } from '../inbox/read-notification.js';
import { readUpdate } from '../inbox/read-update.js';
import type { Storage } from '../storage/storage.js';
import { readPush, type SealedPush } from './push-input.js';

/** What is shown of a payload that says nothing a person could read (04 §1). */
export const GENERIC_BODY = 'Action required. Open the app.';

interface Opened {
  pairing: PairingRecord;
  channelId: string;
  counter: number;
  payload: ReceivedPayload;
}

/**
 * The alert in a push, with `seen: true` when these very bytes were opened before or a newer alert about the item is
 * known, whose present state is then returned. Undefined, without saying why, for a wake and for anything that is
 * not an authentic message to this device. A notification is marked as opened and kept as not yet shown: call
 * {@link confirmShown} once a person has it on the screen.
 *
 * @throws CountersignError only what the storage throws.
 */
export async function openNotification(
  push: Uint8Array | string | object,
  storage: Storage,
): Promise<Alert | undefined> {
  const sealed = readPush(push);
  const opened = sealed === undefined ? undefined : await open(sealed, storage);
  if (opened === undefined) return undefined;
  if (opened.payload.kind === 'notification') return notification(opened, storage);
  const seen = await storage.transaction(
    async (tx) => (await peekCounter(tx, opened.channelId, opened.counter)) !== 'new',
  );
  return other(opened, seen);
}

/** A person has the alert on the screen: a copy of it that comes by queue is not shown again. */
export async function confirmShown(alert: Alert, storage: Storage): Promise<void> {
  await storage.transaction(async (tx) => {
    const stored = await readAlert(tx, alert.pairingId, alert.id);
    if (stored?.body === alert.body) await markShown(tx, alert.pairingId, stored);
  });
}

async function open(push: SealedPush, storage: Storage): Promise<Opened | undefined> {
  const pairings = await storage.transaction((tx) => listPairings(tx));
  for (const pairing of candidates(pairings, push)) {
    const { agent, channel } = await openKeys(storage, pairing);
    if ('sender' in push.from && agent !== push.from.sender) continue;
    const opened = await channel.sealed.open(push.nonce, push.ciphertext);
    if (opened === undefined) continue;
    const payload = await readPayload(opened.framed);
    if (payload !== undefined) return { pairing, channelId: channel.id, counter: opened.counter, payload };
  }
  return undefined;
}

/**
 * Where it may belong, likeliest first. A handle that is not known here may be newer than what was stored of it: keys
 * decide, and there are few.
 */
function candidates(pairings: readonly PairingRecord[], { from }: SealedPush): PairingRecord[] {
  if ('namespaceId' in from) return pairings.filter(({ namespaceId }) => namespaceId === from.namespaceId);
  return pairings.toSorted(
    (a, b) => Number(b.pushHandle === from.handle) - Number(a.pushHandle === from.handle),
  );
}

async function readPayload(framed: Uint8Array): Promise<ReceivedPayload | undefined> {
  const body = await unframe(framed);
  if (body.dropped !== undefined) return undefined;
  try {
    const read = receivePayload(parseStrict(body.ok, { numbers: 'any' }));
    return 'ok' in read ? read.ok : undefined;
  } catch {
    return undefined;
  }
}

async function notification(opened: Opened, storage: Storage): Promise<Alert | undefined> {
  const { pairing, channelId, counter, payload } = opened;
  if (payload.kind !== 'notification') return undefined;
  const alert = alertOf(payload, counter, Date.now());
  let present = alert;
  const store = peerStore(storage, pairing.id, channelId);
  const verdict = await store.receive(channelId, counter, async (tx, isNew) => {
    if (isNew === 'new') await applyAlert(tx, pairing.id, alert);
    present = (await readAlert(tx, pairing.id, alert.key)) ?? alert;
  });
  if (verdict === 'outside') return undefined;
  const seen = verdict === 'duplicate' || present.counter !== counter;
  return publicAlert(present, { pairingId: pairing.id, agentName: pairing.agentName }, seen);
}

/** A push may hold any queued payload of an older agent; none of them is applied here, the connection does that. */
async function other({ pairing, counter, payload }: Opened, seen: boolean): Promise<Alert> {
  const common = {
    id: `p:${payload.id}`,
    pairingId: pairing.id,
    agentName: pairing.agentName,
    title: pairing.agentName,
    seen,
  };
  const newest = payload.kind === 'inbox_update' ? await newestItem(payload, pairing, counter) : undefined;
  if (newest === undefined) return { ...common, body: GENERIC_BODY };
  return { ...common, body: newest.summary, requestId: newest.requestId, itemKind: newest.kind };
}

async function newestItem(update: ReceivedInboxUpdate, pairing: PairingRecord, counter: number) {
  const arrival = {
    namespaceId: pairing.namespaceId,
    counter,
    receivedAt: Date.now(),
    clockOffsetMs: undefined,
  };
  const { items } = await readUpdate(update, arrival);
  return items.filter((item) => item.readable).toSorted((a, b) => b.createdAt - a.createdAt)[0];
}

/**
 * The link's durable state of one pairing, over Storage: counters, receive windows and the sealed outbox.
 * Must not know what the messages say. Keys: `channels/<channel id>`, `outbox/<pairing>/<id>`,
 * `meta/outbox/<pairing>` (last id given out).
 */
import { CountersignError } from '@countersign/protocol';
import {
  checkCounter,
  decodeWindow,
  emptyWindow,
  encodeWindow,
  markCounter,
} from '@countersign/protocol/e2e';
import {
  OUTBOX_LIMIT,
  type OutboxRow,
  type PeerStore,
  type ReceiveVerdict,
} from '@countersign/protocol/link';
import type { Storage, StorageTx } from '../storage/storage.js';

interface ChannelRecord {
  /** Highest send counter given out for use; never lowered. */
  sendHigh: number;
  window?: Uint8Array | undefined;
  /** Highest counter opened from the agent. */
  opened: number;
  /** Counter of the newest queued message. */
  used: number;
}

const FRESH: ChannelRecord = { sendHigh: 0, opened: 0, used: 0 };

export interface ClientPeerStore extends PeerStore<StorageTx> {
  /** Highest counter opened, and used for a queued message: what an `inbox_request` tells (02 §2). */
  seenAndUsed(): Promise<{ seen: number; used: number }>;
  hasOutboxRow(id: number): Promise<boolean>;
}

export function peerStore(storage: Storage, pairingId: string, ownChannel: string): ClientPeerStore {
  const prefix = `${pairingId}/`;
  return {
    reserveCounters: (channelId, floor, count) =>
      storage.transaction(async (tx) => {
        const record = await readChannel(tx, channelId);
        const first = Math.max(record.sendHigh + 1, floor);
        await tx.put('channels', channelId, { ...record, sendHigh: first + count - 1 });
        return first;
      }),
    receive: (channelId, counter, effect) =>
      storage.transaction((tx) => receive(tx, channelId, counter, effect)),
    enqueue: (row) => storage.transaction((tx) => enqueue(tx, pairingId, ownChannel, row)),
    outboxAfter: (afterId, limit) =>
      storage.transaction(async (tx) => {
        const rows = (await tx.list('outbox', prefix)).map(([, value]) => value as OutboxRow);
        return rows.filter((row) => row.id > afterId).slice(0, limit);
      }),
    outboxRemove: (ids) =>
      storage.transaction(async (tx) => {
        for (const id of ids) await tx.delete('outbox', rowKey(pairingId, id));
      }),
    seenAndUsed: () =>
      storage.transaction(async (tx) => {
        const { opened, used } = await readChannel(tx, ownChannel);
        return { seen: opened, used };
      }),
    hasOutboxRow: (id) =>
      storage.transaction(async (tx) => (await tx.get('outbox', rowKey(pairingId, id))) !== undefined),
  };
}

async function receive(
  tx: StorageTx,
  channelId: string,
  counter: number,
  effect: (tx: StorageTx, verdict: 'new' | 'duplicate') => void | Promise<void>,
): Promise<ReceiveVerdict> {
  const record = await readChannel(tx, channelId);
  const window = windowOf(record);
  const verdict = checkCounter(window, counter);
  if (verdict === 'outside') return verdict;
  await effect(tx, verdict);
  if (verdict === 'duplicate') return verdict;
  const marked = encodeWindow(markCounter(window, counter));
  // Read again: the effect may have written the same record.
  const latest = await readChannel(tx, channelId);
  await tx.put('channels', channelId, {
    ...latest,
    window: marked,
    opened: Math.max(latest.opened, counter),
  });
  return verdict;
}

/** Whether this counter was opened before, without marking it. */
export async function peekCounter(
  tx: StorageTx,
  channelId: string,
  counter: number,
): Promise<ReceiveVerdict> {
  return checkCounter(windowOf(await readChannel(tx, channelId)), counter);
}

async function enqueue(
  tx: StorageTx,
  pairingId: string,
  channelId: string,
  row: Omit<OutboxRow, 'id'>,
): Promise<number> {
  const rows = await tx.list('outbox', `${pairingId}/`);
  if (rows.length >= OUTBOX_LIMIT) throw queueFull();
  const metaKey = `outbox/${pairingId}`;
  const id = (((await tx.get('meta', metaKey)) as number | undefined) ?? 0) + 1;
  await tx.put('meta', metaKey, id);
  await tx.put('outbox', rowKey(pairingId, id), { ...row, id });
  const channel = await readChannel(tx, channelId);
  await tx.put('channels', channelId, { ...channel, used: Math.max(channel.used, counterOf(row.nonce)) });
  return id;
}

/** Forgets everything of a pairing that belongs to its link. */
export async function removePeerState(tx: StorageTx, pairingId: string, channelId: string): Promise<void> {
  for (const [key] of await tx.list('outbox', `${pairingId}/`)) await tx.delete('outbox', key);
  await tx.delete('meta', `outbox/${pairingId}`);
  await tx.delete('channels', channelId);
}

async function readChannel(tx: StorageTx, channelId: string): Promise<ChannelRecord> {
  return ((await tx.get('channels', channelId)) as ChannelRecord | undefined) ?? FRESH;
}

function windowOf(record: ChannelRecord) {
  return record.window === undefined ? emptyWindow() : decodeWindow(record.window);
}

/** The counter in a nonce: its last 8 bytes, big-endian (02 §2); exact as a double. */
function counterOf(nonce: Uint8Array): number {
  return nonce.subarray(-8).reduce((sum, byte) => sum * 256 + byte, 0);
}

/** Padded, so that the order of keys is the order of ids. */
function rowKey(pairingId: string, id: number): string {
  return `${pairingId}/${String(id).padStart(16, '0')}`;
}

function queueFull(): CountersignError {
  return new CountersignError(
    'queue_full',
    `${OUTBOX_LIMIT} messages already wait to be sent. Connect first, then try again.`,
    { details: { limit: OUTBOX_LIMIT } },
  );
}

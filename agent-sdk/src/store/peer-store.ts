/**
 * The link's durable state on SQLite: send counters, receive windows, outbox (protocol's PeerStore). Every
 * method is one transaction, durable when its promise resolves. Must not know what the messages hold.
 */
import { CountersignError, SEAL } from '@countersign/protocol';
import {
  checkCounter,
  decodeWindow,
  emptyWindow,
  encodeWindow,
  markCounter,
} from '@countersign/protocol/e2e';
import { OUTBOX_LIMIT, type OutboxRow, type PeerStore } from '@countersign/protocol/link';
import type { Sqlite } from './database.js';
import { guarded } from './sqlite-errors.js';

interface StoredOutboxRow {
  id: number;
  peer: string;
  nonce: Uint8Array;
  ciphertext: Uint8Array;
  push: Uint8Array | null;
  expiresAt: number;
}

/** `tx` is handed to every effect. `onReserved` hears the first counter of every reservation. */
export function peerStore<Tx>(
  db: Sqlite,
  tx: Tx,
  onReserved: (channelId: string, first: number) => void,
): PeerStore<Tx> {
  const counters = guarded(counterMethods(db));
  const receive = guarded(receiveMethods(db, tx));
  const outbox = guarded(outboxMethods(db));
  return {
    reserveCounters: async (channelId, floor, count) => {
      const first = counters.reserve(channelId, floor, count);
      onReserved(channelId, first);
      return first;
    },
    receive: async (channelId, counter, effect) => receive.receive(channelId, counter, effect),
    enqueue: async (row) => outbox.enqueue(row),
    outboxAfter: async (afterId, limit) => outbox.after(afterId, limit),
    outboxRemove: async (ids) => outbox.remove(ids),
  };
}

function counterMethods(db: Sqlite) {
  const high = db.prepare('SELECT send_high FROM pairings WHERE channel_id = ?').pluck();
  const raise = db.prepare('UPDATE pairings SET send_high = ? WHERE channel_id = ?');
  return {
    reserve: db.transaction((channelId: string, floor: number, count: number): number => {
      if (!Number.isInteger(count) || count < 1 || count > SEAL.maxReservedCounters) {
        throw new CountersignError('invalid_request', `count must be 1 to ${SEAL.maxReservedCounters}`);
      }
      const stored = high.get(channelId) as number | undefined;
      if (stored === undefined) throw new CountersignError('not_paired', 'This pairing no longer exists.');
      const first = Math.max(stored + 1, floor);
      raise.run(first + count - 1, channelId);
      return first;
    }).immediate,
  };
}

function receiveMethods<Tx>(db: Sqlite, tx: Tx) {
  const load = db.prepare('SELECT receive_window FROM pairings WHERE channel_id = ?').pluck();
  const store = db.prepare('UPDATE pairings SET receive_window = ? WHERE channel_id = ?');
  type Run = Parameters<PeerStore<Tx>['receive']>[2];
  const receive = db.transaction((channelId: string, counter: number, effect: Run) => {
    const bytes = load.get(channelId) as Uint8Array | null | undefined;
    if (bytes === undefined) return 'outside';
    const window = bytes === null ? emptyWindow() : decodeWindow(bytes);
    const verdict = checkCounter(window, counter);
    if (verdict === 'outside') return verdict;
    refusePromise(effect(tx, verdict));
    if (verdict === 'new') store.run(encodeWindow(markCounter(window, counter)), channelId);
    return verdict;
  }).immediate;
  return { receive };
}

/** SQLite's transactions are synchronous: an effect that awaited would run outside of its own. */
function refusePromise(result: unknown): void {
  if (result instanceof Promise) throw new TypeError('An effect on this store must be synchronous.');
}

function outboxMethods(db: Sqlite) {
  const count = db.prepare('SELECT count(*) FROM outbox').pluck();
  const insert = db.prepare(
    `INSERT INTO outbox (peer, nonce, ciphertext, push, expires_at)
     VALUES (@peer, @nonce, @ciphertext, @push, @expiresAt)`,
  );
  const after = db.prepare(
    `SELECT id, peer, nonce, ciphertext, push, expires_at AS expiresAt FROM outbox WHERE id > ? ORDER BY id LIMIT ?`,
  );
  const remove = db.prepare('DELETE FROM outbox WHERE id = ?');
  return {
    enqueue: db.transaction((row: Omit<OutboxRow, 'id'>): number => {
      if (Number(count.get()) >= OUTBOX_LIMIT) {
        throw new CountersignError('queue_full', 'Too many messages wait for the relay.', {
          details: { limit: OUTBOX_LIMIT },
        });
      }
      return Number(insert.run({ ...row, push: row.push ?? null }).lastInsertRowid);
    }).immediate,
    after: (afterId: number, limit: number): OutboxRow[] =>
      (after.all(afterId, limit) as StoredOutboxRow[]).map((row) => ({
        ...row,
        push: row.push ?? undefined,
      })),
    remove: db.transaction((ids: readonly number[]): void => {
      for (const id of ids) remove.run(id);
    }).immediate,
  };
}

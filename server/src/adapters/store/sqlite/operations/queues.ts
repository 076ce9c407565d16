/** The ordered outbox of each recipient. Must not know what a ciphertext holds. */
import { ROUTING } from '@countersign/protocol';
import type { Database } from 'better-sqlite3';
import {
  type EnqueueResult,
  type NewMessage,
  type QueuedMessage,
  STORE_ROW_BYTES,
  type StoreLimits,
} from '../../../../ports/index.js';
import { prepareAll } from './prepare.js';

export interface TakeOptions {
  readonly afterSeq: number;
  readonly maxBytes: number;
  readonly now: number;
  readonly enqueuedNotBefore?: number | undefined;
}

export const QUEUE_SQL = {
  namespace: 'SELECT ns, agent FROM namespaces WHERE id = ?',
  device: 'SELECT device FROM devices WHERE ns = ? AND ed25519 = ? AND authorized = 1',
  remembered: `SELECT seq FROM nonces
    WHERE device = ? AND from_agent = ? AND nonce = ? AND accepted_at > ?`,
  remember: `INSERT OR REPLACE INTO nonces (device, from_agent, nonce, seq, accepted_at) VALUES (?, ?, ?, ?, ?)`,
  forgetOldest: 'DELETE FROM nonces WHERE entry <= ?',
  filled: `SELECT count(*) AS messages, coalesce(sum(bytes), 0) AS bytes FROM messages
    WHERE ns = ? AND recipient = ? AND sender = ?`,
  dropExpired: 'DELETE FROM messages WHERE ns = ? AND recipient = ? AND sender = ? AND expires_at <= ?',
  storeBytes: 'SELECT bytes FROM totals WHERE id = 1',
  nextSeq: 'UPDATE namespaces SET last_seq = last_seq + 1 WHERE ns = ? RETURNING last_seq AS seq',
  append: `INSERT INTO messages
    (ns, recipient, seq, sender, bytes, enqueued_at, expires_at, nonce, ciphertext, ref)
    VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
  lastSeq: `SELECT coalesce(max(seq), 0) AS seq FROM messages
    WHERE ns = (SELECT ns FROM namespaces WHERE id = ?) AND recipient = ? AND sender = ?`,
  take: `SELECT seq, sender, nonce, enqueued_at AS enqueuedAt, expires_at AS expiresAt, bytes, message,
      CAST(ref AS TEXT) AS ref FROM messages WHERE ns = (SELECT ns FROM namespaces WHERE id = ?) AND recipient = ? AND seq > ?
      AND expires_at > ? AND enqueued_at >= ? ORDER BY seq`,
  ciphertext: 'SELECT ciphertext FROM messages WHERE message = ?',
  ack: `DELETE FROM messages
    WHERE ns = (SELECT ns FROM namespaces WHERE id = ?) AND recipient = ? AND seq <= ?`,
  dropWaiting: 'DELETE FROM messages WHERE ns = ? AND recipient = ? AND enqueued_at < ?',
} as const;

interface NamespaceRow {
  readonly ns: number;
  readonly agent: Uint8Array;
}

type TakenRow = Omit<QueuedMessage, 'ciphertext' | 'ref'> & {
  readonly bytes: number;
  readonly message: number;
  readonly ref: string | null;
};

/** The agent and one device of a namespace, in one of the two directions. */
interface Pair {
  readonly device: number;
  readonly fromAgent: 0 | 1;
}

export function queueOperations(db: Database, limits: StoreLimits) {
  const sql = prepareAll(db, QUEUE_SQL);

  function pairOf(ns: number, device: Uint8Array, fromAgent: 0 | 1): Pair | undefined {
    const row = sql.device.get(ns, device) as { device: number } | undefined;
    return row && { device: row.device, fromAgent };
  }

  /** Undefined unless these two may write to each other: the agent and a device it authorizes. */
  function routeOf({ ns, agent }: NamespaceRow, { sender, recipient }: NewMessage): Pair | undefined {
    if (Buffer.compare(sender, agent) === 0) return pairOf(ns, recipient, 1);
    return Buffer.compare(recipient, agent) === 0 ? pairOf(ns, sender, 0) : undefined;
  }

  /** The seq of a message accepted before that this one repeats. */
  function repeatedSeq({ device, fromAgent }: Pair, message: NewMessage): number | undefined {
    if (message.ref === undefined) return undefined;
    const since = message.now - ROUTING.dedupMs;
    const row = sql.remembered.get(device, fromAgent, message.nonce, since) as { seq: number } | undefined;
    return row?.seq;
  }

  function remember({ device, fromAgent }: Pair, { nonce, now }: NewMessage, seq: number): void {
    const { lastInsertRowid } = sql.remember.run(device, fromAgent, nonce, seq, now);
    const forgetThrough = Number(lastInsertRowid) - limits.maxNonces;
    if (forgetThrough > 0) sql.forgetOldest.run(forgetThrough);
  }

  function fits(ns: number, { recipient, sender, ciphertext, limits: queue }: NewMessage): boolean {
    const filled = sql.filled.get(ns, recipient, sender) as { messages: number; bytes: number };
    return filled.messages < queue.messages && filled.bytes + ciphertext.length <= queue.bytes;
  }

  /** Expired messages not yet collected make room. */
  function hasRoom(ns: number, message: NewMessage): boolean {
    if (fits(ns, message)) return true;
    sql.dropExpired.run(ns, message.recipient, message.sender, message.now);
    return fits(ns, message);
  }

  function append(ns: number, message: NewMessage): number {
    const { seq } = sql.nextSeq.get(ns) as { seq: number };
    const { recipient, sender, ciphertext, now, expiresAt, nonce } = message;
    const ref = message.ref === undefined ? null : BigInt.asIntN(64, message.ref);
    sql.append.run(ns, recipient, seq, sender, ciphertext.length, now, expiresAt, nonce, ciphertext, ref);
    return seq;
  }

  /** The rows to hand out, chosen before any ciphertext is read. */
  function choose(id: Uint8Array, recipient: Uint8Array, options: TakeOptions): TakenRow[] {
    const notBefore = options.enqueuedNotBefore ?? Number.MIN_SAFE_INTEGER;
    const rows = sql.take.iterate(id, recipient, options.afterSeq, options.now, notBefore);
    const chosen: TakenRow[] = [];
    let bytes = 0;
    for (const row of rows as Iterable<TakenRow>) {
      bytes += row.bytes;
      if (chosen.length > 0 && bytes > options.maxBytes) break;
      chosen.push(row);
    }
    return chosen;
  }

  return {
    enqueueWithinLimits(message: NewMessage): EnqueueResult {
      const namespace = sql.namespace.get(message.namespaceId) as NamespaceRow | undefined;
      const pair = namespace && routeOf(namespace, message);
      if (namespace === undefined || pair === undefined) return 'not_found';
      const earlier = repeatedSeq(pair, message);
      if (earlier !== undefined) return { seq: earlier, repeated: true };
      if (!hasRoom(namespace.ns, message)) return 'queue_full';
      const { bytes } = sql.storeBytes.get() as { bytes: number };
      const after = bytes + STORE_ROW_BYTES.message + message.ciphertext.length;
      if (after > limits.maxStoreBytes) return 'store_full';
      const seq = append(namespace.ns, message);
      if (message.ref !== undefined) remember(pair, message, seq);
      return { seq };
    },
    lastQueuedSeq(id: Uint8Array, sender: Uint8Array, recipient: Uint8Array): number {
      return (sql.lastSeq.get(id, recipient, sender) as { seq: number }).seq;
    },
    takeUnproven(id: Uint8Array, recipient: Uint8Array, options: TakeOptions): QueuedMessage[] {
      return choose(id, recipient, options).map((row) => {
        const { ciphertext } = sql.ciphertext.get(row.message) as { ciphertext: Uint8Array };
        const { seq, sender, nonce, enqueuedAt, expiresAt } = row;
        const ref = row.ref === null ? {} : { ref: BigInt.asUintN(64, BigInt(row.ref)) };
        return { seq, sender, nonce, ciphertext, enqueuedAt, expiresAt, ...ref };
      });
    },
    ackThrough(id: Uint8Array, recipient: Uint8Array, seq: number): number {
      return sql.ack.run(id, recipient, seq).changes;
    },
    dropWaitingForAgent(id: Uint8Array, before: number): number {
      const namespace = sql.namespace.get(id) as NamespaceRow | undefined;
      return namespace === undefined ? 0 : sql.dropWaiting.run(namespace.ns, namespace.agent, before).changes;
    },
  };
}

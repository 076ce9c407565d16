/** The ordered outbox of each recipient. Must not know what a ciphertext holds. */
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
  isAuthorized: 'SELECT 1 FROM devices WHERE ns = ? AND ed25519 = ? AND authorized = 1',
  filled: `SELECT count(*) AS messages, coalesce(sum(bytes), 0) AS bytes FROM messages
    WHERE ns = ? AND recipient = ? AND sender = ?`,
  dropExpired: 'DELETE FROM messages WHERE ns = ? AND recipient = ? AND sender = ? AND expires_at <= ?',
  storeBytes: 'SELECT bytes FROM totals WHERE id = 1',
  nextSeq: 'UPDATE namespaces SET last_seq = last_seq + 1 WHERE ns = ? RETURNING last_seq AS seq',
  append: `INSERT INTO messages (ns, recipient, seq, sender, bytes, enqueued_at, expires_at, nonce, ciphertext)
    VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)`,
  lastSeq: `SELECT coalesce(max(seq), 0) AS seq FROM messages
    WHERE ns = (SELECT ns FROM namespaces WHERE id = ?) AND recipient = ? AND sender = ?`,
  take: `SELECT seq, sender, nonce, enqueued_at AS enqueuedAt, expires_at AS expiresAt, bytes, message
    FROM messages WHERE ns = (SELECT ns FROM namespaces WHERE id = ?) AND recipient = ? AND seq > ?
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

type TakenRow = Omit<QueuedMessage, 'ciphertext'> & { readonly bytes: number; readonly message: number };

export function queueOperations(db: Database, limits: StoreLimits) {
  const sql = prepareAll(db, QUEUE_SQL);

  const isDevice = (ns: number, key: Uint8Array) => sql.isAuthorized.get(ns, key) !== undefined;

  /** Whether these two may write to each other: the agent and a device it authorizes. */
  function isRoute({ ns, agent }: NamespaceRow, { sender, recipient }: NewMessage): boolean {
    if (Buffer.compare(sender, agent) === 0) return isDevice(ns, recipient);
    return Buffer.compare(recipient, agent) === 0 && isDevice(ns, sender);
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
    sql.append.run(ns, recipient, seq, sender, ciphertext.length, now, expiresAt, nonce, ciphertext);
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
      if (namespace === undefined || !isRoute(namespace, message)) return 'not_found';
      if (!hasRoom(namespace.ns, message)) return 'queue_full';
      const { bytes } = sql.storeBytes.get() as { bytes: number };
      const after = bytes + STORE_ROW_BYTES.message + message.ciphertext.length;
      if (after > limits.maxStoreBytes) return 'store_full';
      return { seq: append(namespace.ns, message) };
    },
    lastQueuedSeq(id: Uint8Array, sender: Uint8Array, recipient: Uint8Array): number {
      return (sql.lastSeq.get(id, recipient, sender) as { seq: number }).seq;
    },
    takeUnproven(id: Uint8Array, recipient: Uint8Array, options: TakeOptions): QueuedMessage[] {
      return choose(id, recipient, options).map((row) => {
        const { ciphertext } = sql.ciphertext.get(row.message) as { ciphertext: Uint8Array };
        const { seq, sender, nonce, enqueuedAt, expiresAt } = row;
        return { seq, sender, nonce, ciphertext, enqueuedAt, expiresAt };
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

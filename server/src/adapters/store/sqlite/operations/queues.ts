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
import { type PushSource, pushRows } from './push-rows.js';

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
  lastSeqOf: 'SELECT last_seq AS seq FROM namespaces WHERE ns = ?',
  sameCollapse: `SELECT message, bytes, pushed FROM messages WHERE ns = ? AND recipient = ? AND collapse = ?`,
  hinted: `SELECT message, bytes FROM messages WHERE ns = ? AND recipient = ? AND hinted = 1 ORDER BY seq`,
  remove: 'DELETE FROM messages WHERE message = ?',
  nextSeq: 'UPDATE namespaces SET last_seq = last_seq + 1 WHERE ns = ? RETURNING last_seq AS seq',
  append: `INSERT INTO messages
    (ns, recipient, seq, sender, bytes, enqueued_at, expires_at, nonce, ciphertext, ref, hinted, collapse, pushed)
    VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
  lastSeq: `SELECT seq FROM messages WHERE ns = ? AND recipient = ? AND sender = ?
    ORDER BY seq DESC LIMIT 1`,
  take: `SELECT seq, enqueued_at AS enqueuedAt, expires_at AS expiresAt, nonce, bytes, message,
      CAST(ref AS TEXT) AS ref, (SELECT ed25519 FROM devices WHERE device = sender) AS sender
    FROM messages WHERE ns = ? AND recipient = ? AND seq > ?
      AND expires_at > ? AND enqueued_at >= ? ORDER BY seq`,
  ciphertext: 'SELECT ciphertext FROM messages WHERE message = ?',
  ack: 'DELETE FROM messages WHERE ns = ? AND recipient = ? AND seq <= ?',
  dropWaiting: 'DELETE FROM messages WHERE ns = ? AND recipient = ? AND enqueued_at < ?',
} as const;

interface NamespaceRow {
  readonly ns: number;
  readonly agent: Uint8Array;
}

type TakenRow = Omit<QueuedMessage, 'ciphertext' | 'ref' | 'sender'> & {
  readonly bytes: number;
  readonly message: number;
  readonly ref: string | null;
  /** Null for the agent. */
  readonly sender: Uint8Array | null;
};

/** One recipient's, the agent's key with it. */
type Queue = NamespaceRow & { readonly recipient: number };

/** In the place of a device's number, which is never 0. */
export const AGENT = 0;

/** The agent and one device of a namespace, in one of the two directions. */
interface Pair {
  readonly device: number;
  readonly fromAgent: 0 | 1;
  readonly sender: number;
  readonly recipient: number;
}

/** A message that goes so that another one may come. */
interface Removable {
  readonly message: number;
  readonly bytes: number;
  readonly pushed?: number;
}

export function queueOperations(db: Database, limits: StoreLimits) {
  const sql = prepareAll(db, QUEUE_SQL);
  const pushes = pushRows(db);

  function numberOf({ ns, agent }: NamespaceRow, key: Uint8Array): number | undefined {
    if (Buffer.compare(key, agent) === 0) return AGENT;
    return (sql.device.get(ns, key) as { device: number } | undefined)?.device;
  }

  /** Undefined unless these two may write to each other: the agent and a device it authorizes. */
  function pairOf(namespace: NamespaceRow, from: Uint8Array, to: Uint8Array): Pair | undefined {
    const [sender, recipient] = [numberOf(namespace, from), numberOf(namespace, to)];
    if (sender === undefined || recipient === undefined) return undefined;
    if (sender !== AGENT && recipient !== AGENT) return undefined;
    const device = sender + recipient;
    return device === AGENT ? undefined : { device, fromAgent: sender === AGENT ? 1 : 0, sender, recipient };
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

  /** The earlier messages that a new one takes the place of. */
  function sameCollapse(ns: number, { recipient }: Pair, { hints }: NewMessage): Removable[] {
    if (hints?.collapse === undefined) return [];
    return sql.sameCollapse.all(ns, recipient, hints.collapse) as Removable[];
  }

  function room(ns: number, { sender, recipient }: Pair, { limits: queue, ciphertext }: NewMessage) {
    const filled = sql.filled.get(ns, recipient, sender) as { messages: number; bytes: number };
    return {
      messages: queue.messages - filled.messages - 1,
      bytes: queue.bytes - filled.bytes - ciphertext.length,
    };
  }

  /** What must go for the message to fit: `going` for certain, hinted ones where need be; undefined when it cannot. */
  function evict(
    ns: number,
    { recipient }: Pair,
    left: ReturnType<typeof room>,
    going: Removable[],
  ): Removable[] | undefined {
    const all = [...going];
    const isShort = () =>
      left.messages + all.length < 0 || left.bytes + all.reduce((sum, { bytes }) => sum + bytes, 0) < 0;
    if (!isShort()) return all;
    const known = new Set(all.map((each) => each.message));
    for (const hinted of sql.hinted.iterate(ns, recipient) as Iterable<Removable>) {
      if (!known.has(hinted.message)) all.push(hinted);
      if (!isShort()) return all;
    }
    return undefined;
  }

  /** Expired messages not yet collected make room, then hinted ones. */
  function makeRoom(
    ns: number,
    pair: Pair,
    message: NewMessage,
    going: Removable[],
  ): Removable[] | undefined {
    const left = room(ns, pair, message);
    if (left.messages >= 0 && left.bytes >= 0) return going;
    sql.dropExpired.run(ns, pair.recipient, pair.sender, message.now);
    return evict(ns, pair, room(ns, pair, message), going);
  }

  function append(ns: number, { sender, recipient }: Pair, message: NewMessage, pushed: boolean): number {
    const { seq } = sql.nextSeq.get(ns) as { seq: number };
    const { ciphertext, now, expiresAt, nonce, hints } = message;
    const ref = message.ref === undefined ? null : BigInt.asIntN(64, message.ref);
    const stored = [ciphertext.length, now, expiresAt, nonce, ciphertext, ref];
    const hinted = [hints ? 1 : 0, hints?.collapse ?? null, pushed ? 1 : 0];
    sql.append.run(ns, recipient, seq, sender, ...stored, ...hinted);
    return seq;
  }

  /** Of a message to a device: what is pushed for it, and what no longer is. */
  function putPush(
    pair: Pair,
    message: NewMessage,
    source: Pick<PushSource, 'seq' | 'refused' | 'replaced'>,
  ): boolean {
    if (pair.fromAgent === 0) return false;
    const { hints, ref, now } = message;
    return pushes.put({ device: pair.device, collapse: hints?.collapse, ref, now, ...source }, message.push);
  }

  /** A refused alert still wakes the device. */
  function refuse(ns: number, pair: Pair, message: NewMessage): 'queue_full' {
    if (message.push?.intent === 'alert') {
      const { seq } = sql.lastSeqOf.get(ns) as { seq: number };
      putPush(pair, message, { seq, refused: true, replaced: 'none' });
    }
    return 'queue_full';
  }

  function store(ns: number, pair: Pair, message: NewMessage): EnqueueResult {
    const replaced = sameCollapse(ns, pair, message);
    const going = makeRoom(ns, pair, message, replaced);
    if (going === undefined) return refuse(ns, pair, message);
    const { bytes } = sql.storeBytes.get() as { bytes: number };
    const freed = going.reduce((sum, each) => sum + each.bytes + STORE_ROW_BYTES.message, 0);
    const push = message.push === undefined ? 0 : STORE_ROW_BYTES.push;
    const after = bytes - freed + STORE_ROW_BYTES.message + message.ciphertext.length + push;
    if (after > limits.maxStoreBytes) return 'store_full';
    for (const each of going) sql.remove.run(each.message);
    const pushed = replaced.some((each) => each.pushed === 1);
    const seq = append(ns, pair, message, pushed);
    if (message.ref !== undefined) remember(pair, message, seq);
    const state = replaced.length === 0 ? 'none' : pushed ? 'pushed' : 'unsent';
    const reported = putPush(pair, message, { seq, refused: false, replaced: state });
    return reported ? { seq, reported } : { seq };
  }

  /** The queue of a recipient; undefined for nobody's. */
  function queueOf(id: Uint8Array, recipient: Uint8Array): Queue | undefined {
    const namespace = sql.namespace.get(id) as NamespaceRow | undefined;
    const number = namespace && numberOf(namespace, recipient);
    return namespace && number !== undefined ? { ...namespace, recipient: number } : undefined;
  }

  /** The rows to hand out, chosen before any ciphertext is read. */
  function choose({ ns, recipient }: Queue, options: TakeOptions): TakenRow[] {
    const notBefore = options.enqueuedNotBefore ?? Number.MIN_SAFE_INTEGER;
    const rows = sql.take.iterate(ns, recipient, options.afterSeq, options.now, notBefore);
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
      const pair = namespace && pairOf(namespace, message.sender, message.recipient);
      if (namespace === undefined || pair === undefined) return 'not_found';
      const earlier = repeatedSeq(pair, message);
      if (earlier !== undefined) return { seq: earlier, repeated: true };
      return store(namespace.ns, pair, message);
    },
    lastQueuedSeq(id: Uint8Array, sender: Uint8Array, recipient: Uint8Array): number {
      const namespace = sql.namespace.get(id) as NamespaceRow | undefined;
      const pair = namespace && pairOf(namespace, sender, recipient);
      if (namespace === undefined || pair === undefined) return 0;
      const row = sql.lastSeq.get(namespace.ns, pair.recipient, pair.sender) as { seq: number } | undefined;
      return row?.seq ?? 0;
    },
    takeUnproven(id: Uint8Array, recipient: Uint8Array, options: TakeOptions): QueuedMessage[] {
      const queue = queueOf(id, recipient);
      if (queue === undefined) return [];
      return choose(queue, options).map((row) => {
        const { ciphertext } = sql.ciphertext.get(row.message) as { ciphertext: Uint8Array };
        const { seq, sender, nonce, enqueuedAt, expiresAt } = row;
        const ref = row.ref === null ? {} : { ref: BigInt.asUintN(64, BigInt(row.ref)) };
        return { seq, sender: sender ?? queue.agent, nonce, ciphertext, enqueuedAt, expiresAt, ...ref };
      });
    },
    ackThrough(id: Uint8Array, recipient: Uint8Array, seq: number, now: number) {
      const queue = queueOf(id, recipient);
      if (queue === undefined) return { messages: 0, reported: false };
      const reported = queue.recipient !== AGENT && pushes.endThrough(queue.recipient, seq, now);
      return { messages: sql.ack.run(queue.ns, queue.recipient, seq).changes, reported };
    },
    dropWaitingForAgent(id: Uint8Array, before: number): number {
      const namespace = sql.namespace.get(id) as NamespaceRow | undefined;
      return namespace === undefined ? 0 : sql.dropWaiting.run(namespace.ns, AGENT, before).changes;
    },
  };
}

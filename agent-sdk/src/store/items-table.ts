/**
 * Items and what became of them. Every change of state is one conditional statement, so that the first
 * decision wins. Must not know who may decide, nor what an entry holds.
 */
import type { Sqlite } from './database.js';

export type ItemKind = 'approval' | 'clarification' | 'elicitation';
export type EndState = 'approved' | 'rejected' | 'answered' | 'expired' | 'cancelled' | 'superseded';
export type ItemState = 'pending' | EndState;
/** Of an approved call (03 §5). `lapsed`: nobody took it up before its end. */
export type RunState = 'started' | 'done' | 'failed' | 'unknown' | 'lapsed';

export interface ItemRow {
  requestId: string;
  kind: ItemKind;
  state: ItemState;
  toolName: string | null;
  sensitive: number;
  createdAt: number;
  expiresAt: number;
  /** item_digest of the entry (02 §4). */
  digest: string;
  /** The same for devices that get `arguments_text` in `detail` (03 §2). */
  detailDigest: string | null;
  /** The frozen entry as JSON; null once erased. */
  entry: string | null;
  /** JSON of the decision, without arguments. */
  decision: string | null;
  /** JSON of arguments a device sent back; null once erased. */
  runArguments: string | null;
  receipt: string | null;
  run: RunState | null;
  runNote: string | null;
  endedAt: number | null;
}

export interface ItemEnd {
  state: EndState;
  at: number;
  decision?: string | undefined;
  receipt?: string | undefined;
  runArguments?: string | undefined;
}

const COLUMNS = `request_id AS requestId, kind, state, tool_name AS toolName, sensitive, created_at AS createdAt,
  expires_at AS expiresAt, digest, detail_digest AS detailDigest, entry, decision, run_arguments AS runArguments,
  receipt, run, run_note AS runNote, ended_at AS endedAt`;

export type ItemsTable = ReturnType<typeof itemsTable>;

export function itemsTable(db: Sqlite) {
  const insert = db.prepare(
    `INSERT INTO items (request_id, kind, state, tool_name, sensitive, created_at, expires_at, digest, detail_digest,
       entry, decision, ended_at)
     VALUES (@requestId, @kind, @state, @toolName, @sensitive, @createdAt, @expiresAt, @digest, @detailDigest,
       @entry, @decision, @endedAt)`,
  );
  const get = db.prepare(`SELECT ${COLUMNS} FROM items WHERE request_id = ?`);
  const pending = db.prepare(
    `SELECT ${COLUMNS} FROM items WHERE state = 'pending' ORDER BY created_at, request_id`,
  );
  const count = db.prepare("SELECT count(*) FROM items WHERE state = 'pending'").pluck();
  const nextExpiry = db.prepare("SELECT min(expires_at) FROM items WHERE state = 'pending'").pluck();
  const end = db.prepare(
    `UPDATE items SET state = @state, ended_at = @at, decision = @decision, receipt = @receipt,
       run_arguments = @runArguments, entry = CASE WHEN @state = 'approved' THEN entry ELSE NULL END
     WHERE request_id = @requestId AND state = 'pending'`,
  );
  const start = db.prepare(
    `UPDATE items SET run = 'started', entry = NULL, run_arguments = NULL
     WHERE request_id = ? AND state = 'approved' AND run IS NULL`,
  );
  const finish = db.prepare(
    "UPDATE items SET run = ?, run_note = ? WHERE request_id = ? AND run = 'started'",
  );
  const crashed = db.prepare(`UPDATE items SET run = 'unknown' WHERE run = 'started' RETURNING ${COLUMNS}`);
  const lapse = db.prepare(
    `UPDATE items SET run = 'lapsed', entry = NULL, run_arguments = NULL
     WHERE state = 'approved' AND run IS NULL AND expires_at <= ?`,
  );
  const purge = db.prepare("DELETE FROM items WHERE state <> 'pending' AND ended_at < ?");
  return {
    insert(row: Omit<ItemRow, 'runArguments' | 'receipt' | 'run' | 'runNote'>): void {
      insert.run(row);
    },
    get: (requestId: string): ItemRow | undefined => get.get(requestId) as ItemRow | undefined,
    pending: (): ItemRow[] => pending.all() as ItemRow[],
    pendingCount: (): number => Number(count.get()),
    /** When the next pending item expires; undefined without one. */
    nextExpiry: (): number | undefined => (nextExpiry.get() as number | null) ?? undefined,
    /** Ends a pending item; false when it has ended already. What was asked is erased unless it was approved. */
    end(requestId: string, change: ItemEnd): boolean {
      const bound = {
        requestId,
        state: change.state,
        at: change.at,
        decision: change.decision ?? null,
        receipt: change.receipt ?? null,
        runArguments: change.runArguments ?? null,
      };
      return end.run(bound).changes === 1;
    },
    /** Marks an approved call as started and erases its arguments; false when it was started before. */
    start: (requestId: string): boolean => start.run(requestId).changes === 1,
    finish: (requestId: string, run: 'done' | 'failed', note: string | null): boolean =>
      finish.run(run, note, requestId).changes === 1,
    /** Calls that were running when the last process ended: now `unknown`. */
    crashed: (): ItemRow[] => crashed.all() as ItemRow[],
    /** Approved calls that nobody took up by then. */
    lapse: (now: number): number => lapse.run(now).changes,
    purge: (endedBefore: number): number => purge.run(endedBefore).changes,
  };
}

/** What leaves the file with time, in bounded steps; totals and settings. Must not know the wire. */
import { ROUTING } from '@countersign/protocol';
import type { Database } from 'better-sqlite3';
import { REPORT_LIFE_MS } from '../../../../ports/index.js';
import { prepareAll } from './prepare.js';

export interface CollectOptions {
  readonly now: number;
  readonly pendingBefore: number;
  readonly emptyBefore: number;
  readonly idleBefore: number;
  readonly maxRows: number;
}

export const HOUSEKEEPING_SQL = {
  expiredMessages: `DELETE FROM messages WHERE message IN
    (SELECT message FROM messages WHERE expires_at <= ? ORDER BY expires_at LIMIT ?)`,
  expiredWindows: `DELETE FROM windows WHERE ns IN
    (SELECT ns FROM windows WHERE expires_at <= ? ORDER BY expires_at LIMIT ?)`,
  oldPending: `DELETE FROM devices WHERE device IN
    (SELECT device FROM devices WHERE authorized = 0 AND paired_at < ? ORDER BY paired_at LIMIT ?)`,
  oldNonces: `DELETE FROM nonces WHERE entry IN (SELECT entry FROM nonces ORDER BY entry LIMIT ?)
    AND (accepted_at <= ? OR accepted_at > ?)`,
  oldReports: `DELETE FROM push_reports WHERE report IN (SELECT report FROM push_reports ORDER BY report LIMIT ?)
    AND at <= ?`,
  empty: `SELECT ns FROM namespaces WHERE devices = 0 AND touched_at < ? ORDER BY touched_at LIMIT ?`,
  idle: `SELECT ns FROM namespaces WHERE devices > 0 AND touched_at < ? ORDER BY touched_at LIMIT ?`,
  messagesOf: `DELETE FROM messages WHERE message IN (SELECT message FROM messages WHERE ns = ? LIMIT ?)`,
  namespace: `DELETE FROM namespaces WHERE ns = ?`,
  totals: 'SELECT namespaces, devices, messages, bytes, pushes FROM totals WHERE id = 1',
  oldest: 'SELECT enqueued_at AS oldestEnqueuedAt FROM messages ORDER BY message LIMIT 1',
  oldestPush: 'SELECT created_at AS oldestPushAt FROM pushes ORDER BY push LIMIT 1',
  getSetting: 'SELECT value FROM settings WHERE name = ?',
  putSetting: `INSERT INTO settings (name, value) VALUES (?, ?)
    ON CONFLICT (name) DO UPDATE SET value = excluded.value`,
} as const;

interface Totals {
  readonly namespaces: number;
  readonly devices: number;
  readonly messages: number;
  readonly bytes: number;
  readonly pushes: number;
}

export function housekeepingOperations(db: Database) {
  const sql = prepareAll(db, HOUSEKEEPING_SQL);

  /** Its messages first, in steps of `maxRows`; the namespace once none is left. */
  function dropNamespace(ns: number, maxRows: number): number {
    if (sql.messagesOf.run(ns, maxRows).changes === maxRows) return 0;
    return sql.namespace.run(ns).changes;
  }

  function dropUnused({ emptyBefore, idleBefore, maxRows }: CollectOptions): number {
    const empty = sql.empty.all(emptyBefore, maxRows) as { ns: number }[];
    const idle = sql.idle.all(idleBefore, maxRows - empty.length) as { ns: number }[];
    return [...empty, ...idle].reduce((sum, { ns }) => sum + dropNamespace(ns, maxRows), 0);
  }

  return {
    collect(options: CollectOptions) {
      const { now, pendingBefore, maxRows } = options;
      sql.expiredWindows.run(now, maxRows);
      sql.oldReports.run(maxRows, now - REPORT_LIFE_MS);
      return {
        messages: sql.expiredMessages.run(now, maxRows).changes,
        devices: sql.oldPending.run(pendingBefore, maxRows).changes,
        namespaces: dropUnused(options),
        // One from the future is of a clock that was wrong: kept, it would hold up all that came after it.
        nonces: sql.oldNonces.run(maxRows, now - ROUTING.dedupMs, now).changes,
      };
    },
    stats() {
      const oldest = sql.oldest.get() as { oldestEnqueuedAt: number } | undefined;
      const oldestPush = sql.oldestPush.get() as { oldestPushAt: number } | undefined;
      return { ...(sql.totals.get() as Totals), ...oldest, ...oldestPush };
    },
    getSetting(name: string): string | undefined {
      return (sql.getSetting.get(name) as { value: string } | undefined)?.value;
    },
    putSetting(name: string, value: string): void {
      sql.putSetting.run(name, value);
    },
  };
}

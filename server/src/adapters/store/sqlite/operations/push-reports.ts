/** What agents are to be told about pushes, until they have been. Must not know what is pushed. */
import type { Database } from 'better-sqlite3';
import type { PushReport, PushReportOutcome } from '../../../../ports/index.js';
import { prepareAll } from './prepare.js';

export const PUSH_REPORT_SQL = {
  take: `SELECT report AS id, CAST(ref AS TEXT) AS ref, peer, outcome, detail FROM push_reports
    WHERE ns = (SELECT ns FROM namespaces WHERE id = ?) AND at >= ? ORDER BY report LIMIT ?`,
  drop: 'DELETE FROM push_reports WHERE ns = (SELECT ns FROM namespaces WHERE id = ?) AND report <= ?',
} as const;

type Row = Omit<PushReport, 'ref' | 'outcome'> & { readonly ref: string; readonly outcome: string };

export function pushReportOperations(db: Database) {
  const sql = prepareAll(db, PUSH_REPORT_SQL);
  return {
    takeReports(id: Uint8Array, { limit, notBefore }: { limit: number; notBefore: number }): PushReport[] {
      return (sql.take.all(id, notBefore, limit) as Row[]).map((row) => ({
        ...row,
        ref: BigInt.asUintN(64, BigInt(row.ref)),
        outcome: row.outcome as PushReportOutcome,
      }));
    },
    dropReports(id: Uint8Array, throughId: number): void {
      sql.drop.run(id, throughId);
    },
  };
}

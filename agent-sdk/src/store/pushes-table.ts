/** Queued messages that may become pushes, and what the relay said became of those. Must not know why one was sent. */
import type { PushOutcome } from '@countersign/protocol';
import type { Sqlite } from './database.js';

export interface SentPush {
  /** Outbox id of the message. */
  ref: number;
  device: string;
  /** Null for information without an item. */
  requestId: string | null;
  at: number;
}

export interface ReportedPush extends SentPush {
  outcome: PushOutcome;
  detail: string;
}

const COLUMNS = 'ref, device, request_id AS requestId, at, outcome, detail';

export function pushesTable(db: Sqlite) {
  const insert = db.prepare(
    'INSERT OR REPLACE INTO pushes (ref, device, request_id, at) VALUES (@ref, @device, @requestId, @at)',
  );
  const report = db.prepare(
    `UPDATE pushes SET outcome = @outcome, detail = @detail
     WHERE ref = @ref AND device = @device AND (outcome IS NOT @outcome OR detail IS NOT @detail)
     RETURNING ${COLUMNS}`,
  );
  const newest = db.prepare(
    `SELECT ${COLUMNS} FROM pushes WHERE ref IN (SELECT max(ref) FROM pushes WHERE request_id = ? GROUP BY device)
       AND outcome IS NOT NULL ORDER BY ref`,
  );
  const removeDevice = db.prepare('DELETE FROM pushes WHERE device = ?');
  const purge = db.prepare('DELETE FROM pushes WHERE at < ?');
  return {
    sent(push: SentPush): void {
      insert.run(push);
    },
    /** Undefined when no such message went to that device, or the same was reported before. */
    report: (said: Pick<ReportedPush, 'ref' | 'device' | 'outcome' | 'detail'>): ReportedPush | undefined =>
      report.get(said) as ReportedPush | undefined,
    /** What was reported of the newest message about an item to each device. */
    newest: (requestId: string): ReportedPush[] => newest.all(requestId) as ReportedPush[],
    removeDevice(device: string): void {
      removeDevice.run(device);
    },
    purge: (sentBefore: number): number => purge.run(sentBefore).changes,
  };
}

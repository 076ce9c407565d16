/**
 * Rows of the push outbox as other operations write and end them, inside their transactions. A device with rows has a
 * turn. Must not know what is pushed.
 */
import type { Database } from 'better-sqlite3';
import {
  MAX_REPORTS_PER_AGENT,
  type NewPush,
  type PushIntent,
  type PushReportOutcome,
} from '../../../../ports/index.js';
import { prepareAll } from './prepare.js';

export const PUSH_ROW_SQL = {
  lane: 'SELECT lane FROM devices WHERE device = ?',
  add: `INSERT INTO pushes (device, seq, refused, intent, collapse, ref, created_at, due_at, expires_at)
    VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)`,
  ofCollapse: 'SELECT push, lease, unknowns FROM pushes WHERE device = ? AND collapse = ?',
  refused: 'SELECT push, lease, unknowns FROM pushes WHERE device = ? AND refused = 1',
  through: 'SELECT push FROM pushes WHERE device = ? AND seq <= ? ORDER BY push',
  remove: 'DELETE FROM pushes WHERE push = ? RETURNING device, CAST(ref AS TEXT) AS ref',
  report: `INSERT INTO push_reports (ns, ref, peer, outcome, detail, at)
    SELECT ns, ?, ed25519, ?, ?, ? FROM devices WHERE device = ?`,
  trim: `DELETE FROM push_reports WHERE report IN (SELECT report FROM push_reports
    WHERE ns = (SELECT ns FROM devices WHERE device = ?) ORDER BY report DESC LIMIT -1 OFFSET ?)`,
  first: 'SELECT due_at AS dueAt FROM pushes WHERE device = ? ORDER BY due_at LIMIT 1',
  turn: 'SELECT lease FROM push_turns WHERE device = ?',
  begin: `INSERT INTO push_turns (device, lane, due_at) VALUES (?, ?, ?)
    ON CONFLICT (device) DO UPDATE SET due_at = excluded.due_at WHERE lease = 0 AND due_at > excluded.due_at`,
  retime: 'UPDATE push_turns SET due_at = ? WHERE device = ? AND lease = 0',
  endTurn: 'DELETE FROM push_turns WHERE device = ? AND lease = 0',
} as const;

export interface Ending {
  readonly outcome: PushReportOutcome;
  readonly detail: string;
  readonly now: number;
}

/** What it goes with: a message that was stored, or one that found the queue full. */
export interface PushSource {
  readonly device: number;
  readonly seq: number;
  readonly refused: boolean;
  readonly collapse: Uint8Array | undefined;
  readonly ref: bigint | undefined;
  readonly now: number;
  /** A message of the same collapse waited, and whether it may have been pushed. */
  readonly replaced: 'none' | 'unsent' | 'pushed';
}

interface Earlier {
  readonly push: number;
  readonly lease: number;
  readonly unknowns: number;
}

export function pushRows(db: Database) {
  const sql = prepareAll(db, PUSH_ROW_SQL);

  function report(device: number, ref: string | bigint, { outcome, detail, now }: Ending): void {
    sql.report.run(BigInt.asIntN(64, BigInt(ref)), outcome, detail, now, device);
    sql.trim.run(device, MAX_REPORTS_PER_AGENT);
  }

  /** Removes the row; true when its agent has something to be told. The turn is left to the caller. */
  function end(push: number, ending: Ending): boolean {
    const row = sql.remove.get(push) as { device: number; ref: string | null } | undefined;
    if (row === undefined || row.ref === null) return false;
    report(row.device, row.ref, ending);
    return true;
  }

  function endEach(pushes: readonly { push: number }[], ending: Ending): boolean {
    return pushes.filter(({ push }) => end(push, ending)).length > 0;
  }

  /** The turn follows the device's first row, unless it is leased. Returns when that is due. */
  function retime(device: number): number | undefined {
    const first = sql.first.get(device) as { dueAt: number } | undefined;
    if (first === undefined) sql.endTurn.run(device);
    else sql.retime.run(first.dueAt, device);
    return first?.dueAt;
  }

  function earlierOf({ device, refused, collapse }: PushSource): Earlier[] {
    if (refused) return sql.refused.all(device) as Earlier[];
    return collapse === undefined ? [] : (sql.ofCollapse.all(device, collapse) as Earlier[]);
  }

  function insert(source: PushSource, push: NewPush, intent: PushIntent): void {
    const { device, seq, refused, collapse, ref, now } = source;
    const { lane } = sql.lane.get(device) as { lane: string };
    const reported = push.isReported && ref !== undefined ? BigInt.asIntN(64, ref) : null;
    // Nobody could be reached by it, and nobody would hear so.
    if (lane === '' && reported === null) return;
    const times = [now, push.dueAt, push.expiresAt];
    sql.add.run(device, seq, refused ? 1 : 0, intent, collapse ?? null, reported, ...times);
    sql.begin.run(device, lane, push.dueAt);
  }

  return {
    /**
     * `push` undefined: the message is not pushed, and what it replaces is not any more. True when the agent has something to
     * be told.
     */
    put(source: PushSource, push: NewPush | undefined): boolean {
      const { device, now, replaced, ref } = source;
      const earlier = earlierOf(source);
      const wasWaiting = earlier.length > 0 || replaced === 'unsent';
      const isUnsent =
        replaced !== 'pushed' && earlier.every(({ lease, unknowns }) => lease === 0 && unknowns === 0);
      const isSettled = push?.intent === 'replace' && wasWaiting && isUnsent;
      const ending = { outcome: 'superseded', detail: isSettled ? 'settled' : 'newer', now } as const;
      const reported = endEach(earlier, ending);
      const isToldSettled = isSettled && push.isReported && ref !== undefined;
      if (push !== undefined && !isSettled) insert(source, push, source.refused ? 'wake' : push.intent);
      else if (isToldSettled) report(device, ref, ending);
      if (earlier.length > 0) retime(device);
      return reported || isToldSettled;
    },
    /** The device proved receipt. */
    endThrough(device: number, seq: number, now: number): boolean {
      if (sql.turn.get(device) === undefined) return false;
      const pushes = sql.through.all(device, seq) as { push: number }[];
      const reported = endEach(pushes, { outcome: 'superseded', detail: 'received', now });
      retime(device);
      return reported;
    },
    endAll(device: number, ending: Ending): void {
      if (sql.turn.get(device) === undefined) return;
      endEach(sql.through.all(device, Number.MAX_SAFE_INTEGER) as { push: number }[], ending);
    },
    end,
    retime,
  };
}

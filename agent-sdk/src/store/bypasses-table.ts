/** Bypasses in force (03 §5). Must not know when one applies. */
import type { Sqlite } from './database.js';

export interface BypassRow {
  id: string;
  toolName: string;
  /** Null: any session, or for a session bypass the life of the agent. */
  sessionId: string | null;
  /** Unix ms; null for a session bypass. */
  until: number | null;
  /** When it ends at the latest, whatever its kind. */
  endsAt: number;
  /** The device that granted it, hex. */
  device: string;
}

const COLUMNS = 'id, tool_name AS toolName, session_id AS sessionId, until, ends_at AS endsAt, device';

export type BypassesTable = ReturnType<typeof bypassesTable>;

export function bypassesTable(db: Sqlite) {
  const insert = db.prepare(
    `INSERT INTO bypasses (id, tool_name, session_id, until, ends_at, device)
     VALUES (@id, @toolName, @sessionId, @until, @endsAt, @device)`,
  );
  const all = db.prepare(`SELECT ${COLUMNS} FROM bypasses WHERE ends_at > ? ORDER BY ends_at, id`);
  const ofTool = db.prepare(
    `SELECT ${COLUMNS} FROM bypasses WHERE tool_name = ? AND ends_at > ? ORDER BY ends_at DESC, id`,
  );
  const remove = db.prepare('DELETE FROM bypasses WHERE id = ?');
  const removeDevice = db.prepare('DELETE FROM bypasses WHERE device = ?');
  const purge = db.prepare('DELETE FROM bypasses WHERE ends_at <= ?');
  const endAgentSessions = db.prepare('DELETE FROM bypasses WHERE until IS NULL AND session_id IS NULL');
  return {
    insert(row: BypassRow): void {
      insert.run(row);
    },
    inForce: (now: number): BypassRow[] => all.all(now) as BypassRow[],
    ofTool: (toolName: string, now: number): BypassRow[] => ofTool.all(toolName, now) as BypassRow[],
    remove: (id: string): boolean => remove.run(id).changes === 1,
    removeDevice: (device: string): number => removeDevice.run(device).changes,
    purge: (now: number): number => purge.run(now).changes,
    /** Those that last as long as the agent is open. */
    endAgentSessions: (): number => endAgentSessions.run().changes,
  };
}

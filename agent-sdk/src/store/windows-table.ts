/** Pairing windows and their keys (02 §1). Must not know the rules of pairing. */
import type { Sqlite } from './database.js';

export interface WindowRow {
  /** SHA-256(token)[0..16], hex. */
  windowId: string;
  token: Uint8Array;
  x25519Public: Uint8Array;
  x25519Secret: Uint8Array;
  openedAt: number;
  expiresAt: number;
  closed: number;
  misses: number;
  /** The one device that came through, hex. */
  device: string | null;
  deviceX25519: Uint8Array | null;
}

const COLUMNS = `window_id AS windowId, token, x25519_public AS x25519Public, x25519_secret AS x25519Secret,
  opened_at AS openedAt, expires_at AS expiresAt, closed, misses, device, device_x25519 AS deviceX25519`;

export type WindowsTable = ReturnType<typeof windowsTable>;

export function windowsTable(db: Sqlite) {
  const insert = db.prepare(
    `INSERT INTO windows (window_id, token, x25519_public, x25519_secret, opened_at, expires_at)
     VALUES (@windowId, @token, @x25519Public, @x25519Secret, @openedAt, @expiresAt)`,
  );
  const get = db.prepare(`SELECT ${COLUMNS} FROM windows WHERE window_id = ?`);
  const newest = db.prepare(`SELECT ${COLUMNS} FROM windows ORDER BY opened_at DESC, window_id LIMIT 1`);
  const bind = db.prepare(
    'UPDATE windows SET device = ?, device_x25519 = ? WHERE window_id = ? AND device IS NULL',
  );
  const close = db.prepare('UPDATE windows SET closed = 1 WHERE window_id = ?');
  const miss = db
    .prepare('UPDATE windows SET misses = misses + 1 WHERE window_id = ? RETURNING misses')
    .pluck();
  const expire = db.prepare('DELETE FROM windows WHERE expires_at < ?');
  const trim = db.prepare(
    `DELETE FROM windows WHERE window_id IN
       (SELECT window_id FROM windows ORDER BY opened_at DESC, window_id LIMIT -1 OFFSET ?)`,
  );
  return {
    insert(row: Omit<WindowRow, 'closed' | 'misses' | 'device' | 'deviceX25519'>): void {
      insert.run(row);
    },
    get: (windowId: string): WindowRow | undefined => get.get(windowId) as WindowRow | undefined,
    newest: (): WindowRow | undefined => newest.get() as WindowRow | undefined,
    /** Binds the window to its one device; false when it has one already. */
    bind: (windowId: string, device: string, deviceX25519: Uint8Array): boolean =>
      bind.run(device, deviceX25519, windowId).changes === 1,
    close(windowId: string): void {
      close.run(windowId);
    },
    /** Counts a wrong code; the misses so far. */
    miss: (windowId: string): number => Number(miss.get(windowId) ?? 0),
    /** Forgets windows that expired before then, and the oldest above `keep`. The keys go with them. */
    forget(expiredBefore: number, keep: number): void {
      expire.run(expiredBefore);
      trim.run(keep);
    },
  };
}

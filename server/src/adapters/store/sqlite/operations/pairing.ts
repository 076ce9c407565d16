/** Pairing windows. Must not know tokens, only their hashes. */
import { timingSafeEqual } from 'node:crypto';
import type { Database } from 'better-sqlite3';
import type { NamespaceLimits, PairingAttempt, PairingResult } from '../../../../ports/index.js';
import { StateFailure } from '../failures.js';
import { prepareAll } from './prepare.js';

export const PAIRING_SQL = {
  open: `INSERT INTO windows (ns, token_hash, expires_at) SELECT ns, ?, ? FROM namespaces WHERE id = ?
    ON CONFLICT (ns) DO UPDATE SET token_hash = excluded.token_hash, expires_at = excluded.expires_at,
      used_ed25519 = NULL, used_x25519 = NULL`,
  close: 'DELETE FROM windows WHERE ns = (SELECT ns FROM namespaces WHERE id = ?)',
  namespace: 'SELECT ns FROM namespaces WHERE id = ?',
  window: `SELECT token_hash AS tokenHash, expires_at AS expiresAt, used_ed25519 AS usedEd25519,
    used_x25519 AS usedX25519 FROM windows WHERE ns = ?`,
  consume: 'UPDATE windows SET used_ed25519 = ?, used_x25519 = ? WHERE ns = ?',
  isAuthorized: 'SELECT 1 FROM devices WHERE ns = ? AND ed25519 = ? AND authorized = 1',
  isKnown: 'SELECT 1 FROM devices WHERE ns = ? AND ed25519 = ?',
  forgetPending: 'DELETE FROM devices WHERE ns = ? AND ed25519 = ?',
  addPending: `INSERT INTO devices (ns, ed25519, x25519, platform, authorized, window, paired_at, token, app,
    lane, registered_at, vapid, problem) VALUES (?, ?, ?, ?, 0, ?, ?, ?, ?, ?, ?, ?, ?)`,
  dropOldestPending: `DELETE FROM devices WHERE device IN (SELECT device FROM devices
    WHERE ns = ? AND authorized = 0 ORDER BY paired_at DESC, device DESC LIMIT -1 OFFSET ?)`,
} as const;

interface WindowRow {
  readonly tokenHash: Uint8Array;
  readonly expiresAt: number;
  readonly usedEd25519: Uint8Array | null;
  readonly usedX25519: Uint8Array | null;
}

export function pairingOperations(db: Database) {
  const sql = prepareAll(db, PAIRING_SQL);

  function putPending(ns: number, attempt: PairingAttempt): void {
    if (sql.isAuthorized.get(ns, attempt.ed25519) !== undefined) return;
    const { ed25519, x25519, platform, window, now, deviceToken } = attempt;
    const [app, lane] = [attempt.app ?? null, attempt.provider ?? ''];
    const [vapid, problem] = [attempt.vapidPublicKey ?? null, attempt.tokenProblem ?? null];
    const device = [ed25519, x25519, platform, window, now, deviceToken, app, lane, now, vapid, problem];
    sql.forgetPending.run(ns, ed25519);
    sql.addPending.run(ns, ...device);
  }

  return {
    openPairingWindow(id: Uint8Array, tokenHash: Uint8Array, expiresAt: number): void {
      const opened = sql.open.run(tokenHash, expiresAt, id).changes > 0;
      if (!opened) throw new StateFailure('not_found', 'There is no such namespace.');
    },
    closePairingWindow(id: Uint8Array): void {
      sql.close.run(id);
    },
    consumePairingToken(attempt: PairingAttempt, limits: NamespaceLimits): PairingResult {
      const namespace = sql.namespace.get(attempt.namespaceId) as { ns: number } | undefined;
      if (namespace === undefined) return 'no_namespace';
      const window = sql.window.get(namespace.ns) as WindowRow | undefined;
      if (window === undefined || !opens(window, attempt)) return 'closed';
      if (window.usedEd25519 !== null) {
        const isKnown = sql.isKnown.get(namespace.ns, attempt.ed25519) !== undefined;
        return isKnown && isRepeat(window, attempt) ? 'repeated' : 'closed';
      }
      sql.consume.run(attempt.ed25519, attempt.x25519, namespace.ns);
      putPending(namespace.ns, attempt);
      sql.dropOldestPending.run(namespace.ns, limits.pendingDevices);
      return 'paired';
    },
  };
}

function opens(window: WindowRow, attempt: PairingAttempt): boolean {
  return sameBytes(window.tokenHash, attempt.tokenHash) && attempt.now < window.expiresAt;
}

function isRepeat(window: WindowRow, attempt: PairingAttempt): boolean {
  return sameBytes(window.usedEd25519, attempt.ed25519) && sameBytes(window.usedX25519, attempt.x25519);
}

/** In constant time for equal lengths. */
function sameBytes(a: Uint8Array | null, b: Uint8Array): boolean {
  return a !== null && a.length === b.length && timingSafeEqual(a, b);
}

/** Devices of a namespace and the authorized set. Must not know how a device was paired. */
import type { Database } from 'better-sqlite3';
import type { AuthorizeResult, DeviceRow, DeviceState } from '../../../../ports/index.js';
import { prepareAll } from './prepare.js';
import { AGENT } from './queues.js';

export interface DeviceLogin {
  readonly deviceToken: string;
  readonly app?: string | undefined;
  readonly platform: number;
  readonly now: number;
}

export const DEVICE_SQL = {
  namespace: 'SELECT ns FROM namespaces WHERE id = ?',
  state: `SELECT authorized FROM devices
    WHERE ns = (SELECT ns FROM namespaces WHERE id = ?) AND ed25519 = ?`,
  authorized: `SELECT ed25519 FROM devices
    WHERE ns = (SELECT ns FROM namespaces WHERE id = ?) AND authorized = 1`,
  pending: `SELECT ed25519, x25519, platform, window, paired_at AS pairedAt FROM devices
    WHERE ns = (SELECT ns FROM namespaces WHERE id = ?) AND authorized = 0 AND paired_at >= ?
    ORDER BY paired_at, device`,
  login: 'UPDATE devices SET platform = ? WHERE ns = ? AND ed25519 = ? AND authorized = 1',
  setToken: 'UPDATE devices SET token = ?, app = ? WHERE ns = ? AND ed25519 = ?',
  touchNamespace: 'UPDATE namespaces SET touched_at = ? WHERE ns = ?',
  authorize: 'UPDATE devices SET authorized = 1 WHERE ns = ? AND ed25519 = ?',
  revoke: 'DELETE FROM devices WHERE ns = ? AND ed25519 = ? RETURNING device',
  dropQueueTo: 'DELETE FROM messages WHERE ns = ? AND recipient = ?',
  dropQueueFrom: 'DELETE FROM messages WHERE ns = ? AND recipient = ? AND sender = ?',
} as const;

export function deviceOperations(db: Database) {
  const sql = prepareAll(db, DEVICE_SQL);

  const authorizedDevices = (id: Uint8Array) =>
    (sql.authorized.all(id) as { ed25519: Uint8Array }[]).map((row) => row.ed25519);

  function revoke(ns: number, key: Uint8Array): void {
    const { device } = sql.revoke.get(ns, key) as { device: number };
    sql.dropQueueTo.run(ns, device);
    sql.dropQueueFrom.run(ns, AGENT, device);
  }

  return {
    authorizedDevices,
    deviceState(id: Uint8Array, device: Uint8Array): DeviceState {
      const row = sql.state.get(id, device) as { authorized: number } | undefined;
      if (row === undefined) return 'unknown';
      return row.authorized === 1 ? 'authorized' : 'pending';
    },
    pendingDevices(id: Uint8Array, notBefore: number): DeviceRow[] {
      const rows = sql.pending.all(id, notBefore) as Omit<DeviceRow, 'state'>[];
      return rows.map((row) => ({ ...row, state: 'pending' }));
    },
    touchDevice(id: Uint8Array, device: Uint8Array, login: DeviceLogin): void {
      const row = sql.namespace.get(id) as { ns: number } | undefined;
      if (row === undefined || sql.login.run(login.platform, row.ns, device).changes === 0) return;
      sql.touchNamespace.run(login.now, row.ns);
      if (login.deviceToken === '') return;
      sql.setToken.run(login.deviceToken, login.app ?? null, row.ns, device);
    },
    applyAuthorize(id: Uint8Array, devices: readonly Uint8Array[]): AuthorizeResult {
      const row = sql.namespace.get(id) as { ns: number } | undefined;
      if (row === undefined) return { authorized: 0, revoked: [] };
      const wanted = new Set(devices.map(hexOf));
      const revoked = authorizedDevices(id).filter((device) => !wanted.has(hexOf(device)));
      for (const device of revoked) revoke(row.ns, device);
      for (const device of devices) sql.authorize.run(row.ns, device);
      return { authorized: authorizedDevices(id).length, revoked };
    },
  };
}

function hexOf(bytes: Uint8Array): string {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).toString('hex');
}

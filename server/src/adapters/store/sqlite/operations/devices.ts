/** Devices of a namespace and the authorized set. Must not know how a device was paired. */
import type { Database } from 'better-sqlite3';
import {
  type AuthorizeResult,
  type DeviceLogin,
  type DeviceRow,
  type DeviceState,
  type DeviceTouch,
  TOUCH_EVERY_MS,
} from '../../../../ports/index.js';
import { prepareAll } from './prepare.js';
import { pushRows } from './push-rows.js';
import { AGENT } from './queues.js';

export const DEVICE_SQL = {
  namespace: 'SELECT ns, touched_at AS touchedAt FROM namespaces WHERE id = ?',
  state: `SELECT authorized FROM devices
    WHERE ns = (SELECT ns FROM namespaces WHERE id = ?) AND ed25519 = ?`,
  authorized: `SELECT ed25519 FROM devices
    WHERE ns = (SELECT ns FROM namespaces WHERE id = ?) AND authorized = 1`,
  pending: `SELECT ed25519, x25519, platform, window, paired_at AS pairedAt FROM devices
    WHERE ns = (SELECT ns FROM namespaces WHERE id = ?) AND authorized = 0 AND paired_at >= ?
    ORDER BY paired_at, device`,
  setPlatform: 'UPDATE devices SET platform = ? WHERE device = ?',
  registration: `SELECT device, authorized, platform, token, app, handle FROM devices
    WHERE ns = ? AND ed25519 = ?`,
  queued: 'SELECT seq FROM messages WHERE ns = ? AND recipient = ? LIMIT 1',
  setToken: `UPDATE devices SET token = ?, app = ?, lane = ?, registered_at = ?, environment = NULL,
    vapid = ?, problem = NULL WHERE device = ?`,
  confirmToken: 'UPDATE devices SET registered_at = ?, lane = ? WHERE device = ?',
  setProblem: `UPDATE devices SET problem = ? WHERE device = ? AND token = ''`,
  setHandle: 'UPDATE devices SET handle = ? WHERE device = ?',
  setLane: 'UPDATE push_turns SET lane = ? WHERE device = ?',
  touchNamespace: 'UPDATE namespaces SET touched_at = ? WHERE ns = ?',
  authorize: 'UPDATE devices SET authorized = 1 WHERE ns = ? AND ed25519 = ?',
  revoke: 'DELETE FROM devices WHERE device = ?',
  dropQueueTo: 'DELETE FROM messages WHERE ns = ? AND recipient = ?',
  dropQueueFrom: 'DELETE FROM messages WHERE ns = ? AND recipient = ? AND sender = ?',
} as const;

interface Namespace {
  readonly ns: number;
  readonly touchedAt: number;
}

interface Registration {
  readonly device: number;
  readonly authorized: 0 | 1;
  readonly platform: number;
  readonly token: string;
  readonly app: string | null;
  readonly handle: Uint8Array | null;
}

export function deviceOperations(db: Database) {
  const sql = prepareAll(db, DEVICE_SQL);
  const pushes = pushRows(db);

  const authorizedDevices = (id: Uint8Array) =>
    (sql.authorized.all(id) as { ed25519: Uint8Array }[]).map((row) => row.ed25519);

  function revoke(ns: number, key: Uint8Array, now: number): void {
    const { device } = sql.registration.get(ns, key) as Registration;
    pushes.endAll(device, { outcome: 'no_device', detail: 'revoked', now });
    sql.revoke.run(device);
    sql.dropQueueTo.run(ns, device);
    sql.dropQueueFrom.run(ns, AGENT, device);
  }

  function register(row: Registration, login: DeviceLogin): void {
    const { device } = row;
    if (login.deviceToken === '') {
      if (login.tokenProblem !== undefined) sql.setProblem.run(login.tokenProblem, device);
      return;
    }
    const [app, lane] = [login.app ?? null, login.provider ?? ''];
    if (isSame(row, login)) sql.confirmToken.run(login.now, lane, device);
    else sql.setToken.run(login.deviceToken, app, lane, login.now, login.vapidPublicKey ?? null, device);
    sql.setLane.run(lane, device);
  }

  /** The handle in force afterwards. */
  function name(row: Registration, login: DeviceLogin): Uint8Array | null {
    const { newHandle = null } = login;
    const isKept = login.deviceToken === '' || isSame(row, login);
    const handle = newHandle === null ? null : isKept ? (row.handle ?? newHandle) : newHandle;
    if (handle !== row.handle) sql.setHandle.run(handle, row.device);
    return handle;
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
    touchDevice(id: Uint8Array, device: Uint8Array, login: DeviceLogin): DeviceTouch {
      const namespace = sql.namespace.get(id) as Namespace | undefined;
      const row = namespace && (sql.registration.get(namespace.ns, device) as Registration | undefined);
      if (row?.authorized !== 1) return { hasQueued: false };
      const { ns, touchedAt } = namespace as Namespace;
      // Writes cost a commit: after a restart everybody comes at once, and with nothing new.
      if (touchedAt <= login.now - TOUCH_EVERY_MS) sql.touchNamespace.run(login.now, ns);
      if (row.platform !== login.platform) sql.setPlatform.run(login.platform, row.device);
      register(row, login);
      const handle = name(row, login);
      const hasQueued = sql.queued.get(ns, row.device) !== undefined;
      return { hasQueued, ...(handle === null ? {} : { handle }) };
    },
    applyAuthorize(id: Uint8Array, devices: readonly Uint8Array[], now: number): AuthorizeResult {
      const row = sql.namespace.get(id) as { ns: number } | undefined;
      if (row === undefined) return { authorized: 0, revoked: [] };
      const wanted = new Set(devices.map(hexOf));
      const revoked = authorizedDevices(id).filter((device) => !wanted.has(hexOf(device)));
      for (const device of revoked) revoke(row.ns, device, now);
      for (const device of devices) sql.authorize.run(row.ns, device);
      return { authorized: authorizedDevices(id).length, revoked };
    },
  };
}

/** A login with the same token changes nothing of the registration. */
function isSame({ token, app }: Registration, login: DeviceLogin): boolean {
  return token === login.deviceToken && app === (login.app ?? null);
}

function hexOf(bytes: Uint8Array): string {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).toString('hex');
}

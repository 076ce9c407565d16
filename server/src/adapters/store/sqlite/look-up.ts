/**
 * One device's registration, read beside a relay that may be running: for the operator's trial push. Changes nothing.
 * Must not know how pushes are sent.
 */
import { existsSync } from 'node:fs';
import { CountersignError } from '@countersign/protocol';
import Sqlite, { type Database } from 'better-sqlite3';
import type { PushRegistration } from '../../../ports/index.js';
import { openingFailure, StateFailure } from './failures.js';
import { PUSH_OUTBOX_SQL, type RegisteredDevice, registrationOf } from './operations/push-outbox.js';
import { APPLICATION_ID, MIGRATIONS } from './schema.js';

export interface DeviceLookUp {
  readonly namespaceId: Uint8Array;
  readonly agent: Uint8Array;
  readonly device: Uint8Array;
  readonly registration: PushRegistration;
}

const BY_PREFIX =
  'SELECT device FROM devices WHERE authorized = 1 AND hex(substr(ed25519, 1, ?)) = ? LIMIT 2';

/**
 * `prefix`: the first hex digits of the device's key, at least eight: as logs print it.
 * @throws CountersignError `not_found` when there is no such device or no data file, `invalid_request` when there are
 * several, `state_corrupt`, `state_newer`, `state_permissions`, `unavailable`.
 */
export function lookUpDevice(file: string, prefix: string): DeviceLookUp {
  if (!existsSync(file))
    throw new CountersignError('not_found', 'There is no data file with these settings.');
  try {
    const db = new Sqlite(file, { readonly: true, fileMustExist: true });
    try {
      assertReadable(db);
      return find(db, prefix);
    } finally {
      db.close();
    }
  } catch (error) {
    if (error instanceof CountersignError) throw error;
    const { code, message } = openingFailure(error);
    throw new CountersignError(code, message);
  }
}

function assertReadable(db: Database): void {
  if (db.pragma('application_id', { simple: true }) !== APPLICATION_ID) {
    throw new StateFailure('state_corrupt', "The data file is a database, but not a relay's.");
  }
  if (db.pragma('user_version', { simple: true }) !== MIGRATIONS.length) {
    throw new CountersignError(
      'unavailable',
      'The data file is of another version: start this relay once first.',
    );
  }
}

function find(db: Database, prefix: string): DeviceLookUp {
  const found = db.prepare(BY_PREFIX).all(prefix.length / 2, prefix.toUpperCase()) as { device: number }[];
  const [only, another] = found;
  if (only === undefined) throw new CountersignError('not_found', 'There is no such paired device.');
  if (another !== undefined) {
    throw new CountersignError('invalid_request', 'Several devices begin so: give more digits.');
  }
  const row = db.prepare(PUSH_OUTBOX_SQL.device).get(only.device) as RegisteredDevice;
  const owner = db.prepare(PUSH_OUTBOX_SQL.namespace).get(row.ns) as { id: Uint8Array; agent: Uint8Array };
  return {
    namespaceId: owner.id,
    agent: owner.agent,
    device: row.ed25519,
    registration: registrationOf(row),
  };
}

/** Everything that can be asked of an open file, each a plain function that runs inside a transaction of the caller. */
import type { Database } from 'better-sqlite3';
import type { StoreLimits } from '../../../../ports/index.js';
import { DEVICE_SQL, deviceOperations } from './devices.js';
import { HOUSEKEEPING_SQL, housekeepingOperations } from './housekeeping.js';
import { NAMESPACE_SQL, namespaceOperations } from './namespaces.js';
import { PAIRING_SQL, pairingOperations } from './pairing.js';
import { PUSH_OUTBOX_SQL, pushOutboxOperations } from './push-outbox.js';
import { PUSH_REPORT_SQL, pushReportOperations } from './push-reports.js';
import { PUSH_ROW_SQL } from './push-rows.js';
import { QUEUE_SQL, queueOperations } from './queues.js';

export type Operations = ReturnType<typeof createOperations>;
export type OperationName = keyof Operations;

/** Every statement, for the test that reads their query plans. */
export const STATEMENTS: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  namespaces: NAMESPACE_SQL,
  devices: DEVICE_SQL,
  pairing: PAIRING_SQL,
  queues: QUEUE_SQL,
  housekeeping: HOUSEKEEPING_SQL,
  pushRows: PUSH_ROW_SQL,
  pushOutbox: PUSH_OUTBOX_SQL,
  pushReports: PUSH_REPORT_SQL,
};

export function createOperations(db: Database, limits: StoreLimits) {
  return {
    ...namespaceOperations(db, limits),
    ...deviceOperations(db),
    ...pairingOperations(db),
    ...queueOperations(db, limits),
    ...housekeepingOperations(db),
    ...pushOutboxOperations(db),
    ...pushReportOperations(db),
  };
}

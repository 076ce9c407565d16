/** Storage that ends with the process: for tests and for devices that must leave nothing behind. */
import { closedError, emptyRecords, Overlay, Serial } from '../records.js';
import type { Storage, StorageTx } from '../storage.js';

export function memoryStorage(): Storage {
  const serial = new Serial();
  let records = emptyRecords();
  let closed = false;
  const open = () => {
    if (closed) throw closedError();
  };
  return {
    kind: 'memory',
    async transaction<T>(body: (tx: StorageTx) => T | Promise<T>): Promise<T> {
      open();
      return serial.run(async () => {
        const overlay = new Overlay(records);
        const result = await body(overlay);
        records = overlay.merged();
        return result;
      });
    },
    async protect(secret) {
      open();
      return secret.slice();
    },
    async reveal(secret) {
      open();
      return secret.slice();
    },
    async own() {
      open();
    },
    async close() {
      closed = true;
      await serial.idle();
    },
  };
}

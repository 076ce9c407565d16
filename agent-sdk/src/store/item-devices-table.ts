/** What each device was given of an item. Must not know what was in it. */
import type { Sqlite } from './database.js';

export type ItemDevicesTable = ReturnType<typeof itemDevicesTable>;

export function itemDevicesTable(db: Sqlite) {
  const mark = db.prepare(
    `INSERT INTO item_devices (request_id, device, whole) SELECT request_id, ?, 1 FROM items WHERE request_id = ?
     ON CONFLICT (request_id, device) DO UPDATE SET whole = 1`,
  );
  const unmark = db.prepare('UPDATE item_devices SET whole = 0 WHERE request_id = ? AND device = ?');
  const isWhole = db.prepare('SELECT whole FROM item_devices WHERE request_id = ? AND device = ?').pluck();
  const wholeAt = db.prepare('SELECT request_id FROM item_devices WHERE device = ? AND whole = 1').pluck();
  const alerted = db.prepare(
    `INSERT INTO item_devices (request_id, device, alerted) SELECT request_id, ?, 1 FROM items WHERE request_id = ?
     ON CONFLICT (request_id, device) DO UPDATE SET alerted = 1`,
  );
  const alertedDevices = db
    .prepare('SELECT device FROM item_devices WHERE request_id = ? AND alerted = 1')
    .pluck();
  const removeDevice = db.prepare('DELETE FROM item_devices WHERE device = ?');
  return {
    /** The item went out whole to the device. */
    markWhole(requestId: string, device: string): void {
      mark.run(device, requestId);
    },
    /** It turned out that it did not arrive. */
    unmarkWhole(requestId: string, device: string): void {
      unmark.run(requestId, device);
    },
    isWhole: (requestId: string, device: string): boolean => isWhole.get(requestId, device) === 1,
    /** Ids of the items that went out whole to the device. */
    wholeAt: (device: string): Set<string> => new Set(wholeAt.all(device) as string[]),
    markAlerted(requestId: string, device: string): void {
      alerted.run(device, requestId);
    },
    alerted: (requestId: string): string[] => alertedDevices.all(requestId) as string[],
    removeDevice(device: string): void {
      removeDevice.run(device);
    },
  };
}

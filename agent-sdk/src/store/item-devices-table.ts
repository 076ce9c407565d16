/** What each device was given of an item. Must not know what was in it. */
import type { Sqlite } from './database.js';

export type ItemDevicesTable = ReturnType<typeof itemDevicesTable>;

export function itemDevicesTable(db: Sqlite) {
  const shown = db.prepare(
    `INSERT INTO item_devices (request_id, device, shown_digest) SELECT request_id, ?, ? FROM items WHERE request_id = ?
     ON CONFLICT (request_id, device) DO UPDATE SET shown_digest = excluded.shown_digest`,
  );
  const unshow = db.prepare(
    'UPDATE item_devices SET shown_digest = NULL WHERE request_id = ? AND device = ?',
  );
  const digest = db
    .prepare('SELECT shown_digest FROM item_devices WHERE request_id = ? AND device = ?')
    .pluck();
  const shownTo = db
    .prepare('SELECT request_id FROM item_devices WHERE device = ? AND shown_digest IS NOT NULL')
    .pluck();
  const alerted = db.prepare(
    `INSERT INTO item_devices (request_id, device, alerted) SELECT request_id, ?, 1 FROM items WHERE request_id = ?
     ON CONFLICT (request_id, device) DO UPDATE SET alerted = 1`,
  );
  const alertedDevices = db
    .prepare('SELECT device FROM item_devices WHERE request_id = ? AND alerted = 1')
    .pluck();
  const removeDevice = db.prepare('DELETE FROM item_devices WHERE device = ?');
  return {
    /** The item went out whole to the device, carrying this digest. */
    markShown(requestId: string, device: string, itemDigest: string): void {
      shown.run(device, itemDigest, requestId);
    },
    /** It turned out that it did not arrive. */
    unmarkShown(requestId: string, device: string): void {
      unshow.run(requestId, device);
    },
    /** The digest of the whole item as this device got it; undefined when it never did. */
    shownDigest: (requestId: string, device: string): string | undefined =>
      (digest.get(requestId, device) as string | null | undefined) ?? undefined,
    shownTo: (device: string): Set<string> => new Set(shownTo.all(device) as string[]),
    markAlerted(requestId: string, device: string): void {
      alerted.run(device, requestId);
    },
    alerted: (requestId: string): string[] => alertedDevices.all(requestId) as string[],
    removeDevice(device: string): void {
      removeDevice.run(device);
    },
  };
}

/** The first ack of every answer, so that the same answer gets it again (03 §5). Must not know what was answered. */
import type { Sqlite } from './database.js';

/** Above it the oldest acks of a device are forgotten early. */
export const MAX_ANSWERS_PER_DEVICE = 10_000;

export type AnswersTable = ReturnType<typeof answersTable>;

export function answersTable(db: Sqlite, maxPerDevice: number = MAX_ANSWERS_PER_DEVICE) {
  const get = db.prepare('SELECT ack FROM answers WHERE device = ? AND id = ?').pluck();
  const put = db.prepare('INSERT INTO answers (device, id, ack, at) VALUES (?, ?, ?, ?)');
  const trim = db.prepare(
    `DELETE FROM answers WHERE device = @device AND id IN
       (SELECT id FROM answers WHERE device = @device ORDER BY at DESC, id LIMIT -1 OFFSET @keep)`,
  );
  const count = db.prepare('SELECT count(*) FROM answers WHERE device = ?').pluck();
  const purge = db.prepare('DELETE FROM answers WHERE at < ?');
  const removeDevice = db.prepare('DELETE FROM answers WHERE device = ?');
  return {
    /** JSON of the first ack to (device, id). */
    get: (device: string, id: string): string | undefined => get.get(device, id) as string | undefined,
    put(device: string, id: string, ack: string, at: number): void {
      put.run(device, id, ack, at);
      if (Number(count.get(device)) > maxPerDevice) trim.run({ device, keep: maxPerDevice });
    },
    purge: (before: number): number => purge.run(before).changes,
    removeDevice(device: string): void {
      removeDevice.run(device);
    },
  };
}

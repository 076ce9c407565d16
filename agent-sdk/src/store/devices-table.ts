/** What is known of a device beside its keys. Must not know pairing states. */
import type { Sqlite } from './database.js';

export interface DeviceRow {
  /** Ed25519 public key, hex. */
  device: string;
  name: string;
  namedByPerson: number;
  platform: number;
  /** JSON list of features. */
  supports: string;
  privatePreviews: number;
  lastSeenAt: number | null;
}

const COLUMNS = `device, name, named_by_person AS namedByPerson, platform, supports,
  private_previews AS privatePreviews, last_seen_at AS lastSeenAt`;

export type DevicesTable = ReturnType<typeof devicesTable>;

export function devicesTable(db: Sqlite) {
  const upsert = db.prepare(
    `INSERT INTO devices (device, name, platform, supports) VALUES (?, ?, ?, ?)
     ON CONFLICT (device) DO UPDATE SET platform = excluded.platform`,
  );
  const get = db.prepare(`SELECT ${COLUMNS} FROM devices WHERE device = ?`);
  const rename = db.prepare('UPDATE devices SET name = ?, named_by_person = 1 WHERE device = ?');
  const hello = db.prepare(
    `UPDATE devices SET name = CASE WHEN named_by_person THEN name ELSE coalesce(@name, name) END,
       private_previews = @privatePreviews WHERE device = @device`,
  );
  const supports = db.prepare('UPDATE devices SET supports = ? WHERE device = ?');
  const seen = db.prepare('UPDATE devices SET last_seen_at = ? WHERE device = ?');
  const remove = db.prepare('DELETE FROM devices WHERE device = ?');
  return {
    /** Adds the device, or keeps all but the platform of a known one. */
    upsert(device: string, name: string, platform: number, features: readonly string[]): void {
      upsert.run(device, name, platform, JSON.stringify(features));
    },
    get: (device: string): DeviceRow | undefined => get.get(device) as DeviceRow | undefined,
    rename: (device: string, name: string): boolean => rename.run(name, device).changes === 1,
    /** What the device says of itself; a name a person gave stays. */
    describe(device: string, name: string | undefined, privatePreviews: boolean): void {
      hello.run({ device, name: name ?? null, privatePreviews: privatePreviews ? 1 : 0 });
    },
    setSupports(device: string, features: readonly string[]): void {
      supports.run(JSON.stringify(features), device);
    },
    seen(device: string, at: number): void {
      seen.run(at, device);
    },
    /** With all its pairings, their counters and what is held of them. */
    remove: (device: string): boolean => remove.run(device).changes === 1,
  };
}

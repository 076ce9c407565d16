/** Single facts of the state, by name. Must not know more than their names. */
import type { Sqlite } from './database.js';

export type MetaKey =
  | 'namespace_id'
  /** A device was stored at least once: only then may an empty list be authorized (01 §3). */
  | 'had_device'
  /** Authority of a relay whose challenge was seen bound, as a suffix (01 §3). */
  | `bound:${string}`;

export type MetaTable = ReturnType<typeof metaTable>;

export function metaTable(db: Sqlite) {
  const get = db.prepare('SELECT value FROM meta WHERE key = ?').pluck();
  const put = db.prepare(
    'INSERT INTO meta (key, value) VALUES (?, ?) ON CONFLICT (key) DO UPDATE SET value = excluded.value',
  );
  return {
    get: (key: MetaKey): string | undefined => get.get(key) as string | undefined,
    put(key: MetaKey, value: string): void {
      put.run(key, value);
    },
  };
}

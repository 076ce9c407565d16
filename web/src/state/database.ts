/**
 * What the app keeps beside the SDK's storage: settings, names and colours of agents, the history of decisions.
 * Nothing secret. Must not know what the records mean.
 */
import { type DBSchema, type IDBPDatabase, openDB } from 'idb';

export interface AppSchema extends DBSchema {
  /** Single records by name. */
  settings: { key: string; value: unknown };
  /** By pairing id. */
  agents: { key: string; value: unknown };
  /** By the answer's id. */
  history: { key: string; value: unknown };
}

export type AppDatabase = IDBPDatabase<AppSchema>;

const VERSION = 1;
/** Name of the setting that says that a lock stands before the app; the service worker looks at it too. */
export const LOCK_RECORD = 'lock';

/** @throws DOMException when the browser denies storage. */
export function openAppDatabase(name = 'countersign-app'): Promise<AppDatabase> {
  return openDB<AppSchema>(name, VERSION, {
    upgrade(database) {
      for (const store of ['settings', 'agents', 'history'] as const) database.createObjectStore(store);
    },
    // A newer page wants to upgrade: give way, it would wait for ever.
    blocking: (_current, _blocked, event) => (event.target as IDBDatabase).close(),
  });
}

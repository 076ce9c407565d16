/** The relay store on one SQLite file, in its own thread. */
export { backUpSqlite, type SqliteBackup } from './backup.js';
export { type DeviceLookUp, lookUpDevice } from './look-up.js';
export { openSqliteStore, type SqliteStoreOptions } from './sqlite-store.js';

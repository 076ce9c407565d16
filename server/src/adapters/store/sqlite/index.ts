/** The relay store on one SQLite file, in its own thread. */
export { openSqliteStore, type SqliteStoreOptions } from './sqlite-store.js';

/**
 * One process per data file. The lock is SQLite's own exclusive lock on an empty file beside it: it belongs to
 * the process, so it is free the moment the process ends, however it ends, and the data file itself stays
 * readable for backups. Must not know what it guards.
 */
import Sqlite, { type Database } from 'better-sqlite3';
import { StateFailure } from './failures.js';

/** @throws StateFailure `state_locked` when another holds it, in this process or another one. */
export function takeProcessLock(lockFile: string): Database {
  const lock = new Sqlite(lockFile, { timeout: 0 });
  try {
    // Nothing is ever written to it, so it needs no journal file.
    lock.pragma('journal_mode = MEMORY');
    lock.exec('BEGIN EXCLUSIVE');
    return lock;
  } catch (error) {
    lock.close();
    if (!(error as { code?: string }).code?.startsWith('SQLITE_BUSY')) throw error;
    throw new StateFailure(
      'state_locked',
      'Another relay is using this data file. Stop it or choose another file.',
    );
  }
}

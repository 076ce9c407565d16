/**
 * Opens the state database: private file, WAL with `synchronous=FULL` (survives kill -9 and power loss),
 * erased content overwritten, schema brought up to date. Must not know what the tables mean.
 */
import { closeSync, constants, openSync } from 'node:fs';
import { CountersignError } from '@countersign/protocol';
import Database from 'better-sqlite3';
import { MIGRATIONS } from './schema.js';
import { guard } from './sqlite-errors.js';

export type Sqlite = Database.Database;

const BUSY_TIMEOUT_MS = 2_000;

export interface DatabaseOptions {
  /** Upper bound of the file in pages of 4 KiB (`max_page_count`); beyond it writes fail as `storage_full`. */
  maxPages?: number | undefined;
}

/** @throws CountersignError `state_corrupt`, `state_newer`, `state_locked`, `state_permissions`, `storage_full`. */
export function openDatabase(path: string, options: DatabaseOptions = {}): Sqlite {
  return guard(() => {
    createPrivately(path);
    const db = new Database(path, { timeout: BUSY_TIMEOUT_MS });
    try {
      configure(db, options);
      migrate(db);
      return db;
    } catch (error) {
      db.close();
      throw error;
    }
  });
}

/** SQLite gives its side files the mode of the main one, so the first byte is written to a 0600 file. */
function createPrivately(path: string): void {
  try {
    closeSync(openSync(path, constants.O_RDWR | constants.O_CREAT | (constants.O_NOFOLLOW ?? 0), 0o600));
  } catch (cause) {
    throw new CountersignError(
      'state_permissions',
      `${path} cannot be opened for writing. Give this user access to it.`,
      { cause },
    );
  }
}

function configure(db: Sqlite, options: DatabaseOptions): void {
  if (db.pragma('quick_check(1)', { simple: true }) !== 'ok') throw corrupt();
  db.pragma('journal_mode = WAL');
  db.pragma('synchronous = FULL');
  db.pragma('secure_delete = ON');
  db.pragma('foreign_keys = ON');
  db.pragma('temp_store = MEMORY');
  if (options.maxPages !== undefined) db.pragma(`max_page_count = ${Math.trunc(options.maxPages)}`);
}

function migrate(db: Sqlite): void {
  const version = Number(db.pragma('user_version', { simple: true }));
  if (version > MIGRATIONS.length) throw newer(version);
  for (let next = version; next < MIGRATIONS.length; next++) {
    db.transaction(() => {
      db.exec(MIGRATIONS[next] ?? '');
      db.pragma(`user_version = ${next + 1}`);
    }).immediate();
  }
}

function corrupt(): CountersignError {
  return new CountersignError(
    'state_corrupt',
    'The state file is damaged; it was left as it is. Restore the directory from a backup, or remove it and pair again.',
  );
}

function newer(version: number): CountersignError {
  return new CountersignError(
    'state_newer',
    `The state was written by a newer version (schema ${version}, this one knows ${MIGRATIONS.length}). Update this program.`,
    { details: { found: version, known: MIGRATIONS.length } },
  );
}

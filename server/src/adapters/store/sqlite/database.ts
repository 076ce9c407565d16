/**
 * Opens the relay's file: private to its owner, held by one process, whole, of a version this program knows, and
 * durable at each commit. Must not know what is stored.
 */
import { chmodSync, closeSync, existsSync, mkdirSync, openSync, realpathSync, statSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import Sqlite, { type Database } from 'better-sqlite3';
import { StateFailure } from './failures.js';
import { takeProcessLock } from './process-lock.js';
import { migrate } from './schema.js';

export interface DatabaseOptions {
  readonly file: string;
  /** Largest size in pages of 4,096 bytes; SQLite's own limit when absent. */
  readonly maxPageCount?: number | undefined;
}

export interface OpenDatabase {
  readonly db: Database;
  close(): void;
}

/** How long a commit waits for a reader of the same file, such as a backup. */
const BUSY_TIMEOUT_MS = 5000;
/** Files up to this size are checked whole at each start; larger ones page by page as they are used. */
export const FULL_CHECK_MAX_BYTES = 64 * 1024 * 1024;
/** The log of writes is cut back to this after a checkpoint. */
const WAL_SIZE_LIMIT_BYTES = 64 * 1024 * 1024;
/**
 * Pages (16 MiB) after which it is carried over into the file. SQLite's own 1,000 are a few commits of a busy relay,
 * each of which writes mostly the same pages of the indexes.
 */
const CHECKPOINT_PAGES = 4_000;
const OWNER_ONLY = 0o600;

/** @throws StateFailure, or an error of SQLite or the file system; nothing stays open then. */
export function openDatabase(options: DatabaseOptions): OpenDatabase {
  const file = claimFile(resolve(options.file));
  const lockFile = claimFile(`${file}.lock`);
  const lock = takeProcessLock(lockFile);
  try {
    const db = openLocked(file, options.maxPageCount);
    return { db, close: () => closeBoth(db, lock) };
  } catch (error) {
    lock.close();
    throw error;
  }
}

/**
 * Creates the file if need be and takes it from everybody else; SQLite gives `-wal` and `-shm` the same mode.
 * A file that exists is never opened here: closing it would drop the locks this process may hold on it
 * (POSIX fcntl).
 */
function claimFile(path: string): string {
  mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
  if (!existsSync(path)) closeSync(openSync(path, 'wx', OWNER_ONLY));
  const file = realpathSync(path);
  if (!statSync(file).isFile())
    throw new StateFailure('state_corrupt', "The relay's data file is not a file.");
  for (const each of [file, `${file}-wal`, `${file}-shm`]) {
    if (existsSync(each) && (statSync(each).mode & 0o777) !== OWNER_ONLY) chmodSync(each, OWNER_ONLY);
  }
  return file;
}

function openLocked(file: string, maxPageCount: number | undefined): Database {
  const db = new Sqlite(file, { timeout: BUSY_TIMEOUT_MS });
  try {
    configure(db, maxPageCount);
    checkWhole(db, file);
    migrate(db);
    return db;
  } catch (error) {
    db.close();
    throw error;
  }
}

function configure(db: Database, maxPageCount: number | undefined): void {
  if (db.pragma('journal_mode = WAL', { simple: true }) !== 'wal') {
    throw new StateFailure(
      'state_permissions',
      'The file system of the data file does not allow a write-ahead log.',
    );
  }
  db.pragma('synchronous = FULL');
  db.pragma('foreign_keys = ON');
  db.pragma('secure_delete = FAST');
  db.pragma(`wal_autocheckpoint = ${CHECKPOINT_PAGES}`);
  db.pragma(`journal_size_limit = ${WAL_SIZE_LIMIT_BYTES}`);
  if (maxPageCount !== undefined) db.pragma(`max_page_count = ${Math.floor(maxPageCount)}`);
}

function checkWhole(db: Database, file: string): void {
  if (statSync(file).size > FULL_CHECK_MAX_BYTES) return;
  if (db.pragma('quick_check(1)', { simple: true }) !== 'ok') {
    throw new StateFailure('state_corrupt', "The relay's data file is damaged. Restore it from a backup.");
  }
}

function closeBoth(db: Database, lock: Database): void {
  try {
    db.close();
  } finally {
    lock.close();
  }
}

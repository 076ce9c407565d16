/**
 * A copy of the relay's file as it was at one moment, made while a relay goes on writing to it. Must not know what
 * is stored.
 */
import { chmodSync, closeSync, existsSync, fsyncSync, linkSync, openSync, rmSync, statSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import { CountersignError } from '@countersign/protocol';
import Sqlite, { type Database } from 'better-sqlite3';
import { openingFailure, StateFailure } from './failures.js';
import { APPLICATION_ID } from './schema.js';

const OWNER_ONLY = 0o600;
/** Copied at a time; in between the program does whatever else it has to. */
const PAGES_PER_STEP = 2_000;

export interface SqliteBackup {
  readonly bytes: number;
}

/**
 * Writes `to`, readable by its owner only and whole or not at all. A file that exists is never touched.
 * @throws CountersignError `invalid_request` when `to` exists, `not_found` when `from` does not, `state_corrupt` when
 * it is no relay's, `state_permissions`, `unavailable`; `to` is not there then.
 */
export async function backUpSqlite(from: string, to: string): Promise<SqliteBackup> {
  const target = resolve(to);
  if (existsSync(target)) throw new CountersignError('invalid_request', 'The backup file exists already.');
  if (!existsSync(from)) throw new CountersignError('not_found', 'There is no data file to back up.');
  const part = `${target}.${process.pid}.part`;
  try {
    await copy(resolve(from), part);
    // Unlike a rename, a link fails when somebody else has made the file meanwhile.
    linkSync(part, target);
    syncDirectory(dirname(target));
    return { bytes: statSync(target).size };
  } catch (error) {
    throw failureOf(error);
  } finally {
    for (const end of ['', '-journal', '-wal', '-shm']) rmSync(`${part}${end}`, { force: true });
  }
}

async function copy(from: string, part: string): Promise<void> {
  closeSync(openSync(part, 'wx', OWNER_ONLY));
  const db = new Sqlite(from, { readonly: true, fileMustExist: true });
  try {
    assertOurs(db);
    // A reader keeps its moment; without one each commit of the relay would make the copy begin anew.
    db.exec('BEGIN');
    db.prepare('SELECT count(*) FROM settings').get();
    await db.backup(part, { progress: () => PAGES_PER_STEP });
  } finally {
    db.close();
  }
  finish(part);
}

function assertOurs(db: Database): void {
  if (db.pragma('application_id', { simple: true }) === APPLICATION_ID) return;
  throw new StateFailure('state_corrupt', "The data file is a database, but not a relay's.");
}

/** One file that needs no other beside it, checked, and on disk. */
function finish(part: string): void {
  const db = new Sqlite(part);
  try {
    db.pragma('journal_mode = DELETE');
    if (db.pragma('quick_check(1)', { simple: true }) !== 'ok') {
      throw new StateFailure('state_corrupt', 'The copy is damaged; so may be the data file.');
    }
  } finally {
    db.close();
  }
  chmodSync(part, OWNER_ONLY);
  sync(part);
}

function sync(path: string): void {
  const handle = openSync(path, 'r');
  try {
    fsyncSync(handle);
  } finally {
    closeSync(handle);
  }
}

/** A new name is durable only once its directory is. */
function syncDirectory(path: string): void {
  if (process.platform !== 'win32') sync(path);
}

function failureOf(error: unknown): CountersignError {
  if (error instanceof CountersignError) return error;
  if ((error as { code?: unknown }).code === 'EEXIST') {
    return new CountersignError('invalid_request', 'The backup file exists already.');
  }
  const { code, message, cause } = openingFailure(error);
  return new CountersignError(code, message, cause === undefined ? {} : { details: { cause } });
}

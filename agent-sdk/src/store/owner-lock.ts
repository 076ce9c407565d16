/**
 * One owner per state directory. The lock is SQLite's exclusive lock on the file `lock`, held for life; the
 * kernel frees it when the process ends, however it ends. `owner.json` only says who holds it.
 * Must not know what the directory holds.
 */
import { readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { CountersignError } from '@countersign/protocol';
import Database from 'better-sqlite3';
import { translated } from './sqlite-errors.js';

/** How long a starting owner waits for one that is just ending. */
const LOCK_WAIT_MS = 200;
const LOCK_FILE = 'lock';
const OWNER_FILE = 'owner.json';

export interface OwnerLock {
  /** Idempotent. */
  release(): void;
}

/** @throws CountersignError `directory_in_use` with details `{pid, program, since}`. */
export function lockDirectory(dir: string): OwnerLock {
  const path = join(dir, LOCK_FILE);
  const db = openLockFile(dir, path);
  try {
    // Readers of the WAL's shared memory are no concern here: the file stays empty and in rollback mode.
    db.pragma('locking_mode = EXCLUSIVE');
    db.exec('BEGIN EXCLUSIVE');
  } catch (error) {
    db.close();
    const known = translated(error);
    throw known instanceof CountersignError && known.code === 'state_locked' ? inUse(dir) : known;
  }
  writeOwner(dir);
  return { release: () => release(dir, db) };
}

function openLockFile(dir: string, path: string): Database.Database {
  try {
    writeFileSync(path, '', { mode: 0o600, flag: 'a' });
    return new Database(path, { timeout: LOCK_WAIT_MS });
  } catch (cause) {
    throw new CountersignError(
      'state_permissions',
      `${dir} cannot be written. Give this user access to it.`,
      {
        cause,
      },
    );
  }
}

function release(dir: string, db: Database.Database): void {
  if (!db.open) return;
  rmSync(join(dir, OWNER_FILE), { force: true });
  db.close();
}

function writeOwner(dir: string): void {
  const owner = {
    pid: process.pid,
    program: basename(process.argv[1] ?? process.title),
    since: new Date().toISOString(),
  };
  const next = join(dir, `${OWNER_FILE}.${process.pid}`);
  writeFileSync(next, JSON.stringify(owner), { mode: 0o600 });
  renameSync(next, join(dir, OWNER_FILE));
}

function readOwner(dir: string): { pid: number; program: string; since: string } {
  let found: Record<string, unknown> = {};
  try {
    const value: unknown = JSON.parse(readFileSync(join(dir, OWNER_FILE), 'utf8'));
    if (typeof value === 'object' && value !== null) found = value as Record<string, unknown>;
  } catch {
    // Nobody wrote it yet, or not whole: the lock alone decides.
  }
  return {
    pid: typeof found.pid === 'number' ? found.pid : 0,
    program: typeof found.program === 'string' ? found.program : 'another program',
    since: typeof found.since === 'string' ? found.since : 'unknown',
  };
}

function inUse(dir: string): CountersignError {
  const { pid, program, since } = readOwner(dir);
  return new CountersignError(
    'directory_in_use',
    `${dir} is in use by ${program} (process ${pid}, since ${since}). End it, or use another directory.`,
    { details: { pid, program, since } },
  );
}

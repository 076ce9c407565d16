/**
 * Turns what SQLite reports into the errors of the catalogue, so that no caller knows SQLite.
 * Must not know any table.
 */
import { CountersignError, type ErrorCode } from '@countersign/protocol';
import Database from 'better-sqlite3';

const ADVICE: ReadonlyArray<readonly [prefix: string, code: ErrorCode, advice: string]> = [
  ['SQLITE_FULL', 'storage_full', 'The disk is full. Nothing was lost: free some space and try again.'],
  ['SQLITE_IOERR', 'storage_full', 'The state could not be written. Check the disk, then try again.'],
  [
    'SQLITE_CORRUPT',
    'state_corrupt',
    'The state file is damaged; it was left as it is. Restore the directory from a backup, or remove it and pair again.',
  ],
  [
    'SQLITE_NOTADB',
    'state_corrupt',
    'The state file is no database; it was left as it is. Restore the directory from a backup, or remove it and pair again.',
  ],
  ['SQLITE_BUSY', 'state_locked', 'Another program holds the state file. End it, then try again.'],
  ['SQLITE_LOCKED', 'state_locked', 'Another program holds the state file. End it, then try again.'],
  [
    'SQLITE_READONLY',
    'state_permissions',
    'The state file cannot be written. Give this user write access to the directory.',
  ],
  [
    'SQLITE_CANTOPEN',
    'state_permissions',
    'The state file cannot be opened. Give this user access to the directory.',
  ],
  ['SQLITE_PERM', 'state_permissions', 'The state file cannot be opened. Give this user access to it.'],
];

/** The error itself unless it came from SQLite and has a name in the catalogue. */
export function translated(error: unknown): unknown {
  if (!(error instanceof Database.SqliteError)) return error;
  const row = ADVICE.find(([prefix]) => error.code === prefix || error.code.startsWith(`${prefix}_`));
  return row === undefined ? error : new CountersignError(row[1], row[2], { details: { cause: error.code } });
}

/** Runs `work`; what SQLite throws leaves translated. */
export function guard<T>(work: () => T): T {
  try {
    return work();
  } catch (error) {
    throw translated(error);
  }
}

/** The same object with every method guarded. */
export function guarded<T extends object>(methods: T): T {
  const entries = Object.entries(methods).map(([name, value]) => [
    name,
    typeof value === 'function' ? (...args: unknown[]) => guard(() => value(...args)) : value,
  ]);
  return Object.fromEntries(entries) as T;
}

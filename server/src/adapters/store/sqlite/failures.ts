/**
 * What a failure of SQLite or of the file system means to the relay, as plain data that crosses a thread.
 * Must not know who asked; texts name no row, key or value.
 */
import type { ErrorCode } from '@countersign/protocol';

export interface Failure {
  readonly code: ErrorCode;
  readonly message: string;
  /** Name of the system's own error, for the log. */
  readonly cause?: string;
}

/** A failure the relay raises itself while it opens its file. */
export class StateFailure extends Error {
  readonly code: ErrorCode;

  constructor(code: ErrorCode, message: string) {
    super(message);
    this.code = code;
  }
}

/** Beginning of the system's code → what it means while the file is opened. */
const OPENING: readonly (readonly [RegExp, ErrorCode, string])[] = [
  [/^SQLITE_(NOTADB|CORRUPT)/, 'state_corrupt', "The relay's data file is damaged or not a database."],
  [/^SQLITE_(BUSY|LOCKED)/, 'state_locked', "The relay's data file is in use by another program."],
  [/^(SQLITE_FULL|ENOSPC|EDQUOT)/, 'unavailable', "There is no space left for the relay's data file."],
  [
    /^(SQLITE_(CANTOPEN|READONLY|PERM)|E(ACCES|PERM|ROFS|NOTDIR|EXIST|LOOP))/,
    'state_permissions',
    "The relay's data file cannot be opened for writing.",
  ],
];

export function openingFailure(error: unknown): Failure {
  if (error instanceof StateFailure) return { code: error.code, message: error.message };
  const cause = systemCode(error);
  const known = OPENING.find(([pattern]) => pattern.test(cause));
  if (known !== undefined) return { code: known[1], message: known[2], cause };
  return { code: 'unavailable', message: "The relay's data file cannot be opened.", cause };
}

/** A request that failed on an open file: nothing of it is kept. */
export function requestFailure(error: unknown): Failure {
  if (error instanceof StateFailure) return { code: error.code, message: error.message };
  const cause = systemCode(error);
  const message = cause.startsWith('SQLITE_FULL') ? 'The store is full.' : 'The store could not do this.';
  return { code: 'unavailable', message, cause };
}

function systemCode(error: unknown): string {
  const code = (error as { code?: unknown } | undefined)?.code;
  if (typeof code === 'string') return code;
  return error instanceof Error ? error.name : 'unknown';
}

/**
 * Tells a failing disk or database from a failing handler: the former passes, and must never cost a message.
 * Must not know any store; it goes by the codes and names stores are known to use.
 */
import { CountersignError, type ErrorCode } from '../frames/index.js';

/** The store could not do its part, through no fault of the message. */
export class StorageFailure extends Error {
  override readonly name = 'StorageFailure';
}

const CATALOGUE: ReadonlySet<ErrorCode> = new Set([
  'storage_full',
  'state_locked',
  'state_corrupt',
  'state_newer',
  'state_permissions',
  'queue_full',
  'unavailable',
  'timeout',
  'closed',
]);

/** SQLite result codes (extended ones begin with these) and errno names. */
const DATABASE_CODE =
  /^(SQLITE_(FULL|BUSY|LOCKED|IOERR|CORRUPT|NOTADB|READONLY|CANTOPEN|NOMEM|PROTOCOL)|ENOSPC|EIO|EROFS|EACCES|EMFILE|ENFILE|EDQUOT)/;

/** Indexed Database API 3.0, section 9, and what a closing or full database raises. */
const DOM_NAME = new Set([
  'AbortError',
  'QuotaExceededError',
  'InvalidStateError',
  'TransactionInactiveError',
  'UnknownError',
  'TimeoutError',
]);

export function isStorageFailure(error: unknown): boolean {
  if (error instanceof StorageFailure) return true;
  if (error instanceof CountersignError) return CATALOGUE.has(error.code);
  const { code, name } = (error ?? {}) as { code?: unknown; name?: unknown };
  return (
    (typeof code === 'string' && DATABASE_CODE.test(code)) || (typeof name === 'string' && DOM_NAME.has(name))
  );
}

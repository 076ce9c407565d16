/**
 * What a button carries: a short random handle that only we can read, never an id or a name (06 §1, rule 8). Must not
 * know what it stands for.
 */
import { CountersignError } from '../../frames/index.js';

/** Characters of a handle; Telegram takes 64 bytes of callback data, Discord a `custom_id` of 100. */
export const HANDLE_CHARS = 22;
/** Guessing one is hopeless. */
const HANDLE_BYTES = 16;
const ALPHABET = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_';

export interface HandleOptions {
  /** Bytes nobody can foresee. */
  readonly randomBytes: (length: number) => Uint8Array;
  /** Milliseconds of any origin that do not go back. */
  readonly now: () => number;
  /** A handle means nothing after this. */
  readonly ttlMs: number;
  /** With more than this the oldest mean nothing. */
  readonly maxHandles: number;
}

/** In memory: after a restart old buttons are dead, and the item is posted anew. */
export interface Handles<T> {
  /** A new handle, also for a value that has one. */
  issue(value: T): string;
  /** What it stands for; undefined for a stranger's, an old or a forgotten one. Never throws. */
  resolve(handle: unknown): T | undefined;
  /** Forgets all that stand for such values, as when an item has ended. */
  forget(ended: (value: T) => boolean): void;
  readonly size: number;
}

/** @throws CountersignError `invalid_request` for limits that no handle fits into. */
export function createHandles<T>({ randomBytes, now, ttlMs, maxHandles }: HandleOptions): Handles<T> {
  if (!(ttlMs > 0 && maxHandles >= 1)) {
    throw new CountersignError('invalid_request', 'Handles need a time and room to live.');
  }
  const known = new Map<string, { readonly value: T; readonly until: number }>();
  const dropOld = () => {
    for (const [handle, { until }] of known) {
      if (until > now() && known.size <= maxHandles) return;
      known.delete(handle);
    }
  };
  return {
    issue(value) {
      const handle = base64url(randomBytes(HANDLE_BYTES));
      known.set(handle, { value, until: now() + ttlMs });
      dropOld();
      return handle;
    },
    resolve(handle) {
      const found = typeof handle === 'string' ? known.get(handle) : undefined;
      return found !== undefined && found.until > now() ? found.value : undefined;
    },
    forget(ended) {
      for (const [handle, { value }] of known) if (ended(value)) known.delete(handle);
    },
    get size() {
      return known.size;
    },
  };
}

/** RFC 4648 §5, without padding. */
function base64url(bytes: Uint8Array): string {
  let bits = 0;
  let count = 0;
  let text = '';
  for (const byte of bytes) {
    bits = (bits << 8) | byte;
    for (count += 8; count >= 6; count -= 6) text += ALPHABET[(bits >> (count - 6)) & 63];
    bits &= 0xff;
  }
  return count > 0 ? text + ALPHABET[(bits << (6 - count)) & 63] : text;
}

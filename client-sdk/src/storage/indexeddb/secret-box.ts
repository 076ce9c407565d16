/**
 * Wraps seeds under an AES-256-GCM key that Web Crypto never gives out (02 §1), so that a copy of the
 * database is not a copy of the keys. Where the runtime cannot keep such a key, secrets rest as they are.
 * Must not know what the secrets are for.
 */
import { CountersignError } from '@countersign/protocol';
import type { IDBPDatabase } from 'idb';
import { SECRET_MAX_BYTES } from '../storage.js';

export const WRAPPING_STORE = 'wrapping';
const KEY_NAME = 'seed-key';
const NONCE_BYTES = 12;
const PLAIN = 0;
const WRAPPED = 1;

export interface SecretBox {
  wrap(secret: Uint8Array): Promise<Uint8Array>;
  unwrap(wrapped: Uint8Array): Promise<Uint8Array>;
}

export async function openSecretBox(database: IDBPDatabase): Promise<SecretBox> {
  const key = await wrappingKey(database);
  return {
    async wrap(secret) {
      if (secret.length > SECRET_MAX_BYTES) throw new CountersignError('invalid_request', 'secret too long');
      return key === undefined ? Uint8Array.of(PLAIN, ...secret) : seal(key, secret);
    },
    async unwrap(wrapped) {
      if (wrapped[0] === PLAIN) return wrapped.slice(1);
      const secret = wrapped[0] === WRAPPED && key !== undefined ? await open(key, wrapped) : undefined;
      if (secret !== undefined) return secret;
      throw new CountersignError(
        'state_corrupt',
        'The saved keys cannot be opened in this browser profile. Clear this site and pair again.',
      );
    },
  };
}

/** The stored key, or a new one; undefined where there is no Web Crypto or it cannot be stored. */
async function wrappingKey(database: IDBPDatabase): Promise<CryptoKey | undefined> {
  const stored: unknown = await database.get(WRAPPING_STORE, KEY_NAME);
  if (stored !== undefined) return stored as CryptoKey;
  const made = await newKey();
  if (made === undefined) return undefined;
  try {
    return await storeFirst(database, made);
  } catch (error) {
    if ((error as Error).name === 'DataCloneError') return undefined;
    throw error;
  }
}

async function newKey(): Promise<CryptoKey | undefined> {
  // Absent on pages that are not a secure context.
  const subtle: SubtleCrypto | undefined = globalThis.crypto?.subtle;
  return subtle?.generateKey({ name: 'AES-GCM', length: 256 }, false, ['encrypt', 'decrypt']);
}

/** Two contexts may open for the first time at once: whichever stores first wins. */
async function storeFirst(database: IDBPDatabase, made: CryptoKey): Promise<CryptoKey> {
  const transaction = database.transaction(WRAPPING_STORE, 'readwrite', { durability: 'strict' });
  transaction.done.catch(() => undefined);
  const earlier: unknown = await transaction.store.get(KEY_NAME);
  if (earlier === undefined) await transaction.store.put(made, KEY_NAME);
  await transaction.done;
  return (earlier as CryptoKey | undefined) ?? made;
}

async function seal(key: CryptoKey, secret: Uint8Array): Promise<Uint8Array> {
  const iv = crypto.getRandomValues(new Uint8Array(NONCE_BYTES));
  const sealed = await crypto.subtle.encrypt({ name: 'AES-GCM', iv }, key, secret.slice());
  return Uint8Array.of(WRAPPED, ...iv, ...new Uint8Array(sealed));
}

async function open(key: CryptoKey, wrapped: Uint8Array): Promise<Uint8Array | undefined> {
  const iv = wrapped.slice(1, 1 + NONCE_BYTES);
  try {
    const data = wrapped.slice(1 + NONCE_BYTES);
    return new Uint8Array(await crypto.subtle.decrypt({ name: 'AES-GCM', iv }, key, data));
  } catch {
    return undefined;
  }
}

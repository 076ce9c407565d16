/**
 * What a device keeps: pairings (keys), channel counters and windows, inbox state, answers not yet
 * confirmed. A small transactional record store, so that memory, a file and IndexedDB can all be it.
 * Must not know what the records mean.
 */

export type StorageValue = unknown;

/** Records live in named collections, keyed by string, ordered by key (UTF-16 code units). */
export interface StorageTx {
  /** A copy of the record, or undefined. */
  get(collection: Collection, key: string): StorageValue | Promise<StorageValue>;
  put(collection: Collection, key: string, value: StorageValue): void | Promise<void>;
  /** A missing key is no error. */
  delete(collection: Collection, key: string): void | Promise<void>;
  /** Ascending by key, keys that start with `prefix`. */
  list(
    collection: Collection,
    prefix?: string,
  ): Array<[string, StorageValue]> | Promise<Array<[string, StorageValue]>>;
}

/** Fixed names: an implementation creates them all. Values are structured-cloneable JSON plus Uint8Array. */
export const COLLECTIONS = ['pairings', 'channels', 'outbox', 'answers', 'inbox', 'alerts', 'meta'] as const;

export type Collection = (typeof COLLECTIONS)[number];

export interface Storage {
  readonly kind: 'memory' | 'file' | 'indexeddb';
  /**
   * One atomic transaction, serial with every other, durable when the promise resolves. The body
   * awaits nothing but `tx` (an IndexedDB transaction ends at the first foreign await) and starts no
   * other transaction. A body that throws leaves everything as it was.
   *
   * @throws CountersignError `closed`, `storage_full`, `state_corrupt`.
   */
  transaction<T>(body: (tx: StorageTx) => T | Promise<T>): Promise<T>;
  /**
   * Makes a secret (at most {@link SECRET_MAX_BYTES}) fit to rest in a record: wrapped where the runtime
   * has a key that cannot be read out, as it is where file permissions protect it. Outside transactions only.
   */
  protect(secret: Uint8Array): Promise<Uint8Array>;
  /** The secret again. @throws CountersignError `state_corrupt` when it cannot be opened. */
  reveal(protectedSecret: Uint8Array): Promise<Uint8Array>;
  /**
   * Resolves once no other context may connect with these pairings, and keeps them out until `close`: two
   * connections of one device push each other away. `onWaiting` is called when another context has them now.
   * Never resolves after `close`.
   */
  own(onWaiting: () => void): Promise<void>;
  /** Waits for transactions under way. Idempotent; later calls of the others throw `closed`. */
  close(): Promise<void>;
}

/** Seeds are 32 bytes; nothing else is wrapped. */
export const SECRET_MAX_BYTES = 64;

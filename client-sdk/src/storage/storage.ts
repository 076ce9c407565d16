/**
 * What a device keeps: pairings (keys), channel counters and windows, inbox state, answers not yet
 * confirmed. A small transactional record store, so that memory, a file and IndexedDB can all be it.
 */

export type StorageValue = unknown;

/** Records live in named collections, keyed by string, ordered by key (UTF-16 code units). */
export interface StorageTx {
  get(collection: Collection, key: string): StorageValue | Promise<StorageValue>;
  put(collection: Collection, key: string, value: StorageValue): void | Promise<void>;
  delete(collection: Collection, key: string): void | Promise<void>;
  /** Ascending by key, keys that start with `prefix`. */
  list(collection: Collection, prefix?: string): Array<[string, StorageValue]> | Promise<Array<[string, StorageValue]>>;
}

/** Fixed names: an implementation creates them all. Values are structured-cloneable JSON plus Uint8Array. */
export type Collection = 'pairings' | 'channels' | 'outbox' | 'answers' | 'inbox' | 'alerts' | 'meta';

export interface Storage {
  readonly kind: 'memory' | 'file' | 'indexeddb';
  /**
   * One atomic transaction, serial with every other, durable when the promise resolves. The body
   * awaits nothing but `tx`. A body that throws leaves everything as it was.
   */
  transaction<T>(body: (tx: StorageTx) => T | Promise<T>): Promise<T>;
  close(): Promise<void>;
}

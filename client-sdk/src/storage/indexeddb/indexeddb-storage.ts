/**
 * Storage in IndexedDB, every write with `durability: 'strict'`. Transactions of all contexts of an origin
 * are serial, because each spans every collection. Must not know what the records mean.
 */
import { CountersignError } from '@countersign/protocol';
import { type IDBPDatabase, type IDBPTransaction, openDB } from 'idb';
import { closedError } from '../records.js';
import { COLLECTIONS, type Collection, type Storage, type StorageTx, type StorageValue } from '../storage.js';
import { openSecretBox, type SecretBox, WRAPPING_STORE } from './secret-box.js';
import { type WebLock, webLock } from './web-lock.js';

export interface IndexedDbStorageOptions {
  /** Name of the database. Default `countersign`. */
  name?: string | undefined;
}

const VERSION = 1;
type Transaction = IDBPTransaction<unknown, Collection[], 'readwrite'>;

/** @throws CountersignError `state_newer`, `unavailable` when the browser denies storage. */
export async function indexedDbStorage(options: IndexedDbStorageOptions = {}): Promise<Storage> {
  const database = await openDatabase(options.name ?? 'countersign');
  const box = await openSecretBox(database);
  return new IndexedDbStorage(database, box, webLock(`countersign:${database.name}`));
}

async function openDatabase(name: string): Promise<IDBPDatabase> {
  try {
    return await openDB(name, VERSION, {
      upgrade(database) {
        for (const collection of COLLECTIONS) database.createObjectStore(collection);
        database.createObjectStore(WRAPPING_STORE);
      },
      // A newer page wants to upgrade: give way, it would wait for ever.
      blocking: (_current, _blocked, event) => (event.target as IDBDatabase).close(),
    });
  } catch (error) {
    throw storageError(error);
  }
}

class IndexedDbStorage implements Storage {
  readonly kind = 'indexeddb';
  readonly #database: IDBPDatabase;
  readonly #box: SecretBox;
  readonly #lock: WebLock;
  #closed = false;

  constructor(database: IDBPDatabase, box: SecretBox, lock: WebLock) {
    this.#database = database;
    this.#box = box;
    this.#lock = lock;
  }

  async transaction<T>(body: (tx: StorageTx) => T | Promise<T>): Promise<T> {
    if (this.#closed) throw closedError();
    const transaction = this.#begin();
    // Both ends of a failure are handled below; without this an abort is also an unhandled rejection.
    transaction.done.catch(() => undefined);
    const result = await this.#run(transaction, body);
    try {
      await transaction.done;
    } catch (error) {
      throw storageError(error);
    }
    return result;
  }

  async protect(secret: Uint8Array): Promise<Uint8Array> {
    if (this.#closed) throw closedError();
    return this.#box.wrap(secret);
  }

  async reveal(secret: Uint8Array): Promise<Uint8Array> {
    if (this.#closed) throw closedError();
    return this.#box.unwrap(secret);
  }

  async own(onWaiting: () => void): Promise<void> {
    if (this.#closed) throw closedError();
    await this.#lock.acquire(onWaiting);
  }

  async close(): Promise<void> {
    this.#closed = true;
    this.#lock.release();
    this.#database.close();
  }

  #begin(): Transaction {
    try {
      return this.#database.transaction([...COLLECTIONS], 'readwrite', { durability: 'strict' });
    } catch (error) {
      throw storageError(error);
    }
  }

  async #run<T>(transaction: Transaction, body: (tx: StorageTx) => T | Promise<T>): Promise<T> {
    try {
      return await body(txOver(transaction));
    } catch (error) {
      abort(transaction);
      throw error instanceof DOMException ? bodyError(error) : error;
    }
  }
}

function txOver(transaction: Transaction): StorageTx {
  return {
    get: (collection, key) => transaction.objectStore(collection).get(key),
    put: async (collection, key, value) => {
      await transaction.objectStore(collection).put(value, key);
    },
    delete: (collection, key) => transaction.objectStore(collection).delete(key),
    async list(collection, prefix = '') {
      const found: Array<[string, StorageValue]> = [];
      let cursor = await transaction.objectStore(collection).openCursor(IDBKeyRange.lowerBound(prefix));
      while (cursor !== null && String(cursor.key).startsWith(prefix)) {
        found.push([String(cursor.key), cursor.value]);
        cursor = await cursor.continue();
      }
      return found;
    },
  };
}

function abort(transaction: Transaction): void {
  try {
    transaction.abort();
  } catch {
    // It has ended by itself, which is what an abort wants.
  }
}

/** Inside a body: a transaction that is over was left waiting for something else. */
function bodyError(error: DOMException): CountersignError {
  const isOver = error.name === 'TransactionInactiveError' || error.name === 'InvalidStateError';
  if (!isOver) return storageError(error);
  return new CountersignError('invalid_request', 'a storage transaction awaited something other than itself');
}

function storageError(error: unknown): CountersignError {
  const name = error instanceof Error ? error.name : 'unknown';
  if (name === 'QuotaExceededError') {
    return new CountersignError(
      'storage_full',
      'The browser has no more room for this site. Nothing was changed.',
    );
  }
  if (name === 'VersionError') {
    return new CountersignError(
      'state_newer',
      'The saved data is of a newer version of this app. Reload the page.',
    );
  }
  if (name === 'InvalidStateError') return closedError();
  return new CountersignError('unavailable', `The browser's storage failed (${name}).`, {
    details: { cause: name },
  });
}

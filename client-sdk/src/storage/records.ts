/**
 * Records in memory with transactions by overlay: what memory and file storage share.
 * Must not know where, or whether, a commit is written.
 */
import { CountersignError } from '@countersign/protocol';
import { COLLECTIONS, type Collection, type StorageTx, type StorageValue } from './storage.js';

export type Records = Map<Collection, Map<string, StorageValue>>;

export function emptyRecords(): Records {
  return new Map(COLLECTIONS.map((name) => [name, new Map()]));
}

const DELETED = Symbol('deleted');

/** A transaction over `base`; nothing reaches it before {@link Overlay.merged}. */
export class Overlay implements StorageTx {
  readonly #base: Records;
  readonly #changes = new Map<Collection, Map<string, StorageValue>>();

  constructor(base: Records) {
    this.#base = base;
  }

  get changed(): boolean {
    return this.#changes.size > 0;
  }

  get(collection: Collection, key: string): StorageValue {
    const changes = this.#changes.get(collection);
    const value = changes?.has(key) ? changes.get(key) : recordsOf(this.#base, collection).get(key);
    return value === DELETED ? undefined : structuredClone(value);
  }

  put(collection: Collection, key: string, value: StorageValue): void {
    this.#set(collection, key, structuredClone(value));
  }

  delete(collection: Collection, key: string): void {
    this.#set(collection, key, DELETED);
  }

  list(collection: Collection, prefix = ''): Array<[string, StorageValue]> {
    const keys = new Set(recordsOf(this.#base, collection).keys());
    for (const key of this.#changes.get(collection)?.keys() ?? []) keys.add(key);
    return [...keys]
      .filter((key) => key.startsWith(prefix))
      .toSorted(byCodeUnits)
      .map((key): [string, StorageValue] => [key, this.get(collection, key)])
      .filter(([, value]) => value !== undefined);
  }

  /** The base with the changes applied; the base itself stays as it was. */
  merged(): Records {
    const next: Records = new Map(this.#base);
    for (const [collection, changes] of this.#changes) {
      const records = new Map(recordsOf(this.#base, collection));
      for (const [key, value] of changes) {
        if (value === DELETED) records.delete(key);
        else records.set(key, value);
      }
      next.set(collection, records);
    }
    return next;
  }

  #set(collection: Collection, key: string, value: StorageValue): void {
    recordsOf(this.#base, collection);
    const changes = this.#changes.get(collection) ?? new Map<string, StorageValue>();
    changes.set(key, value);
    this.#changes.set(collection, changes);
  }
}

function recordsOf(records: Records, collection: Collection): Map<string, StorageValue> {
  const found = records.get(collection);
  if (found === undefined) throw new CountersignError('invalid_request', 'unknown storage collection');
  return found;
}

function byCodeUnits(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}

/** Runs one task at a time, in the order asked. A task that fails does not stop the next. */
export class Serial {
  #tail: Promise<unknown> = Promise.resolve();

  run<T>(task: () => T | Promise<T>): Promise<T> {
    const result = this.#tail.then(task);
    this.#tail = result.catch(() => undefined);
    return result;
  }

  async idle(): Promise<void> {
    await this.#tail;
  }
}

export function closedError(): CountersignError {
  return new CountersignError('closed', 'the storage is closed');
}

/**
 * Which devices an agent has authorized, kept in memory while the namespace has connections, so that a live
 * message costs no store read. `applied` after every change. Must not know connections or frames.
 */
import type { RelayStore } from '../ports/index.js';
import { keyOf } from './keys.js';

interface Entry {
  users: number;
  devices?: ReadonlySet<string>;
  /** Counts changes: a read that began before one is not kept. */
  version: number;
}

export class Authorizations {
  readonly #store: Pick<RelayStore, 'authorizedDevices'>;
  readonly #entries = new Map<string, Entry>();

  constructor(store: Pick<RelayStore, 'authorizedDevices'>) {
    this.#store = store;
  }

  /** A connection of this namespace began to use the cache. */
  hold(namespaceId: Uint8Array): void {
    const key = keyOf(namespaceId);
    const entry = this.#entries.get(key) ?? { users: 0, version: 0 };
    entry.users++;
    this.#entries.set(key, entry);
  }

  /** It ended; with the last one the namespace is forgotten. */
  drop(namespaceId: Uint8Array): void {
    const key = keyOf(namespaceId);
    const entry = this.#entries.get(key);
    if (entry && --entry.users <= 0) this.#entries.delete(key);
  }

  /** At once when known, else after one read. */
  devices(namespaceId: Uint8Array): ReadonlySet<string> | Promise<ReadonlySet<string>> {
    const entry = this.#entries.get(keyOf(namespaceId));
    return entry?.devices ?? this.#load(namespaceId, entry);
  }

  /** The store's set changed. */
  changed(namespaceId: Uint8Array): void {
    const entry = this.#entries.get(keyOf(namespaceId));
    if (entry === undefined) return;
    entry.version++;
    delete entry.devices;
  }

  async #load(namespaceId: Uint8Array, entry: Entry | undefined): Promise<ReadonlySet<string>> {
    const version = entry?.version;
    const devices = new Set((await this.#store.authorizedDevices(namespaceId)).map(keyOf));
    if (entry && entry.version === version) entry.devices = devices;
    return devices;
  }
}

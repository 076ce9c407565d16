/**
 * Which devices an agent has authorized, kept in memory while the namespace has connections, so that neither a live
 * message nor the login of one more device costs a read of them. `changed` after every change. Must not know
 * connections or frames.
 */
import type { RelayStore } from '../ports/index.js';
import { keyOf } from './keys.js';

/** Who belongs to a namespace. */
export interface Household {
  /** Undefined when the store does not know the namespace. */
  readonly agent: Uint8Array | undefined;
  readonly devices: ReadonlySet<string>;
}

interface Entry {
  users: number;
  known?: Household;
  /** Under way; a change takes it away, so that what began to be read before is not kept. */
  loading?: Promise<Household>;
}

type Source = Pick<RelayStore, 'agentOf' | 'authorizedDevices'>;

export class Authorizations {
  readonly #store: Source;
  readonly #entries = new Map<string, Entry>();

  constructor(store: Source) {
    this.#store = store;
  }

  /** A login or connection of this namespace began to use the cache. */
  hold(namespaceId: Uint8Array): void {
    const key = keyOf(namespaceId);
    const entry = this.#entries.get(key) ?? { users: 0 };
    entry.users++;
    this.#entries.set(key, entry);
  }

  /** It ended; with the last one the namespace is forgotten. */
  drop(namespaceId: Uint8Array): void {
    const key = keyOf(namespaceId);
    const entry = this.#entries.get(key);
    if (entry && --entry.users <= 0) this.#entries.delete(key);
  }

  /** At once when known, else after one read, which all who ask meanwhile share. */
  household(namespaceId: Uint8Array): Household | Promise<Household> {
    const entry = this.#entries.get(keyOf(namespaceId));
    if (entry === undefined) return this.#read(namespaceId);
    return entry.known ?? entry.loading ?? this.#load(namespaceId, entry);
  }

  devices(namespaceId: Uint8Array): ReadonlySet<string> | Promise<ReadonlySet<string>> {
    const household = this.household(namespaceId);
    return household instanceof Promise ? household.then(({ devices }) => devices) : household.devices;
  }

  /** The store's set changed. */
  changed(namespaceId: Uint8Array): void {
    const entry = this.#entries.get(keyOf(namespaceId));
    if (entry === undefined) return;
    delete entry.known;
    delete entry.loading;
  }

  async #load(namespaceId: Uint8Array, entry: Entry): Promise<Household> {
    const loading = this.#read(namespaceId);
    entry.loading = loading;
    try {
      const household = await loading;
      // A namespace that is not stored yet may be at any moment, and nobody tells.
      if (entry.loading === loading && household.agent !== undefined) entry.known = household;
      return household;
    } finally {
      if (entry.loading === loading) delete entry.loading;
    }
  }

  async #read(namespaceId: Uint8Array): Promise<Household> {
    const [agent, devices] = await Promise.all([
      this.#store.agentOf(namespaceId),
      this.#store.authorizedDevices(namespaceId),
    ]);
    return { agent, devices: new Set(devices.map(keyOf)) };
  }
}

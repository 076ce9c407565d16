/**
 * Namespaces with authorized devices in a relay's file, made through the store's door before the relay starts. Must
 * not know tables.
 */
import { randomBytes } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { namespaceIdOf } from '@countersign/protocol/auth';
import { openSqliteStore } from '@countersign/server/adapters/store/sqlite';
import type { RelayStore } from '@countersign/server/ports';
import { newSigningKey, type SigningKey } from './keys.js';

export interface Namespace {
  readonly id: Uint8Array;
  readonly agent: SigningKey;
  readonly devices: readonly SigningKey[];
}

export interface WorldOptions {
  readonly namespaces: number;
  readonly devices: number;
}

const LIMITS = { authorizedDevices: 32, pendingDevices: 32 };
/** Requests that wait for the store at once. */
const AT_ONCE = 2000;
const WINDOW_MS = 600_000;

/** A folder for a data file; `remove` when done. */
export function newFolder(): { file: string; remove(): void } {
  const folder = mkdtempSync(join(tmpdir(), 'countersign-bench-'));
  return { file: join(folder, 'relay.db'), remove: () => rmSync(folder, { recursive: true }) };
}

/** Makes the namespaces; `fill` may add to each of them. */
export async function buildWorld(
  file: string,
  { namespaces, devices }: WorldOptions,
  fill: (store: RelayStore, world: readonly Namespace[]) => Promise<void> = async () => undefined,
): Promise<readonly Namespace[]> {
  const store = await openSqliteStore({ file, maxStoreBytes: 64 * 1024 ** 3 });
  try {
    const world = await Promise.all(Array.from({ length: namespaces }, () => newNamespace(devices)));
    await inTurns(world, (namespace) => addNamespace(store, namespace));
    await fill(store, world);
    return world;
  } finally {
    await store.close();
  }
}

/** Runs `task` for each, many at once, so that they share commits. */
export async function inTurns<T>(
  items: readonly T[],
  task: (item: T) => Promise<unknown>,
  atOnce = AT_ONCE,
): Promise<void> {
  let at = 0;
  const worker = async (): Promise<void> => {
    while (at < items.length) await task(items[at++] as T);
  };
  await Promise.all(Array.from({ length: Math.min(atOnce, items.length) }, worker));
}

async function newNamespace(devices: number): Promise<Namespace> {
  const agent = newSigningKey();
  const id = await namespaceIdOf(agent.publicKey);
  return { id, agent, devices: Array.from({ length: devices }, newSigningKey) };
}

async function addNamespace(store: RelayStore, { id, agent, devices }: Namespace): Promise<void> {
  await store.touchNamespace(id, agent.publicKey, Date.now(), true);
  await addDevices(
    store,
    id,
    devices.map(({ publicKey }) => publicKey),
  );
}

/** Pairs and authorizes them. */
export async function addDevices(
  store: RelayStore,
  namespaceId: Uint8Array,
  keys: readonly Uint8Array[],
): Promise<void> {
  const now = Date.now();
  for (const ed25519 of keys) {
    const tokenHash = new Uint8Array(randomBytes(32));
    const window = tokenHash.slice(0, 16);
    void store.openPairingWindow(namespaceId, tokenHash, now + WINDOW_MS);
    const device = { ed25519, x25519: ed25519, platform: 3, deviceToken: '' };
    await store.consumePairingToken({ namespaceId, tokenHash, window, ...device, now }, LIMITS);
  }
  await store.applyAuthorize(namespaceId, keys, now);
}

/**
 * The agent's state: one directory, one owner, one database, one seed. Opens all of it or nothing.
 * Must not know the rules of pairing or deciding; those work on the tables inside {@link AgentStore.transaction}.
 */
import { randomBytes } from 'node:crypto';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { CountersignError, SEAL } from '@countersign/protocol';
import type { PeerStore } from '@countersign/protocol/link';
import { answersTable } from './answers-table.js';
import { bypassesTable } from './bypasses-table.js';
import { type DatabaseOptions, openDatabase, type Sqlite } from './database.js';
import { devicesTable } from './devices-table.js';
import { heldTable } from './held-table.js';
import { itemDevicesTable } from './item-devices-table.js';
import { itemsTable } from './items-table.js';
import { metaTable } from './meta-table.js';
import { lockDirectory } from './owner-lock.js';
import { pairingsTable } from './pairings-table.js';
import { peerStore } from './peer-store.js';
import { preparePrivateDirectory, readSeed, writeSeed } from './private-files.js';
import { pushesTable } from './pushes-table.js';
import { guard, guarded } from './sqlite-errors.js';
import { windowsTable } from './windows-table.js';

const DATABASE_FILE = 'state.db';
/** Erased content leaves the write-ahead log so long after the erasure. */
const SCRUB_DELAY_MS = 200;

export type Tables = ReturnType<typeof openTables>;

export interface AgentStore {
  readonly seed: Uint8Array;
  readonly tables: Tables;
  readonly peer: PeerStore<Tables>;
  /** One durable transaction; a body that throws leaves everything as it was. Nested ones join the outer. */
  transaction<T>(body: (tables: Tables) => T): T;
  /** Soon empties the write-ahead log, which may still hold what was erased. */
  scrub(): void;
  /** The first send counter this process reserved for a channel. */
  firstReserved(channelId: string): number | undefined;
  /** Forgets what waits for a device. */
  dropOutboxOf(device: string): void;
  /** Idempotent. Frees the directory. */
  close(): void;
}

/**
 * @throws CountersignError `directory_in_use`, `seed_permissions`, `state_permissions`, `state_corrupt`,
 * `state_newer`, `state_locked`, `storage_full`. Nothing was changed or lost when it throws.
 */
export function openAgentStore(dir: string, options: DatabaseOptions = {}): AgentStore {
  preparePrivateDirectory(dir);
  const lock = lockDirectory(dir);
  try {
    const path = join(dir, DATABASE_FILE);
    const seed = loadSeed(dir, existsSync(path));
    return assemble(openDatabase(path, options), seed, lock);
  } catch (error) {
    lock.release();
    throw error;
  }
}

function loadSeed(dir: string, hasDatabase: boolean): Uint8Array {
  const found = readSeed(dir);
  if (found !== undefined) return found;
  if (hasDatabase) {
    throw new CountersignError(
      'state_corrupt',
      `${dir} holds a state but no seed. Restore the seed from a backup, or remove the directory and pair again.`,
    );
  }
  const seed = new Uint8Array(randomBytes(SEAL.seedBytes));
  writeSeed(dir, seed);
  return seed;
}

function openTables(db: Sqlite) {
  return {
    meta: guarded(metaTable(db)),
    windows: guarded(windowsTable(db)),
    devices: guarded(devicesTable(db)),
    pairings: guarded(pairingsTable(db)),
    held: guarded(heldTable(db)),
    items: guarded(itemsTable(db)),
    itemDevices: guarded(itemDevicesTable(db)),
    answers: guarded(answersTable(db)),
    bypasses: guarded(bypassesTable(db)),
    pushes: guarded(pushesTable(db)),
  };
}

function assemble(db: Sqlite, seed: Uint8Array, lock: { release(): void }): AgentStore {
  const tables = openTables(db);
  const outboxOf = db.prepare('DELETE FROM outbox WHERE peer = ?');
  const scrubber = scrubLater(db);
  const firstReserved = new Map<string, number>();
  return {
    seed,
    tables,
    peer: peerStore(db, tables, (channelId, first) => {
      if (!firstReserved.has(channelId)) firstReserved.set(channelId, first);
    }),
    firstReserved: (channelId) => firstReserved.get(channelId),
    transaction: (body) => guard(() => db.transaction(() => body(tables)).immediate()),
    scrub: scrubber.soon,
    dropOutboxOf: (device) => guard(() => void outboxOf.run(device)),
    close(): void {
      if (!db.open) return;
      scrubber.now();
      db.close();
      lock.release();
    },
  };
}

function scrubLater(db: Sqlite): { soon(): void; now(): void } {
  let timer: NodeJS.Timeout | undefined;
  const now = (): void => {
    clearTimeout(timer);
    timer = undefined;
    try {
      db.pragma('wal_checkpoint(TRUNCATE)');
    } catch {
      // A full disk: the log stays and the next attempt empties it.
    }
  };
  const soon = (): void => {
    timer ??= setTimeout(now, SCRUB_DELAY_MS);
  };
  return { soon, now };
}

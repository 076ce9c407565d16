/**
 * What outlives a party's processes. An agent's is the agent SDK's database on disk, closed and opened again with
 * each process; a device's is in memory. Either says what took effect and what waits. Must not know links.
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { PeerStore } from '@countersign/protocol/link';
import { openDatabase, type Sqlite } from '../../agent-sdk/src/store/database.js';
import { devicesTable } from '../../agent-sdk/src/store/devices-table.js';
import { pairingsTable } from '../../agent-sdk/src/store/pairings-table.js';
import { peerStore } from '../../agent-sdk/src/store/peer-store.js';
import { MemoryPeerStore } from '../support/link/memory-peer-store.js';

/** What was applied, as it stands in the store. */
export interface Applied {
  readonly from: string;
  /** The sender's own number. */
  readonly n: number;
  readonly live: boolean;
  /** Of the seal. */
  readonly counter: number;
}

export interface Effects {
  apply(applied: Applied): void;
}

export interface PartyStore {
  readonly peer: PeerStore<Effects>;
  /** In the order it took effect. */
  applied(): readonly Applied[];
  waiting(): number;
  /** Before anything is sent or received through it. */
  addChannel(id: string, peer: string): void;
  /** For the next process: nothing is left of what the last one knew. */
  reopen(): void;
  close(): void;
}

export class MemoryStore implements PartyStore {
  readonly #store = new MemoryPeerStore();
  readonly peer: PeerStore<Effects> = {
    reserveCounters: (...args) => this.#store.reserveCounters(...args),
    receive: (channelId, counter, effect) =>
      this.#store.receive(channelId, counter, (tx, verdict) =>
        effect({ apply: (applied) => void tx.applied.push(applied) }, verdict),
      ),
    enqueue: (row) => this.#store.enqueue(row),
    outboxAfter: (...args) => this.#store.outboxAfter(...args),
    outboxRemove: (ids) => this.#store.outboxRemove(ids),
  };

  applied(): readonly Applied[] {
    return this.#store.applied as Applied[];
  }

  waiting(): number {
    return this.#store.rows.length;
  }

  addChannel(): void {
    // It takes any.
  }

  reopen(): void {
    // The memory is what a disk would be.
  }

  close(): void {
    // Nothing is open.
  }
}

const APPLIED = `CREATE TABLE IF NOT EXISTS applied (
  at INTEGER PRIMARY KEY AUTOINCREMENT, sender TEXT NOT NULL, n INTEGER NOT NULL, live INTEGER NOT NULL, counter INTEGER NOT NULL
) STRICT`;
const NO_KEY = new Uint8Array(32);
const PLATFORM_WEB = 3;

interface Opened {
  readonly db: Sqlite;
  readonly peer: PeerStore<Effects>;
}

export class DiskStore implements PartyStore {
  readonly #dir = mkdtempSync(join(tmpdir(), 'countersign-chaos-'));
  #open: Opened = this.#opened();

  get peer(): PeerStore<Effects> {
    return this.#open.peer;
  }

  applied(): readonly Applied[] {
    const rows = this.#open.db.prepare('SELECT sender, n, live, counter FROM applied ORDER BY at').all();
    return (rows as { sender: string; n: number; live: number; counter: number }[]).map((row) => ({
      from: row.sender,
      n: row.n,
      live: row.live === 1,
      counter: row.counter,
    }));
  }

  waiting(): number {
    return Number(this.#open.db.prepare('SELECT count(*) FROM outbox').pluck().get());
  }

  addChannel(channelId: string, device: string): void {
    const { db } = this.#open;
    devicesTable(db).upsert(device, 'a device', PLATFORM_WEB, []);
    // The keys are the party's own; the store only counts.
    pairingsTable(db).insert({
      channelId,
      device,
      deviceX25519: NO_KEY,
      agentX25519Public: NO_KEY,
      agentX25519Secret: NO_KEY,
      windowId: channelId,
      platform: PLATFORM_WEB,
      pairedAt: 0,
    });
  }

  reopen(): void {
    this.#open.db.close();
    this.#open = this.#opened();
  }

  close(): void {
    this.#open.db.close();
    rmSync(this.#dir, { recursive: true, force: true });
  }

  #opened(): Opened {
    const db = openDatabase(join(this.#dir, 'state.db'));
    db.exec(APPLIED);
    const insert = db.prepare('INSERT INTO applied (sender, n, live, counter) VALUES (?, ?, ?, ?)');
    const effects: Effects = {
      apply: ({ from, n, live, counter }) => void insert.run(from, n, live ? 1 : 0, counter),
    };
    return { db, peer: peerStore(db, effects, () => undefined) };
  }
}

import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { OUTBOX_LIMIT } from '@countersign/protocol/link';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type AgentStore, openAgentStore } from './index.js';

const DEVICE = 'ab'.repeat(32);
const CHANNEL = `${DEVICE}.0011223344556677`;
const bytes = (length: number) => new Uint8Array(length).fill(1);

let dir: string;
let store: AgentStore;

beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), 'countersign-store-'));
  store = openAgentStore(dir);
  addDevice(store);
});
afterEach(() => {
  store.close();
  rmSync(dir, { recursive: true, force: true });
});

function addDevice({ tables }: AgentStore): void {
  tables.devices.upsert(DEVICE, 'Phone', 3, []);
  tables.pairings.insert({
    channelId: CHANNEL,
    device: DEVICE,
    deviceX25519: bytes(32),
    agentX25519Public: bytes(32),
    agentX25519Secret: bytes(32),
    windowId: '00'.repeat(16),
    platform: 3,
    pairedAt: 1,
  });
}

function item(requestId: string) {
  return {
    requestId,
    kind: 'approval' as const,
    state: 'pending' as const,
    toolName: 'tool',
    sensitive: 0,
    createdAt: 1,
    expiresAt: 1000,
    digest: 'd',
    detailDigest: null,
    entry: '{}',
    decision: null,
    endedAt: null,
  };
}

describe('send counters', () => {
  it('begin at the floor or above the stored high-water, whichever is higher', async () => {
    expect(await store.peer.reserveCounters(CHANNEL, 1000, 64)).toBe(1000);
    expect(await store.peer.reserveCounters(CHANNEL, 1000, 64)).toBe(1064);
    expect(await store.peer.reserveCounters(CHANNEL, 5000, 1)).toBe(5000);
  });

  it('are durable before use: another process begins above them', async () => {
    await store.peer.reserveCounters(CHANNEL, 1000, 64);
    store.close();
    store = openAgentStore(dir);
    expect(await store.peer.reserveCounters(CHANNEL, 1000, 1)).toBe(1064);
  });

  it('are exact where doubles end to be', async () => {
    const far = 2 ** 52;
    expect(await store.peer.reserveCounters(CHANNEL, far, 1)).toBe(far);
    expect(await store.peer.reserveCounters(CHANNEL, far, 1)).toBe(far + 1);
  });

  it.each([0, 65, 1.5])('are not reserved %d at a time', async (count) => {
    await expect(store.peer.reserveCounters(CHANNEL, 1, count)).rejects.toMatchObject({
      code: 'invalid_request',
    });
  });

  it('are gone with the pairing', async () => {
    store.tables.devices.remove(DEVICE);
    await expect(store.peer.reserveCounters(CHANNEL, 1, 1)).rejects.toMatchObject({ code: 'not_paired' });
  });
});

describe('receiving', () => {
  it('runs the effect and marks the counter together', async () => {
    const seen: string[] = [];
    const effect = (_: unknown, verdict: string) => void seen.push(verdict);
    expect(await store.peer.receive(CHANNEL, 7, effect)).toBe('new');
    expect(await store.peer.receive(CHANNEL, 7, effect)).toBe('duplicate');
    expect(seen).toEqual(['new', 'duplicate']);
  });

  it('undoes both when the effect throws', async () => {
    const failing = () => {
      store.tables.items.insert(item('appr_1'));
      throw new Error('no');
    };
    await expect(store.peer.receive(CHANNEL, 7, failing)).rejects.toThrow('no');
    expect(store.tables.items.get('appr_1')).toBeUndefined();
    expect(await store.peer.receive(CHANNEL, 7, () => {})).toBe('new');
  });

  it('refuses an effect that would end after its transaction', async () => {
    await expect(store.peer.receive(CHANNEL, 7, async () => {})).rejects.toThrow(TypeError);
    expect(await store.peer.receive(CHANNEL, 7, () => {})).toBe('new');
  });

  it('is outside for a pairing that is gone', async () => {
    store.tables.devices.remove(DEVICE);
    expect(await store.peer.receive(CHANNEL, 7, () => {})).toBe('outside');
  });
});

describe('the outbox', () => {
  const row = { peer: DEVICE, nonce: bytes(12), ciphertext: bytes(16), expiresAt: 5 };

  it('gives ascending ids that are never reused', async () => {
    const first = await store.peer.enqueue(row);
    await store.peer.outboxRemove([first]);
    const second = await store.peer.enqueue(row);
    expect(second).toBeGreaterThan(first);
    expect(await store.peer.outboxAfter(0, 10)).toMatchObject([{ id: second, peer: DEVICE, expiresAt: 5 }]);
  });

  it('is full at its limit', async () => {
    store.transaction(() => {
      for (let n = 0; n < OUTBOX_LIMIT; n++) void store.peer.enqueue(row);
    });
    await expect(store.peer.enqueue(row)).rejects.toMatchObject({ code: 'queue_full' });
  });
});

describe('items', () => {
  it('end once: the first decision wins', () => {
    store.tables.items.insert(item('appr_1'));
    expect(store.tables.items.end('appr_1', { state: 'rejected', at: 2 })).toBe(true);
    expect(store.tables.items.end('appr_1', { state: 'approved', at: 3 })).toBe(false);
    expect(store.tables.items.get('appr_1')).toMatchObject({ state: 'rejected', entry: null, endedAt: 2 });
  });

  it('keep their entry until an approved one starts, and start once', () => {
    store.tables.items.insert(item('appr_1'));
    store.tables.items.end('appr_1', { state: 'approved', at: 2, runArguments: '{"a":1}' });
    expect(store.tables.items.get('appr_1')).toMatchObject({ entry: '{}', runArguments: '{"a":1}' });
    expect(store.tables.items.start('appr_1')).toBe(true);
    expect(store.tables.items.start('appr_1')).toBe(false);
    expect(store.tables.items.get('appr_1')).toMatchObject({
      entry: null,
      runArguments: null,
      run: 'started',
    });
  });

  it('that were approved and never taken up lapse with their time', () => {
    store.tables.items.insert(item('appr_1'));
    store.tables.items.end('appr_1', { state: 'approved', at: 2 });
    expect(store.tables.items.lapse(999)).toBe(0);
    expect(store.tables.items.lapse(1000)).toBe(1);
    expect(store.tables.items.get('appr_1')).toMatchObject({ entry: null, run: 'lapsed' });
    expect(store.tables.items.start('appr_1')).toBe(false);
  });

  it('are forgotten 30 days after their end, with what devices were given', () => {
    store.tables.items.insert(item('appr_1'));
    store.tables.itemDevices.markWhole('appr_1', DEVICE);
    store.tables.items.end('appr_1', { state: 'rejected', at: 2 });
    expect(store.tables.items.purge(2)).toBe(0);
    expect(store.tables.items.purge(3)).toBe(1);
    expect(store.tables.itemDevices.isWhole('appr_1', DEVICE)).toBe(false);
  });
});

describe('acks', () => {
  it('of one device are bounded, the oldest go first', async () => {
    const { answersTable } = await import('./answers-table.js');
    const { openDatabase } = await import('./database.js');
    const db = openDatabase(join(dir, 'bounded.db'));
    const answers = answersTable(db, 2);
    for (const at of [1, 2, 3]) answers.put(DEVICE, `id${at}`, `ack${at}`, at);
    expect([1, 2, 3].map((at) => answers.get(DEVICE, `id${at}`))).toEqual([undefined, 'ack2', 'ack3']);
    db.close();
  });
});

describe('what waits for an unconfirmed key', () => {
  it('is at most 16 messages', () => {
    const kept = Array.from({ length: 17 }, (_, n) => store.tables.held.add(CHANNEL, n, false, '{}'));
    expect(kept.filter(Boolean)).toHaveLength(16);
    const first = store.tables.held.first(CHANNEL);
    expect(first).toMatchObject({ counter: 0, payload: '{}' });
    store.tables.held.remove(first?.seq ?? 0);
    expect(store.tables.held.first(CHANNEL)).toMatchObject({ counter: 1 });
  });
});

describe('a full disk', () => {
  it('refuses the next write as storage_full and loses nothing', () => {
    store.close();
    store = openAgentStore(dir, { maxPages: 40 });
    const entry = JSON.stringify('x'.repeat(20_000));
    const add = () => {
      for (let n = 0; n < 100; n++) store.tables.items.insert({ ...item(`appr_${n}`), entry });
    };
    expect(add).toThrow(expect.objectContaining({ code: 'storage_full' }));
    const count = store.tables.items.pendingCount();
    expect(count).toBeGreaterThan(0);
    expect(store.tables.items.end('appr_0', { state: 'rejected', at: 2 })).toBe(true);
    store.close();
    store = openAgentStore(dir);
    expect(store.tables.items.pendingCount()).toBe(count - 1);
    expect(store.tables.items.get('appr_0')).toMatchObject({ state: 'rejected' });
  });
});

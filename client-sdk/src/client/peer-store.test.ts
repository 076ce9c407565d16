/** Counters, windows and the sealed outbox of one pairing, over Storage. */
import { OUTBOX_LIMIT } from '@countersign/protocol/link';
import { beforeEach, describe, expect, it } from 'vitest';
import { memoryStorage } from '../storage/memory/index.js';
import type { Storage } from '../storage/storage.js';
import { type ClientPeerStore, peerStore } from './peer-store.js';

let storage: Storage;
let store: ClientPeerStore;

beforeEach(() => {
  storage = memoryStorage();
  store = peerStore(storage, 'p', 'c');
});

const row = (counter = 1) => {
  const nonce = new Uint8Array(12);
  new DataView(nonce.buffer).setBigUint64(4, BigInt(counter));
  return { peer: 'agent', nonce, ciphertext: Uint8Array.of(1), expiresAt: 9 };
};
const nothing = () => undefined;

describe('send counters', () => {
  it('start at the floor, go on above what was reserved, and never go back', async () => {
    expect(await store.reserveCounters('c', 1000, 64)).toBe(1000);
    expect(await store.reserveCounters('c', 1000, 1)).toBe(1064);
    expect(await peerStore(storage, 'p', 'c').reserveCounters('c', 5, 64)).toBe(1065);
    expect(await store.reserveCounters('c', 5000, 1)).toBe(5000);
    expect(await store.reserveCounters('other', 7, 1)).toBe(7);
  });
});

describe('the receive window', () => {
  it('tells new from duplicate, and remembers across a restart', async () => {
    expect(await store.receive('c', 50, nothing)).toBe('new');
    expect(await peerStore(storage, 'p', 'c').receive('c', 50, nothing)).toBe('duplicate');
    expect(await store.receive('c', 49, nothing)).toBe('new');
    expect((await store.seenAndUsed()).seen).toBe(50);
  });

  it('marks a counter only together with its effect', async () => {
    const failing = store.receive('c', 50, async (tx) => {
      await tx.put('meta', 'effect', 1);
      throw new Error('on purpose');
    });
    await expect(failing).rejects.toThrow('on purpose');
    expect(await storage.transaction((tx) => tx.get('meta', 'effect'))).toBeUndefined();
    expect(await store.receive('c', 50, nothing)).toBe('new');
  });

  it('runs no effect for a counter outside', async () => {
    await store.receive('c', 5000, nothing);
    let ran = false;
    const verdict = await store.receive('c', 1, () => {
      ran = true;
    });
    expect([verdict, ran]).toEqual(['outside', false]);
  });
});

describe('the outbox', () => {
  it('keeps its order, and never gives an id twice', async () => {
    const ids = [await store.enqueue(row(7)), await store.enqueue(row(9)), await store.enqueue(row(8))];
    expect((await store.outboxAfter(0, 2)).map(({ id }) => id)).toEqual(ids.slice(0, 2));
    await store.outboxRemove(ids);
    expect(await store.outboxAfter(0, 10)).toEqual([]);
    const next = await peerStore(storage, 'p', 'c').enqueue(row());
    expect(next).toBeGreaterThan(Math.max(...ids));
    expect(await store.hasOutboxRow(next)).toBe(true);
    expect(await store.hasOutboxRow(ids[0] as number)).toBe(false);
    expect((await store.seenAndUsed()).used).toBe(9);
  });

  it('is its own for each pairing', async () => {
    const other = peerStore(storage, 'p.2', 'd');
    await store.enqueue(row());
    await other.enqueue(row());
    expect(await other.outboxAfter(0, 10)).toHaveLength(1);
  });

  it('refuses what is too much', async () => {
    await storage.transaction(async (tx) => {
      for (let id = 1; id <= OUTBOX_LIMIT; id += 1) await tx.put('outbox', `p/${id}`, row());
    });
    await expect(store.enqueue(row())).rejects.toMatchObject({ code: 'queue_full' });
  });
});

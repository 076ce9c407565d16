/** What IndexedDB storage does beyond the conformance suite: wrapped secrets, one connected context, failures. */
import 'fake-indexeddb/auto';
import { openDB } from 'idb';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { indexedDbStorage } from './indexeddb-storage.js';
import { WRAPPING_STORE } from './secret-box.js';

let databases = 0;
const newName = () => `unit-${++databases}`;

afterEach(() => {
  vi.unstubAllGlobals();
});

describe('a protected secret', () => {
  const secret = Uint8Array.from({ length: 32 }, (_, index) => index + 1);

  it('rests under a key that cannot be read out', async () => {
    const name = newName();
    const storage = await indexedDbStorage({ name });
    const kept = await storage.protect(secret);
    expect(Buffer.from(kept).includes(Buffer.from(secret))).toBe(false);
    await storage.close();
    const key = (await (await openDB(name)).getAll(WRAPPING_STORE))[0] as CryptoKey;
    expect(key.extractable).toBe(false);
    await expect(crypto.subtle.exportKey('raw', key)).rejects.toThrow();
  });

  it('of another profile, or damaged, is named as corrupt', async () => {
    const [one, other] = [
      await indexedDbStorage({ name: newName() }),
      await indexedDbStorage({ name: newName() }),
    ];
    const kept = await one.protect(secret);
    await expect(other.reveal(kept)).rejects.toMatchObject({ code: 'state_corrupt' });
    kept[20] = (kept[20] ?? 0) ^ 1;
    await expect(one.reveal(kept)).rejects.toMatchObject({ code: 'state_corrupt' });
    await expect(one.reveal(new Uint8Array())).rejects.toMatchObject({ code: 'state_corrupt' });
  });

  it('rests as it is where there is no Web Crypto', async () => {
    vi.stubGlobal('crypto', {});
    const storage = await indexedDbStorage({ name: newName() });
    expect(await storage.reveal(await storage.protect(secret))).toEqual(secret);
  });

  it('longer than a secret of ours is refused', async () => {
    const storage = await indexedDbStorage({ name: newName() });
    await expect(storage.protect(new Uint8Array(65))).rejects.toMatchObject({ code: 'invalid_request' });
    expect(await storage.reveal(await storage.protect(new Uint8Array(64)))).toHaveLength(64);
  });
});

describe('a transaction', () => {
  it('that awaits something else is refused', async () => {
    const storage = await indexedDbStorage({ name: newName() });
    const straying = storage.transaction(async (tx) => {
      await tx.put('meta', 'a', 1);
      await new Promise((resolve) => setTimeout(resolve, 20));
      await tx.put('meta', 'b', 2);
    });
    await expect(straying).rejects.toMatchObject({ code: 'invalid_request' });
  });

  it('in a database of a newer version is left to a newer app', async () => {
    const name = newName();
    (await openDB(name, 9)).close();
    await expect(indexedDbStorage({ name })).rejects.toMatchObject({ code: 'state_newer' });
  });

  it('without room says that the browser is full', async () => {
    const storage = await indexedDbStorage({ name: newName() });
    const full = storage.transaction(() => {
      throw new DOMException('no room', 'QuotaExceededError');
    });
    await expect(full).rejects.toMatchObject({ code: 'storage_full' });
  });
});

describe('two contexts of one origin', () => {
  it('connect one after the other', async () => {
    vi.stubGlobal('navigator', { locks: new FakeLocks() });
    const name = newName();
    const [one, two] = [await indexedDbStorage({ name }), await indexedDbStorage({ name })];
    const events: string[] = [];
    await one.own(() => events.push('one waits'));
    const second = two.own(() => events.push('two waits')).then(() => events.push('two owns'));
    await vi.waitFor(() => expect(events).toEqual(['two waits']));
    await one.close();
    await second;
    expect(events).toEqual(['two waits', 'two owns']);
    await two.close();
  });
});

/** Enough of the Web Locks API for one name. */
class FakeLocks {
  #held = false;
  readonly #queue: (() => void)[] = [];

  async request(
    _name: string,
    options: { ifAvailable?: boolean },
    callback: (lock: object | null) => Promise<void> | undefined,
  ): Promise<void> {
    if (this.#held && options.ifAvailable === true) return callback(null);
    if (this.#held) await new Promise<void>((resolve) => this.#queue.push(resolve));
    this.#held = true;
    await callback({});
    this.#held = false;
    this.#queue.shift()?.();
  }
}

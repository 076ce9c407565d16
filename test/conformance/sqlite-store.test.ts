/** What only a store on disk can show: restarts, kills, full disks, shared commits, other processes. */
import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openSqliteStore, type SqliteStoreOptions } from '@countersign/server/adapters/store/sqlite';
import type { RelayStore } from '@countersign/server/ports';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { STORE_PROCESS } from '../support/store-process.scene.js';
import { startTypescript, type TypescriptProcess } from '../support/typescript-process.js';

const { namespaceId, agent, device, message, now } = STORE_PROCESS;
const ALL = { afterSeq: 0, maxBytes: 1 << 30, now };

describe('a store on disk', () => {
  let directory: string;
  let file: string;
  let stores: RelayStore[];
  let processes: TypescriptProcess[];

  beforeEach(() => {
    directory = mkdtempSync(join(tmpdir(), 'countersign-disk-'));
    file = join(directory, 'relay.db');
    stores = [];
    processes = [];
  });

  afterEach(async () => {
    await Promise.all(processes.map((each) => each.kill('SIGKILL')));
    await Promise.all(stores.map((store) => store.close()));
    rmSync(directory, { recursive: true });
  });

  const open = async (options: Partial<SqliteStoreOptions> = {}) => {
    const store = await openSqliteStore({ file, ...options });
    stores.push(store);
    return store;
  };
  const start = (mode: 'hold' | 'enqueue') => {
    const started = startTypescript('./store-process.ts', [mode, file]);
    processes.push(started);
    return started;
  };
  const openPaired = async (options: Partial<SqliteStoreOptions> = {}) => {
    const store = await open(options);
    const { tokenHash, window } = STORE_PROCESS;
    await store.touchNamespace(namespaceId, agent, now, true);
    await store.openPairingWindow(namespaceId, tokenHash, now + 1000);
    const keys = { ed25519: device, x25519: device, platform: 3, deviceToken: 'push token' };
    const limits = { authorizedDevices: 32, pendingDevices: 16 };
    await store.consumePairingToken({ namespaceId, tokenHash, window, ...keys, now }, limits);
    await store.applyAuthorize(namespaceId, [device], now);
    return store;
  };
  const seqsIn = async (store: RelayStore) =>
    (await store.takeUnproven(namespaceId, device, ALL)).map((each) => each.seq);

  it('keeps everything over a restart, and numbers go on', async () => {
    const first = await openPaired();
    await first.putSetting('invite', 'code');
    const sent = await first.enqueueWithinLimits(message);
    const gone = (await first.enqueueWithinLimits(message)) as { seq: number };
    const { seq } = sent as { seq: number };
    await first.close();
    const second = await open();
    expect(await second.getSetting('invite')).toBe('code');
    expect(await second.deviceState(namespaceId, device)).toBe('authorized');
    const waiting = await second.takeUnproven(namespaceId, device, ALL);
    expect(waiting.map((each) => [each.seq, each.ciphertext.length])).toEqual([
      [seq, 2000],
      [gone.seq, 2000],
    ]);
    await second.ackThrough(namespaceId, device, gone.seq, now);
    await second.close();
    const third = await open();
    expect(await third.enqueueWithinLimits(message)).toEqual({ seq: gone.seq + 1 });
  });

  it('a process killed in the middle of its work loses nothing that it was told is stored', async () => {
    const { lines, kill } = start('enqueue');
    const stored: number[] = [];
    for await (const line of lines) {
      const [, seq] = /^stored (\d+)$/.exec(line) ?? [];
      if (seq !== undefined) stored.push(Number(seq));
      else expect(line).toBe('open');
      if (stored.length === 300) void kill('SIGKILL');
    }
    expect(stored.length).toBeGreaterThanOrEqual(300);
    const store = await open();
    const waiting = await store.takeUnproven(namespaceId, device, ALL);
    const found = new Set(waiting.map((each) => each.seq));
    expect(stored.filter((seq) => !found.has(seq))).toEqual([]);
    expect(waiting.every((each) => each.ciphertext.every((byte) => byte === 7))).toBe(true);
    const next = (await store.enqueueWithinLimits(message)) as { seq: number };
    expect(next.seq).toBeGreaterThan(Math.max(...found));
  });

  it('held by another process is locked, until that is killed', async () => {
    const { lines, kill } = start('hold');
    expect((await lines.next()).value).toBe('open');
    await expect(open()).rejects.toMatchObject({ code: 'state_locked' });
    await kill('SIGKILL');
    await expect(open()).resolves.toBeDefined();
  });

  it('says why it cannot be opened, and opens once that is mended', async () => {
    await expect(open({ file: directory })).rejects.toMatchObject({ code: 'state_corrupt' });
    await expect(open({ maxPageCount: 4 })).rejects.toMatchObject({
      code: 'unavailable',
      details: { cause: 'SQLITE_FULL' },
    });
    await expect(open()).resolves.toBeDefined();
  });

  it('shares one commit among all that is asked during the commit before', async () => {
    const store = await openPaired();
    const before = commitsIn(`${file}-wal`);
    await Promise.all(Array.from({ length: 200 }, () => store.enqueueWithinLimits(message)));
    expect(commitsIn(`${file}-wal`) - before).toBe(1);
    const first = store.enqueueWithinLimits(message);
    await new Promise((resolve) => setImmediate(resolve));
    await Promise.all([first, ...Array.from({ length: 50 }, () => store.enqueueWithinLimits(message))]);
    expect(commitsIn(`${file}-wal`) - before).toBe(3);
  });

  it('a refusal among requests that share a commit takes nothing of the others along', async () => {
    const store = await openPaired();
    const results = await Promise.allSettled([
      store.enqueueWithinLimits(message),
      store.openPairingWindow(new Uint8Array(32), STORE_PROCESS.tokenHash, now),
      store.enqueueWithinLimits({ ...message, now: Number.NaN }),
      store.enqueueWithinLimits({ ...message, recipient: new Uint8Array(32) }),
      store.enqueueWithinLimits(message),
    ]);
    expect(results.map((each) => (each.status === 'fulfilled' ? each.value : each.reason.code))).toEqual([
      { seq: 1 },
      'not_found',
      'unavailable',
      'not_found',
      { seq: 2 },
    ]);
    expect(await seqsIn(store)).toEqual([1, 2]);
  });

  it('on a full disk refuses with unavailable, keeps what it has, and works again with space', async () => {
    const store = await openPaired({ maxPageCount: 100 });
    const seqs: number[] = [];
    const fill = async () => {
      for (;;) {
        const result = await store.enqueueWithinLimits(message);
        seqs.push((result as { seq: number }).seq);
      }
    };
    await expect(fill()).rejects.toMatchObject({ code: 'unavailable', details: { cause: 'SQLITE_FULL' } });
    const { messages } = await store.stats();
    expect(messages).toBe(seqs.length);
    const refused = await Promise.allSettled(
      Array.from({ length: 20 }, () => store.enqueueWithinLimits(message)),
    );
    expect(refused.map((each) => each.status)).not.toContain('fulfilled');
    expect(await seqsIn(store)).toEqual(seqs);
    expect(await store.ackThrough(namespaceId, device, seqs[9] as number, now)).toMatchObject({
      messages: 10,
    });
    expect(await store.enqueueWithinLimits(message)).toHaveProperty('seq');
    expect((await seqsIn(store)).slice(0, -1)).toEqual(seqs.slice(10));
  });

  it('a disk that fills up in the middle of a commit refuses only what does not fit', async () => {
    const store = await openPaired({ maxPageCount: 60 });
    const results = await Promise.allSettled(
      Array.from({ length: 100 }, () => store.enqueueWithinLimits(message)),
    );
    const seqs = results.flatMap((each) =>
      each.status === 'fulfilled' ? [(each.value as { seq: number }).seq] : [],
    );
    expect(seqs.length).toBeGreaterThan(0);
    expect(seqs.length).toBeLessThan(100);
    expect(await seqsIn(store)).toEqual(seqs);
  });

  it('marks every connected namespace as in use, however many there are', async () => {
    const store = await openPaired();
    const strangers = Array.from({ length: 1000 }, () => new Uint8Array(32).fill(9));
    const unused = { pendingBefore: 0, emptyBefore: now + 1, idleBefore: now + 1, maxRows: 10 };
    const connected = [...strangers, namespaceId];
    expect(await store.collect({ ...unused, now: now + 1, connected })).toMatchObject({ namespaces: 0 });
    expect(await store.collect({ ...unused, now: now + 1, connected: [] })).toMatchObject({ namespaces: 0 });
  });

  it('marks them also when the clock was set back', async () => {
    const store = await openPaired();
    const step = { pendingBefore: 0, maxRows: 10 };
    const later = now + 8 * 24 * 60 * 60_000;
    await store.collect({ ...step, now: later, emptyBefore: 0, idleBefore: 0, connected: [] });
    const unused = { ...step, now: now + 2, emptyBefore: now + 1, idleBefore: now + 1 };
    expect(await store.collect({ ...unused, connected: [namespaceId] })).toMatchObject({ namespaces: 0 });
  });

  it('writes no other file and lets nobody else read its own', async () => {
    await openPaired();
    const names = readdirSync(directory).sort();
    expect(names).toEqual(['relay.db', 'relay.db-shm', 'relay.db-wal', 'relay.db.lock']);
    const modes = names.map((name) => statSync(join(directory, name)).mode & 0o777);
    expect(modes).toEqual([0o600, 0o600, 0o600, 0o600]);
  });
});

/** Commits in a write-ahead log: frames whose header says how large the database is after them (SQLite file format §4.1). */
function commitsIn(log: string): number {
  const bytes = readFileSync(log);
  const frameBytes = 24 + bytes.readUInt32BE(8);
  let commits = 0;
  for (let at = 32; at + frameBytes <= bytes.length; at += frameBytes) {
    if (bytes.readUInt32BE(at + 4) !== 0) commits += 1;
  }
  return commits;
}

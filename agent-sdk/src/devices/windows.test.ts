import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fromHex } from '@countersign/protocol';
import { namespaceIdOf, windowOf } from '@countersign/protocol/auth';
import { deriveIdentity, type IdentityKeys } from '@countersign/protocol/e2e';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type Core, eventHub, silentLogger } from '../agent/core.js';
import { openAgentStore, type WindowRow } from '../store/index.js';
import { Admission, type Arrival } from './admission.js';
import { DeviceBook } from './device-book.js';
import { MAX_KEPT_WINDOWS, Windows } from './windows.js';

const DAY_MS = 86_400_000;
let now = 1_750_000_000_000;
let capabilities = new Set(['window']);
let started: Uint8Array[] = [];
let dir: string;
let core: Core;
let book: DeviceBook;
let windows: Windows;
let admission: Admission;
let device: IdentityKeys;

beforeEach(async () => {
  now = 1_750_000_000_000;
  capabilities = new Set(['window']);
  started = [];
  dir = mkdtempSync(join(tmpdir(), 'countersign-windows-'));
  const store = openAgentStore(dir);
  const identity = await deriveIdentity(store.seed);
  core = {
    store,
    identity,
    namespaceId: await namespaceIdOf(identity.ed25519Public),
    clock: { now: () => now, setTimer: () => ({ cancel() {} }) },
    label: 'Robot',
    log: silentLogger,
    events: eventHub(silentLogger),
  };
  book = new DeviceBook(core);
  windows = new Windows(core, book, () => ({
    pairingStart: async (token, ttl) => {
      started.push(token);
      return ttl;
    },
    pairingStop: async () => {},
  }));
  admission = new Admission(core, book, () => ({ capabilities }));
  device = await deriveIdentity(new Uint8Array(32).fill(9));
});
afterEach(() => {
  core.store.close();
  rmSync(dir, { recursive: true, force: true });
});

const pairedAs = (keys: IdentityKeys, window: WindowRow | undefined) => ({
  deviceEd25519: keys.ed25519Public,
  deviceX25519: keys.x25519Public,
  platform: 3,
  ...(window === undefined ? {} : { window: fromHex(window.windowId, 16) }),
});

async function other(fill: number): Promise<IdentityKeys> {
  return deriveIdentity(new Uint8Array(32).fill(fill));
}

describe('client_paired', () => {
  it('is matched by the name of the window, which is the hash of its token', async () => {
    const window = await windows.open(300_000);
    expect(fromHex(window.windowId, 16)).toEqual(await windowOf(started[0] ?? new Uint8Array()));
    await admission.onClientPaired(pairedAs(device, window));
    expect(book.list()).toMatchObject([{ state: 'paired', platform: 'web', verified: false }]);
  });

  it('that names no window of ours is not believed', async () => {
    await windows.open(300_000);
    const forged = { ...pairedAs(device, undefined), window: new Uint8Array(16) };
    await admission.onClientPaired(forged);
    expect(book.list()).toEqual([]);
  });

  it('that names no window at all is believed of an original relay only', async () => {
    await windows.open(300_000);
    await admission.onClientPaired(pairedAs(device, undefined));
    expect(book.list()).toEqual([]);
    capabilities = new Set();
    await admission.onClientPaired(pairedAs(device, undefined));
    expect(book.list()).toHaveLength(1);
  });

  it('is believed for a day after its window, no longer', async () => {
    const window = await windows.open(300_000);
    now = window.expiresAt + DAY_MS + 1;
    await admission.onClientPaired(pairedAs(device, window));
    expect(book.list()).toEqual([]);
    now = window.expiresAt + DAY_MS;
    await admission.onClientPaired(pairedAs(device, window));
    expect(book.list()).toHaveLength(1);
  });

  it('with a second key for one window is refused and shown; a repeat is nothing', async () => {
    const window = await windows.open(300_000);
    const arrivals: Arrival[] = [];
    admission.listen(window.windowId, (arrival) => arrivals.push(arrival));
    await admission.onClientPaired(pairedAs(device, window));
    await admission.onClientPaired(pairedAs(device, window));
    await admission.onClientPaired(pairedAs(await other(8), window));
    const otherX25519 = { ...pairedAs(device, window), deviceX25519: (await other(7)).x25519Public };
    await admission.onClientPaired(otherX25519);
    expect(arrivals.map(({ refused }) => refused)).toEqual([false, true, true]);
    expect(book.list()).toHaveLength(1);
  });

  it('with keys nobody can agree on is ignored', async () => {
    const window = await windows.open(300_000);
    const sound = pairedAs(device, window);
    await admission.onClientPaired({ ...sound, deviceX25519: new Uint8Array(32) });
    await admission.onClientPaired({ ...sound, deviceX25519: new Uint8Array(31) });
    await admission.onClientPaired({ ...sound, deviceEd25519: new Uint8Array(32) });
    await admission.onClientPaired({ ...sound, deviceEd25519: new Uint8Array(33) });
    expect(book.list()).toEqual([]);
  });

  it('after the window was ended is not believed', async () => {
    const window = await windows.open(300_000);
    await windows.end(window.windowId);
    await admission.onClientPaired(pairedAs(device, window));
    expect(book.list()).toEqual([]);
  });

  it('of a device that was revoked meanwhile does not bring it back', async () => {
    const window = await windows.open(300_000);
    await admission.onClientPaired(pairedAs(device, window));
    core.store.tables.devices.remove(book.list()[0]?.deviceId ?? '');
    await admission.onClientPaired(pairedAs(device, window));
    expect(book.list()).toEqual([]);
  });
});

describe('windows', () => {
  it('are forgotten with their keys a day after they ended, and an unconfirmed device with them', async () => {
    const window = await windows.open(300_000);
    await admission.onClientPaired(pairedAs(device, window));
    now = window.expiresAt + DAY_MS + 1;
    windows.forgetOld();
    expect(windows.get(window.windowId)).toBeUndefined();
    expect(book.list()).toEqual([]);
  });

  it('are kept in a bounded number', async () => {
    const first = await windows.open(300_000);
    for (let n = 0; n <= MAX_KEPT_WINDOWS; n++) {
      now++;
      await windows.open(300_000);
    }
    expect(windows.get(first.windowId)).toBeUndefined();
  });

  it('that are open and unused are opened again after a login', async () => {
    const window = await windows.open(300_000);
    now += 100_000;
    await windows.reopen();
    expect(started).toHaveLength(2);
    await admission.onClientPaired(pairedAs(device, window));
    await windows.reopen();
    expect(started).toHaveLength(2);
  });

  it('are no longer opened with 32 devices', async () => {
    for (let n = 1; n <= 32; n++) {
      const window = await windows.open(300_000);
      const keys = await other(n);
      await admission.onClientPaired(pairedAs(keys, window));
      const { channelId } =
        windows.pairingOf(window.windowId, Buffer.from(keys.ed25519Public).toString('hex')) ?? {};
      core.store.tables.pairings.confirm(channelId ?? '', true);
    }
    await expect(windows.open(300_000)).rejects.toMatchObject({
      code: 'invalid_request',
      details: { limit: 32 },
    });
  });
});

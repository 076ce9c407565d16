/** The store as a whole: limits, counts, collection, settings, the end. Part of the suite in relay-store.ts. */
import {
  DEFAULT_STORE_LIMITS,
  type RelayStore,
  STORE_ROW_BYTES,
  TOUCH_EVERY_MS,
} from '@countersign/server/ports';
import { beforeAll, describe, expect, it } from 'vitest';
import { DAY_MS, DEVICE_LIMITS, freshKey, NOW, Scene, type StoreSuite } from './relay-store.scene.js';

export function housekeepingConformance(suite: StoreSuite): void {
  let store: RelayStore;
  beforeAll(() => {
    store = suite.store;
  });

  describe('the byte limit of the whole store', () => {
    const { namespace, device: deviceRow, message } = STORE_ROW_BYTES;

    it('refuses new namespaces above its share, and nothing else', async () => {
      const small = await suite.open({ maxStoreBytes: 10 * namespace, fullForNewPercent: 50 });
      const scenes = [];
      for (let i = 0; i < 5; i++) scenes.push(await Scene.create(small));
      const [id, agent] = [freshKey(), freshKey()];
      expect(await small.touchNamespace(id, agent, NOW, true)).toBe('store_full');
      expect(await small.agentOf(id)).toBeUndefined();
      const scene = scenes[0] as Scene;
      expect(await small.touchNamespace(scene.id, scene.agent, NOW, true)).toBe('known');
      const device = await scene.authorizedDevice();
      expect(await scene.send(scene.agent, device)).toHaveProperty('seq');
    });

    it('refuses the message that would pass it, and takes one that fits exactly', async () => {
      const maxStoreBytes = namespace + deviceRow + 2 * message + 1000;
      const small = await suite.open({ maxStoreBytes });
      const scene = await Scene.create(small);
      const device = await scene.authorizedDevice();
      const send = (size: number) => scene.send(scene.agent, device, { ciphertext: new Uint8Array(size) });
      const first = await scene.seqOf(send(600));
      expect(await send(401)).toBe('store_full');
      expect(await send(400)).toHaveProperty('seq');
      expect(await send(0)).toBe('store_full');
      expect((await small.stats()).bytes).toBe(maxStoreBytes);
      await small.ackThrough(scene.id, device, first, NOW);
      expect(await send(600)).toHaveProperty('seq');
    });

    it('has a default', () => {
      expect(DEFAULT_STORE_LIMITS).toEqual({
        maxStoreBytes: 1 << 30,
        fullForNewPercent: 80,
        maxNonces: 1_000_000,
      });
    });
  });

  describe('counting', () => {
    it('starts at nothing and returns to nothing when everything is gone', async () => {
      const fresh = await suite.open();
      const empty = { namespaces: 0, devices: 0, messages: 0, bytes: 0, pushes: 0 };
      expect(await fresh.stats()).toEqual(empty);
      const scene = await Scene.create(fresh);
      const device = await scene.authorizedDevice();
      await fresh.touchDevice(scene.id, device, { deviceToken: 'tökén', platform: 1, now: NOW });
      await fresh.touchDevice(scene.id, device, { deviceToken: '', platform: 1, now: NOW });
      await scene.send(scene.agent, device, { now: NOW + 5 });
      await scene.send(device, scene.agent, { now: NOW + 6 });
      const rows = STORE_ROW_BYTES.namespace + STORE_ROW_BYTES.device + 2 * STORE_ROW_BYTES.message;
      expect(await fresh.stats()).toEqual({
        namespaces: 1,
        devices: 1,
        messages: 2,
        bytes: rows + 64 + Buffer.byteLength('tökén'),
        oldestEnqueuedAt: NOW + 5,
        pushes: 0,
      });
      await fresh.applyAuthorize(scene.id, [], NOW);
      await fresh.collect({
        now: NOW,
        pendingBefore: 0,
        emptyBefore: NOW + 1,
        idleBefore: 0,
        connected: [],
        maxRows: 10,
      });
      expect(await fresh.stats()).toEqual(empty);
    });
  });

  describe('housekeeping', () => {
    const nothing = { pendingBefore: 0, emptyBefore: 0, idleBefore: 0, connected: [], maxRows: 100 };

    it('removes expired messages in steps of the size asked', async () => {
      const fresh = await suite.open();
      const scene = await Scene.create(fresh);
      const device = await scene.authorizedDevice();
      for (let i = 1; i <= 5; i++) await scene.send(scene.agent, device, { expiresAt: NOW + i });
      const at = (now: number) => fresh.collect({ ...nothing, now, maxRows: 2 });
      expect((await at(NOW + 3)).messages).toBe(2);
      expect((await at(NOW + 3)).messages).toBe(1);
      expect((await at(NOW + 3)).messages).toBe(0);
      expect((await fresh.stats()).messages).toBe(2);
    });

    it('removes pending devices from before a time, and no authorized one', async () => {
      const fresh = await suite.open();
      const scene = await Scene.create(fresh);
      const authorized = await scene.authorizedDevice();
      const { device: old } = await scene.pair({ now: NOW });
      const { device: young } = await scene.pair({ now: NOW + 1 });
      const result = await fresh.collect({ ...nothing, now: NOW + DAY_MS, pendingBefore: NOW + 1 });
      expect(result.devices).toBe(1);
      const states = [authorized, old, young].map((each) => fresh.deviceState(scene.id, each));
      expect(await Promise.all(states)).toEqual(['authorized', 'unknown', 'pending']);
    });

    it('removes pending devices in steps of the size asked', async () => {
      const fresh = await suite.open();
      const scene = await Scene.create(fresh);
      for (let i = 0; i < 3; i++) await scene.pair();
      const step = { ...nothing, now: NOW, pendingBefore: NOW + 1, maxRows: 2 };
      expect([(await fresh.collect(step)).devices, (await fresh.collect(step)).devices]).toEqual([2, 1]);
    });

    it('removes unused namespaces: those without devices sooner than those with', async () => {
      const fresh = await suite.open();
      const empty = await Scene.create(fresh, NOW);
      const young = await Scene.create(fresh, NOW + DAY_MS);
      const paired = await Scene.create(fresh, NOW);
      const device = await paired.authorizedDevice();
      await paired.send(paired.agent, device);
      const result = await fresh.collect({ ...nothing, now: NOW + 8 * DAY_MS, emptyBefore: NOW + 1 });
      expect(result.namespaces).toBe(1);
      expect(await fresh.agentOf(empty.id)).toBeUndefined();
      expect(await fresh.agentOf(young.id)).toBeDefined();
      expect(await fresh.agentOf(paired.id)).toBeDefined();
      const later = await fresh.collect({ ...nothing, now: NOW + 91 * DAY_MS, idleBefore: NOW + 1 });
      expect(later.namespaces).toBe(1);
      expect(await fresh.deviceState(paired.id, device)).toBe('unknown');
      expect(await paired.seqsFor(device)).toEqual([]);
    });

    it('removes namespaces in steps of the size asked', async () => {
      const fresh = await suite.open();
      for (let i = 0; i < 3; i++) await Scene.create(fresh);
      const step = { ...nothing, now: NOW + 1, emptyBefore: NOW + 1, maxRows: 2 };
      expect([(await fresh.collect(step)).namespaces, (await fresh.collect(step)).namespaces]).toEqual([
        2, 1,
      ]);
    });

    it('never removes a connected namespace, which then counts as used now', async () => {
      const fresh = await suite.open();
      const scene = await Scene.create(fresh);
      const connected = [scene.id, freshKey()];
      const at = (now: number, ids: Uint8Array[]) =>
        fresh.collect({ ...nothing, now, emptyBefore: now - 7 * DAY_MS, connected: ids });
      for (let days = 10; days <= 100; days += 10) {
        expect((await at(NOW + days * DAY_MS, connected)).namespaces).toBe(0);
      }
      expect((await at(NOW + 107 * DAY_MS, [])).namespaces).toBe(0);
      expect((await at(NOW + 107 * DAY_MS + 1, [])).namespaces).toBe(1);
    });

    it('a login of a device counts as use of its namespace', async () => {
      const fresh = await suite.open();
      const scene = await Scene.create(fresh);
      const device = await scene.authorizedDevice();
      await fresh.touchDevice(scene.id, device, { deviceToken: '', platform: 3, now: NOW + DAY_MS });
      const result = await fresh.collect({ ...nothing, now: NOW + DAY_MS, idleBefore: NOW + DAY_MS });
      expect(result.namespaces).toBe(0);
    });

    it('a login says whether something is queued for the device', async () => {
      const fresh = await suite.open();
      const scene = await Scene.create(fresh);
      const [device, other] = [await scene.authorizedDevice(), freshKey()];
      const hasQueued = async (key: Uint8Array) =>
        (await fresh.touchDevice(scene.id, key, { deviceToken: '', platform: 3, now: NOW })).hasQueued;
      await scene.send(device, scene.agent, { now: NOW });
      expect(await hasQueued(device)).toBe(false);
      await scene.send(scene.agent, device, { now: NOW });
      expect([await hasQueued(device), await hasQueued(other)]).toEqual([true, false]);
    });

    it('a login that tells nothing new counts again after an hour', async () => {
      const fresh = await suite.open();
      const scene = await Scene.create(fresh);
      const device = await scene.authorizedDevice();
      const login = (now: number) =>
        fresh.touchDevice(scene.id, device, { deviceToken: '', platform: 3, now });
      const idleSince = async (idleBefore: number) =>
        (await fresh.collect({ ...nothing, now: idleBefore, idleBefore })).namespaces;
      await login(NOW + TOUCH_EVERY_MS);
      await login(NOW + 2 * TOUCH_EVERY_MS - 1);
      expect(await idleSince(NOW + TOUCH_EVERY_MS)).toBe(0);
      await login(NOW + 2 * TOUCH_EVERY_MS);
      expect(await idleSince(NOW + 2 * TOUCH_EVERY_MS)).toBe(0);
      await login(NOW + 3 * TOUCH_EVERY_MS - 1);
      expect(await idleSince(NOW + 2 * TOUCH_EVERY_MS + 1)).toBe(1);
    });

    it('a new namespace of the same id starts empty', async () => {
      const fresh = await suite.open();
      const scene = await Scene.create(fresh);
      const { attempt } = await scene.pair();
      await fresh.collect({ ...nothing, now: NOW, idleBefore: NOW + 1 });
      expect(await fresh.touchNamespace(scene.id, scene.agent, NOW, true)).toBe('created');
      expect(await fresh.pendingDevices(scene.id, 0)).toEqual([]);
      expect(await fresh.consumePairingToken(attempt, DEVICE_LIMITS)).toBe('closed');
    });
  });

  describe('settings', () => {
    it('are undefined until put, and keep the last value', async () => {
      expect(await store.getSetting('invite')).toBeUndefined();
      await store.putSetting('invite', 'one');
      await store.putSetting('invite', 'two');
      await store.putSetting('__proto__', 'three');
      expect(await store.getSetting('invite')).toBe('two');
      expect(await store.getSetting('__proto__')).toBe('three');
      expect(await store.getSetting('constructor')).toBeUndefined();
    });
  });

  describe('closing', () => {
    it('finishes what was asked before and refuses what comes after with unavailable', async () => {
      const fresh = await suite.open();
      const scene = new Scene(fresh);
      const before = fresh.touchNamespace(scene.id, scene.agent, NOW, true);
      const closing = fresh.close();
      const after = fresh.agentOf(scene.id);
      await expect(after).rejects.toMatchObject({ code: 'unavailable' });
      expect(await before).toBe('created');
      await closing;
      await fresh.close();
      await expect(fresh.stats()).rejects.toMatchObject({ code: 'unavailable' });
    });
  });
}

/** Namespaces, pairing windows, and the authorized set. Part of the suite in relay-store.ts. */
import type { RelayStore } from '@countersign/server/ports';
import { beforeAll, describe, expect, it } from 'vitest';
import { ALL, DEVICE_LIMITS, freshKey, hex, NOW, Scene, type StoreSuite } from './relay-store.scene.js';

export function pairingConformance(suite: StoreSuite): void {
  let store: RelayStore;
  beforeAll(() => {
    store = suite.store;
  });

  describe('namespaces', () => {
    it('are created once and known afterwards, with their agent', async () => {
      const [id, agent] = [freshKey(), freshKey()];
      expect(await store.touchNamespace(id, agent, NOW, true)).toBe('created');
      expect(await store.touchNamespace(id, agent, NOW, true)).toBe('known');
      expect(await store.touchNamespace(id, agent, NOW, false)).toBe('known');
      expect(hex((await store.agentOf(id)) ?? freshKey())).toBe(hex(agent));
    });

    it('are refused when new and none may be created', async () => {
      const id = freshKey();
      expect(await store.touchNamespace(id, freshKey(), NOW, false)).toBe('refused');
      expect(await store.agentOf(id)).toBeUndefined();
    });

    it('that nobody created have no devices, windows or messages', async () => {
      const scene = new Scene(store);
      const key = freshKey();
      expect(await store.deviceState(scene.id, key)).toBe('unknown');
      expect(await store.authorizedDevices(scene.id)).toEqual([]);
      expect(await store.pendingDevices(scene.id, 0)).toEqual([]);
      expect(await store.applyAuthorize(scene.id, [key], NOW)).toEqual({ authorized: 0, revoked: [] });
      expect(await scene.send(scene.agent, key)).toBe('not_found');
      expect(await scene.seqsFor(key)).toEqual([]);
      expect(await store.ackThrough(scene.id, key, 5, NOW)).toMatchObject({ messages: 0 });
      expect(await store.dropWaitingForAgent(scene.id, NOW)).toBe(0);
      expect(await store.consumePairingToken(scene.attempt(), DEVICE_LIMITS)).toBe('no_namespace');
      await expect(store.openPairingWindow(scene.id, key, NOW + 1)).rejects.toMatchObject({
        code: 'not_found',
      });
      await store.closePairingWindow(scene.id);
      await store.touchDevice(scene.id, key, { deviceToken: 'x', platform: 1, now: NOW });
    });
  });

  describe('pairing', () => {
    it('stores the device as pending, with everything it said', async () => {
      const scene = await Scene.create(store);
      const { attempt, result } = await scene.pair({ platform: 2 });
      expect(result).toBe('paired');
      expect(await store.deviceState(scene.id, attempt.ed25519)).toBe('pending');
      const [row] = await store.pendingDevices(scene.id, 0);
      expect(row).toMatchObject({ platform: 2, state: 'pending', pairedAt: NOW });
      expect([row?.ed25519, row?.x25519, row?.window].map((b) => hex(b as Uint8Array))).toEqual(
        [attempt.ed25519, attempt.x25519, attempt.window].map(hex),
      );
    });

    it('succeeds again for the same keys with the same token, without a second row', async () => {
      const scene = await Scene.create(store);
      const { attempt } = await scene.pair();
      expect(await store.consumePairingToken({ ...attempt, now: NOW + 1000 }, DEVICE_LIMITS)).toBe(
        'repeated',
      );
      expect(await store.pendingDevices(scene.id, 0)).toHaveLength(1);
    });

    it('is closed for the same keys once they were revoked', async () => {
      const scene = await Scene.create(store);
      const { attempt } = await scene.pair();
      await store.applyAuthorize(scene.id, [attempt.ed25519], NOW);
      expect(await store.consumePairingToken(attempt, DEVICE_LIMITS)).toBe('repeated');
      await store.applyAuthorize(scene.id, [], NOW);
      expect(await store.consumePairingToken(attempt, DEVICE_LIMITS)).toBe('closed');
      expect(await store.deviceState(scene.id, attempt.ed25519)).toBe('unknown');
    });

    it('is closed for another X25519 key or another device with the same token', async () => {
      const scene = await Scene.create(store);
      const { attempt } = await scene.pair();
      for (const over of [{ x25519: freshKey() }, { ed25519: freshKey() }]) {
        expect(await store.consumePairingToken({ ...attempt, ...over }, DEVICE_LIMITS)).toBe('closed');
      }
      expect(await store.pendingDevices(scene.id, 0)).toHaveLength(1);
    });

    it('is closed for a wrong token, which leaves the window open', async () => {
      const scene = await Scene.create(store);
      const attempt = scene.attempt();
      await store.openPairingWindow(scene.id, attempt.tokenHash, NOW + 1000);
      for (const tokenHash of [freshKey(), new Uint8Array(0), attempt.tokenHash.slice(0, 31)]) {
        expect(await store.consumePairingToken({ ...attempt, tokenHash }, DEVICE_LIMITS)).toBe('closed');
      }
      expect(await store.consumePairingToken(attempt, DEVICE_LIMITS)).toBe('paired');
    });

    it('is closed without a window, and once it is stopped', async () => {
      const scene = await Scene.create(store);
      const attempt = scene.attempt();
      expect(await store.consumePairingToken(attempt, DEVICE_LIMITS)).toBe('closed');
      await store.openPairingWindow(scene.id, attempt.tokenHash, NOW + 1000);
      await store.closePairingWindow(scene.id);
      expect(await store.consumePairingToken(attempt, DEVICE_LIMITS)).toBe('closed');
    });

    it('is open until the very moment the window expires', async () => {
      const scene = await Scene.create(store);
      const attempt = scene.attempt();
      await store.openPairingWindow(scene.id, attempt.tokenHash, NOW + 1000);
      const at = (now: number) => store.consumePairingToken({ ...attempt, now }, DEVICE_LIMITS);
      expect(await at(NOW + 1000)).toBe('closed');
      expect(await at(NOW + 999)).toBe('paired');
      expect(await at(NOW + 1000)).toBe('closed');
    });

    it('a new window replaces the old one', async () => {
      const scene = await Scene.create(store);
      const { attempt: first } = await scene.pair();
      const second = scene.attempt();
      await store.openPairingWindow(scene.id, second.tokenHash, NOW + 1000);
      expect(await store.consumePairingToken(first, DEVICE_LIMITS)).toBe('closed');
      expect(await store.consumePairingToken(second, DEVICE_LIMITS)).toBe('paired');
    });

    it('through one window admits one of many devices that try at once', async () => {
      const scene = await Scene.create(store);
      const { tokenHash } = scene.attempt();
      await store.openPairingWindow(scene.id, tokenHash, NOW + 1000);
      const results = await Promise.all(
        Array.from({ length: 8 }, () =>
          store.consumePairingToken(scene.attempt({ tokenHash }), DEVICE_LIMITS),
        ),
      );
      expect(results.filter((result) => result === 'paired')).toHaveLength(1);
      expect(await store.pendingDevices(scene.id, 0)).toHaveLength(1);
    });

    it('of a pending device through another window replaces its row and makes it the newest', async () => {
      const scene = await Scene.create(store);
      const { attempt } = await scene.pair();
      const other = await scene.pair();
      const again = await scene.pair({ ed25519: attempt.ed25519 });
      expect(
        (await store.pendingDevices(scene.id, 0)).map((row) => [hex(row.ed25519), hex(row.x25519)]),
      ).toEqual([
        [hex(other.device), hex(other.attempt.x25519)],
        [hex(attempt.ed25519), hex(again.attempt.x25519)],
      ]);
    });

    it('of an authorized device succeeds and changes nothing of it', async () => {
      const scene = await Scene.create(store);
      const device = await scene.authorizedDevice();
      expect((await scene.pair({ ed25519: device })).result).toBe('paired');
      expect(await store.deviceState(scene.id, device)).toBe('authorized');
      expect(await store.pendingDevices(scene.id, 0)).toEqual([]);
    });

    it('beyond the pending limit pushes out the oldest', async () => {
      const scene = await Scene.create(store);
      const devices: string[] = [];
      for (let i = 0; i < 17; i++) devices.push(hex((await scene.pair()).device));
      const pending = (await store.pendingDevices(scene.id, 0)).map((row) => hex(row.ed25519));
      expect(pending).toEqual(devices.slice(1));
    });

    it('beyond the pending limit pushes out the one paired first, not the one stored first', async () => {
      const scene = await Scene.create(store);
      const limits = { ...DEVICE_LIMITS, pendingDevices: 2 };
      const late = await scene.pair({ now: NOW + 20 }, limits);
      const early = await scene.pair({ now: NOW + 10 }, limits);
      await scene.pair({ now: NOW + 30 }, limits);
      expect(await store.deviceState(scene.id, early.device)).toBe('unknown');
      expect(await store.deviceState(scene.id, late.device)).toBe('pending');
    });

    it('lists pending devices not older than asked', async () => {
      const scene = await Scene.create(store);
      await scene.pair({ now: NOW });
      const { device } = await scene.pair({ now: NOW + 1 });
      expect((await store.pendingDevices(scene.id, NOW + 1)).map((row) => hex(row.ed25519))).toEqual([
        hex(device),
      ]);
    });
  });

  describe('authorizing', () => {
    it('makes listed pending devices authorized and leaves the others pending', async () => {
      const scene = await Scene.create(store);
      const [a, b] = [(await scene.pair()).device, (await scene.pair()).device];
      expect(await store.applyAuthorize(scene.id, [a], NOW)).toEqual({ authorized: 1, revoked: [] });
      expect(await store.deviceState(scene.id, a)).toBe('authorized');
      expect(await store.deviceState(scene.id, b)).toBe('pending');
      expect((await store.authorizedDevices(scene.id)).map(hex)).toEqual([hex(a)]);
    });

    it('ignores unknown keys and counts a repeated one once', async () => {
      const scene = await Scene.create(store);
      const { device } = await scene.pair();
      const list = [device, freshKey(), device];
      expect(await store.applyAuthorize(scene.id, list, NOW)).toEqual({ authorized: 1, revoked: [] });
    });

    it('the same list again changes nothing', async () => {
      const scene = await Scene.create(store);
      const device = await scene.authorizedDevice();
      await scene.send(scene.agent, device);
      expect(await store.applyAuthorize(scene.id, [device], NOW)).toEqual({ authorized: 1, revoked: [] });
      expect(await scene.seqsFor(device)).toHaveLength(1);
    });

    it('takes from a device that leaves the set its row and its queues in both directions, and only those', async () => {
      const scene = await Scene.create(store);
      const [gone, stays] = [await scene.authorizedDevice(), await scene.authorizedDevice()];
      await Promise.all([
        scene.send(scene.agent, gone),
        scene.send(gone, scene.agent),
        scene.send(scene.agent, stays),
        scene.send(stays, scene.agent),
      ]);
      const result = await store.applyAuthorize(scene.id, [stays], NOW);
      expect([result.authorized, result.revoked.map(hex)]).toEqual([1, [hex(gone)]]);
      expect(await store.deviceState(scene.id, gone)).toBe('unknown');
      expect(await scene.seqsFor(gone)).toEqual([]);
      expect(await scene.seqsFor(stays)).toHaveLength(1);
      const waiting = await store.takeUnproven(scene.id, scene.agent, ALL);
      expect(waiting.map((message) => hex(message.sender))).toEqual([hex(stays)]);
    });

    it('an empty list revokes everybody', async () => {
      const scene = await Scene.create(store);
      const devices = [await scene.authorizedDevice(), await scene.authorizedDevice()];
      const { authorized, revoked } = await store.applyAuthorize(scene.id, [], NOW);
      expect([authorized, revoked.map(hex).sort()]).toEqual([0, devices.map(hex).sort()]);
    });

    it('reaches no other namespace, even for the same device key', async () => {
      const [here, there] = [await Scene.create(store), await Scene.create(store)];
      const device = await here.authorizedDevice();
      await there.pair({ ed25519: device });
      await there.store.applyAuthorize(there.id, [device], NOW);
      await there.send(there.agent, device);
      await store.applyAuthorize(here.id, [], NOW);
      expect(await store.deviceState(there.id, device)).toBe('authorized');
      expect(await there.seqsFor(device)).toHaveLength(1);
    });
  });
}

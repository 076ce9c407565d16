/**
 * What every RelayStore must do, whatever it keeps its rows in. A new store runs this suite from a `.test.ts`
 * of its own. Tests share one store and keep apart by namespaces of their own; those about the whole store
 * open another.
 */
import {
  DEFAULT_STORE_LIMITS,
  type RelayStore,
  STORE_ROW_BYTES,
  type StoreLimits,
} from '@countersign/server/ports';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';

export interface StoreUnderTest {
  /** An empty store; the suite closes it. */
  open(limits?: Partial<StoreLimits>): Promise<RelayStore>;
}

const NOW = 1_700_000_000_000;
const DAY_MS = 86_400_000;
const DEVICE_LIMITS = { authorizedDevices: 32, pendingDevices: 16 };
const WIDE = { messages: 1000, bytes: 1 << 30 };
const ALL = { afterSeq: 0, maxBytes: 1 << 30, now: NOW };

let counter = 0;
/** 32 bytes nobody else in this run has. */
function freshKey(): Uint8Array {
  counter += 1;
  const key = new Uint8Array(32).fill(0xa5);
  new DataView(key.buffer).setUint32(0, counter);
  return key;
}

const hex = (bytes: Uint8Array) => Buffer.from(bytes).toString('hex');

/** A namespace and what tests do with it, all at `NOW` unless told. */
class Scene {
  readonly id = freshKey();
  readonly agent = freshKey();
  readonly store: RelayStore;

  constructor(store: RelayStore) {
    this.store = store;
  }

  static async create(store: RelayStore, now = NOW): Promise<Scene> {
    const scene = new Scene(store);
    await store.touchNamespace(scene.id, scene.agent, now, true);
    return scene;
  }

  attempt(over: Partial<Parameters<RelayStore['consumePairingToken']>[0]> = {}) {
    return {
      namespaceId: this.id,
      tokenHash: freshKey(),
      window: freshKey().slice(0, 16),
      ed25519: freshKey(),
      x25519: freshKey(),
      platform: 3,
      deviceToken: '',
      now: NOW,
      ...over,
    };
  }

  /** Opens a window and comes through it. */
  async pair(over: Partial<Parameters<RelayStore['consumePairingToken']>[0]> = {}, limits = DEVICE_LIMITS) {
    const attempt = this.attempt(over);
    await this.store.openPairingWindow(this.id, attempt.tokenHash, attempt.now + 300_000);
    const result = await this.store.consumePairingToken(attempt, limits);
    return { attempt, result, device: attempt.ed25519 };
  }

  async authorizedDevice(): Promise<Uint8Array> {
    const { device } = await this.pair();
    await this.store.applyAuthorize(this.id, [...(await this.store.authorizedDevices(this.id)), device], NOW);
    return device;
  }

  send(
    sender: Uint8Array,
    recipient: Uint8Array,
    over: Partial<Parameters<RelayStore['enqueueWithinLimits']>[0]> = {},
  ) {
    return this.store.enqueueWithinLimits({
      namespaceId: this.id,
      sender,
      recipient,
      nonce: new Uint8Array(12).fill(7),
      ciphertext: new Uint8Array(32).fill(8),
      now: NOW,
      expiresAt: NOW + 7 * DAY_MS,
      limits: WIDE,
      ...over,
    });
  }

  async seqOf(sent: ReturnType<Scene['send']>): Promise<number> {
    const result = await sent;
    if (typeof result === 'string') throw new Error(`refused: ${result}`);
    return result.seq;
  }

  async seqsFor(recipient: Uint8Array, options: Partial<Parameters<RelayStore['takeUnproven']>[2]> = {}) {
    const taken = await this.store.takeUnproven(this.id, recipient, { ...ALL, ...options });
    return taken.map((message) => message.seq);
  }
}

export function relayStoreConformance(name: string, under: StoreUnderTest): void {
  describe(`a ${name} store`, () => {
    const opened: RelayStore[] = [];
    let store: RelayStore;

    const open = async (limits?: Partial<StoreLimits>) => {
      const fresh = await under.open(limits);
      opened.push(fresh);
      return fresh;
    };

    beforeAll(async () => {
      store = await open();
    });

    afterAll(async () => {
      await Promise.all(opened.map((each) => each.close()));
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
        expect(await store.ackThrough(scene.id, key, 5)).toBe(0);
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

    describe('queueing', () => {
      it('gives back what was given, sender and times included', async () => {
        const scene = await Scene.create(store);
        const device = await scene.authorizedDevice();
        const ciphertext = Uint8Array.from({ length: 61_456 }, (_, i) => i % 251);
        const nonce = Uint8Array.from({ length: 12 }, (_, i) => i);
        const seq = await scene.seqOf(
          scene.send(scene.agent, device, { ciphertext, nonce, expiresAt: NOW + 5 }),
        );
        const [message] = await store.takeUnproven(scene.id, device, ALL);
        expect(message).toEqual({
          seq,
          sender: scene.agent,
          nonce,
          ciphertext,
          enqueuedAt: NOW,
          expiresAt: NOW + 5,
        });
      });

      it('takes its own copy of pooled bytes and leaves the caller his', async () => {
        const scene = await Scene.create(store);
        const device = await scene.authorizedDevice();
        const pool = new Uint8Array(200_000).fill(1);
        const ciphertext = pool.subarray(1000, 61_000);
        const sent = scene.send(scene.agent, device, { ciphertext });
        ciphertext.fill(2);
        await sent;
        expect(pool.length).toBe(200_000);
        const [message] = await store.takeUnproven(scene.id, device, ALL);
        expect(message?.ciphertext.every((byte) => byte === 1)).toBe(true);
      });

      it('keeps an empty and a large ciphertext', async () => {
        const scene = await Scene.create(store);
        const device = await scene.authorizedDevice();
        for (const size of [0, 600_000])
          await scene.send(scene.agent, device, { ciphertext: new Uint8Array(size) });
        const sizes = (await store.takeUnproven(scene.id, device, ALL)).map((m) => m.ciphertext.length);
        expect(sizes).toEqual([0, 600_000]);
      });

      it('numbers messages ascending per recipient, in the order they were given', async () => {
        const scene = await Scene.create(store);
        const device = await scene.authorizedDevice();
        const sent = Array.from({ length: 50 }, (_, i) =>
          scene.seqOf(scene.send(scene.agent, device, { ciphertext: Uint8Array.of(i) })),
        );
        const seqs = await Promise.all(sent);
        expect(seqs).toEqual([...seqs].sort((a, b) => a - b));
        expect(new Set(seqs).size).toBe(50);
        const taken = await store.takeUnproven(scene.id, device, ALL);
        expect(taken.map((m) => [m.seq, m.ciphertext[0]])).toEqual(seqs.map((seq, i) => [seq, i]));
      });

      it('never uses a number again, whatever was deleted', async () => {
        const scene = await Scene.create(store);
        const device = await scene.authorizedDevice();
        const first = await scene.seqOf(scene.send(scene.agent, device));
        await store.ackThrough(scene.id, device, first);
        const second = await scene.seqOf(scene.send(scene.agent, device));
        expect(second).toBeGreaterThan(first);
        await store.applyAuthorize(scene.id, [], NOW);
        await scene.pair({ ed25519: device });
        await store.applyAuthorize(scene.id, [device], NOW);
        expect(await scene.seqOf(scene.send(scene.agent, device))).toBeGreaterThan(second);
      });

      it('goes between the agent and an authorized device only', async () => {
        const scene = await Scene.create(store);
        const [a, b] = [await scene.authorizedDevice(), await scene.authorizedDevice()];
        const { device: pending } = await scene.pair();
        const pairs = [
          [a, b],
          [scene.agent, pending],
          [pending, scene.agent],
          [scene.agent, freshKey()],
          [freshKey(), scene.agent],
          [scene.agent, scene.agent],
          [freshKey(), freshKey()],
        ] as const;
        for (const [from, to] of pairs) expect(await scene.send(from, to)).toBe('not_found');
        expect(await scene.send(a, scene.agent)).toHaveProperty('seq');
      });

      it('is not found for a device revoked meanwhile, and leaves nothing from it', async () => {
        const scene = await Scene.create(store);
        const device = await scene.authorizedDevice();
        const results = await Promise.all([
          store.applyAuthorize(scene.id, [], NOW),
          scene.send(scene.agent, device),
          scene.send(device, scene.agent),
        ]);
        expect(results.slice(1)).toEqual(['not_found', 'not_found']);
        expect(await scene.seqsFor(scene.agent)).toEqual([]);
      });

      it('takes exactly as many messages as the limit says, for each sender and recipient', async () => {
        const scene = await Scene.create(store);
        const [a, b] = [await scene.authorizedDevice(), await scene.authorizedDevice()];
        const limits = { messages: 200, bytes: 4 << 20 };
        const results = await Promise.all(
          Array.from({ length: 203 }, () => scene.send(scene.agent, a, { limits })),
        );
        expect(results.filter((result) => result === 'queue_full')).toHaveLength(3);
        expect(results.lastIndexOf('queue_full')).toBe(202);
        expect(await scene.send(scene.agent, b, { limits })).toHaveProperty('seq');
        expect(await scene.send(a, scene.agent, { limits })).toHaveProperty('seq');
      });

      it('takes exactly as many bytes as the limit says', async () => {
        const scene = await Scene.create(store);
        const device = await scene.authorizedDevice();
        const limits = { messages: 10, bytes: 1000 };
        const send = (size: number) =>
          scene.send(device, scene.agent, { limits, ciphertext: new Uint8Array(size) });
        expect(await send(600)).toHaveProperty('seq');
        expect(await send(401)).toBe('queue_full');
        expect(await send(400)).toHaveProperty('seq');
        expect(await send(1)).toBe('queue_full');
      });

      it('counts neither confirmed nor expired messages against the limit', async () => {
        const scene = await Scene.create(store);
        const device = await scene.authorizedDevice();
        const limits = { messages: 2, bytes: 1000 };
        const send = (over: object) => scene.send(scene.agent, device, { limits, ...over });
        const first = await scene.seqOf(send({}));
        await send({ expiresAt: NOW + 10 });
        expect(await send({ now: NOW + 9 })).toBe('queue_full');
        expect(await send({ now: NOW + 10 })).toHaveProperty('seq');
        expect(await send({ now: NOW + 10 })).toBe('queue_full');
        await store.ackThrough(scene.id, device, first);
        expect(await send({ now: NOW + 10 })).toHaveProperty('seq');
      });
    });

    describe('taking and confirming', () => {
      it('hands out at least one message and then no more bytes than asked', async () => {
        const scene = await Scene.create(store);
        const device = await scene.authorizedDevice();
        for (const size of [500, 300, 200, 100]) {
          await scene.send(scene.agent, device, { ciphertext: new Uint8Array(size) });
        }
        const sizes = async (maxBytes: number) =>
          (await store.takeUnproven(scene.id, device, { ...ALL, maxBytes })).map((m) => m.ciphertext.length);
        expect(await sizes(0)).toEqual([500]);
        expect(await sizes(799)).toEqual([500]);
        expect(await sizes(800)).toEqual([500, 300]);
        expect(await sizes(1100)).toEqual([500, 300, 200, 100]);
      });

      it('goes on after the number given', async () => {
        const scene = await Scene.create(store);
        const device = await scene.authorizedDevice();
        const seqs = [];
        for (let i = 0; i < 3; i++) seqs.push(await scene.seqOf(scene.send(scene.agent, device)));
        expect(await scene.seqsFor(device, { afterSeq: seqs[0] as number })).toEqual(seqs.slice(1));
        expect(await scene.seqsFor(device, { afterSeq: seqs[2] as number })).toEqual([]);
      });

      it('hands out no message from the moment it expires', async () => {
        const scene = await Scene.create(store);
        const device = await scene.authorizedDevice();
        await scene.send(scene.agent, device, { expiresAt: NOW + 10 });
        const kept = await scene.seqOf(scene.send(scene.agent, device));
        expect(await scene.seqsFor(device, { now: NOW + 9 })).toHaveLength(2);
        expect(await scene.seqsFor(device, { now: NOW + 10 })).toEqual([kept]);
      });

      it('hands out only what was queued since the time asked', async () => {
        const scene = await Scene.create(store);
        const device = await scene.authorizedDevice();
        await scene.send(device, scene.agent, { now: NOW });
        const fresh = await scene.seqOf(scene.send(device, scene.agent, { now: NOW + 1 }));
        expect(await scene.seqsFor(scene.agent, { enqueuedNotBefore: NOW + 1 })).toEqual([fresh]);
      });

      it('takes nothing away until it is confirmed, and then only up to the number', async () => {
        const scene = await Scene.create(store);
        const [device, other] = [await scene.authorizedDevice(), await scene.authorizedDevice()];
        const seqs: number[] = [];
        for (let i = 0; i < 3; i++) seqs.push(await scene.seqOf(scene.send(scene.agent, device)));
        await scene.send(scene.agent, other);
        expect(await scene.seqsFor(device)).toEqual(seqs);
        expect(await store.ackThrough(scene.id, device, seqs[1] as number)).toBe(2);
        expect(await store.ackThrough(scene.id, device, seqs[1] as number)).toBe(0);
        expect(await scene.seqsFor(device)).toEqual(seqs.slice(2));
        expect(await scene.seqsFor(other)).toHaveLength(1);
      });

      it('drops what waits for the agent from before a time, and nothing that waits for devices', async () => {
        const scene = await Scene.create(store);
        const device = await scene.authorizedDevice();
        await scene.send(device, scene.agent, { now: NOW - 1 });
        const kept = await scene.seqOf(scene.send(device, scene.agent, { now: NOW }));
        await scene.send(scene.agent, device, { now: NOW - 1 });
        expect(await store.dropWaitingForAgent(scene.id, NOW)).toBe(1);
        expect(await scene.seqsFor(scene.agent)).toEqual([kept]);
        expect(await scene.seqsFor(device)).toHaveLength(1);
      });

      it('any order of sending, confirming and taking agrees with a plain list', async () => {
        const step = fc.oneof(
          fc.record({ kind: fc.constant('send' as const), size: fc.integer({ min: 0, max: 300 }) }),
          fc.record({ kind: fc.constant('ack' as const), share: fc.double({ min: 0, max: 1, noNaN: true }) }),
          fc.record({ kind: fc.constant('take' as const), maxBytes: fc.integer({ min: 0, max: 600 }) }),
        );
        await fc.assert(
          fc.asyncProperty(fc.array(step, { maxLength: 30 }), async (steps) => {
            const scene = await Scene.create(store);
            const device = await scene.authorizedDevice();
            const limits = { messages: 5, bytes: 700 };
            let model: { seq: number; size: number }[] = [];
            for (const each of steps) {
              if (each.kind === 'send') {
                const bytes = model.reduce((sum, { size }) => sum + size, each.size);
                const result = await scene.send(scene.agent, device, {
                  limits,
                  ciphertext: new Uint8Array(each.size),
                });
                if (model.length >= limits.messages || bytes > limits.bytes)
                  expect(result).toBe('queue_full');
                else model.push({ seq: (result as { seq: number }).seq, size: each.size });
              } else if (each.kind === 'ack') {
                const through = model[Math.floor(each.share * (model.length - 1))]?.seq ?? 0;
                await store.ackThrough(scene.id, device, through);
                model = model.filter(({ seq }) => seq > through);
              } else {
                let bytes = 0;
                const expected = model.filter(({ size }, i) => {
                  bytes += size;
                  return i === 0 || bytes <= each.maxBytes;
                });
                expect(await scene.seqsFor(device, { maxBytes: each.maxBytes })).toEqual(
                  expected.map(({ seq }) => seq),
                );
              }
            }
          }),
          { numRuns: 20 },
        );
      });
    });

    describe('the byte limit of the whole store', () => {
      const { namespace, device: deviceRow, message } = STORE_ROW_BYTES;

      it('refuses new namespaces above its share, and nothing else', async () => {
        const small = await open({ maxStoreBytes: 10 * namespace, fullForNewPercent: 50 });
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
        const small = await open({ maxStoreBytes });
        const scene = await Scene.create(small);
        const device = await scene.authorizedDevice();
        const send = (size: number) => scene.send(scene.agent, device, { ciphertext: new Uint8Array(size) });
        const first = await scene.seqOf(send(600));
        expect(await send(401)).toBe('store_full');
        expect(await send(400)).toHaveProperty('seq');
        expect(await send(0)).toBe('store_full');
        expect((await small.stats()).bytes).toBe(maxStoreBytes);
        await small.ackThrough(scene.id, device, first);
        expect(await send(600)).toHaveProperty('seq');
      });

      it('has a default', () => {
        expect(DEFAULT_STORE_LIMITS).toEqual({ maxStoreBytes: 1 << 30, fullForNewPercent: 80 });
      });
    });

    describe('counting', () => {
      it('starts at nothing and returns to nothing when everything is gone', async () => {
        const fresh = await open();
        const empty = { namespaces: 0, devices: 0, messages: 0, bytes: 0 };
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
        const fresh = await open();
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
        const fresh = await open();
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
        const fresh = await open();
        const scene = await Scene.create(fresh);
        for (let i = 0; i < 3; i++) await scene.pair();
        const step = { ...nothing, now: NOW, pendingBefore: NOW + 1, maxRows: 2 };
        expect([(await fresh.collect(step)).devices, (await fresh.collect(step)).devices]).toEqual([2, 1]);
      });

      it('removes unused namespaces: those without devices sooner than those with', async () => {
        const fresh = await open();
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
        const fresh = await open();
        for (let i = 0; i < 3; i++) await Scene.create(fresh);
        const step = { ...nothing, now: NOW + 1, emptyBefore: NOW + 1, maxRows: 2 };
        expect([(await fresh.collect(step)).namespaces, (await fresh.collect(step)).namespaces]).toEqual([
          2, 1,
        ]);
      });

      it('never removes a connected namespace, which then counts as used now', async () => {
        const fresh = await open();
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
        const fresh = await open();
        const scene = await Scene.create(fresh);
        const device = await scene.authorizedDevice();
        await fresh.touchDevice(scene.id, device, { deviceToken: '', platform: 3, now: NOW + DAY_MS });
        const result = await fresh.collect({ ...nothing, now: NOW + DAY_MS, idleBefore: NOW + DAY_MS });
        expect(result.namespaces).toBe(0);
      });

      it('a new namespace of the same id starts empty', async () => {
        const fresh = await open();
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
        const fresh = await open();
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
  });
}

/** The push outbox of a store: written with messages, leased, settled, reported. */
import {
  type LeasedPush,
  MAX_REPORTS_PER_AGENT,
  type NewPush,
  PUSH_LANES,
  type PushLane,
  REPORT_LIFE_MS,
  type RelayStore,
} from '@countersign/server/ports';
import { beforeEach, describe, expect, it } from 'vitest';
import { freshKey, NOW, Scene, type StoreSuite, WIDE } from './relay-store.scene.js';

const LIFE_MS = 600_000;
const LEASE_MS = 60_000;
const ROOM = Object.fromEntries(PUSH_LANES.map((lane) => [lane, 100])) as Record<PushLane, number>;
const ALERT: NewPush = { intent: 'alert', dueAt: NOW, expiresAt: NOW + LIFE_MS, isReported: true };
const REPLACE: NewPush = { ...ALERT, intent: 'replace' };

let refs = 0n;
const collapse = (item: number) => new Uint8Array(16).fill(item);

export function pushesConformance(suite: StoreSuite): void {
  describe('the push outbox', () => {
    let store: RelayStore;
    let scene: Scene;
    let device: Uint8Array;

    beforeEach(async () => {
      store = suite.store;
      // What other tests left is due for ever: it goes first.
      for (let late = NOW + 100 * LIFE_MS, left = await take({ now: late }); left.length > 0; ) {
        for (const { lease } of left) {
          await store.settlePush(lease, { kind: 'done', outcome: 'failed', detail: 'left' }, NOW);
        }
        late += LIFE_MS;
        left = await take({ now: late });
      }
      scene = await Scene.create(store);
      device = await scene.authorizedDevice();
      await register('token-1');
    });

    const register = (deviceToken: string, now = NOW, over: object = {}) =>
      store.touchDevice(scene.id, device, { deviceToken, provider: 'apns', platform: 1, now, ...over });

    async function take(
      over: Partial<Parameters<RelayStore['takePushBatch']>[0]> = {},
    ): Promise<LeasedPush[]> {
      const now = over.now ?? NOW;
      const options = { now, leaseUntil: now + LEASE_MS, room: ROOM, maxContentBytes: 2_625, ...over };
      return [...(await store.takePushBatch(options)).pushes];
    }

    async function send(push: NewPush | undefined, item?: number, over: object = {}) {
      refs += 1n;
      const ref = refs;
      const hints = item === undefined ? {} : { hints: { collapse: collapse(item) } };
      const nonce = new Uint8Array(12);
      new DataView(nonce.buffer).setBigUint64(0, ref);
      const result = await scene.send(scene.agent, device, { nonce, ref, push, ...hints, ...over });
      return { ref, result, seq: typeof result === 'string' ? 0 : result.seq };
    }

    const reports = async (): Promise<string[]> => {
      const taken = await store.takeReports(scene.id, { limit: 5_000, notBefore: 0 });
      return taken.map(({ ref, outcome, detail }) => `${ref} ${outcome} ${detail}`);
    };

    describe('leasing', () => {
      it('hands out a due push with its message, its device and its registration, once', async () => {
        const { seq } = await send(ALERT, 1, { ciphertext: new Uint8Array(40).fill(9) });
        const [leased, ...others] = await take();
        expect(others).toEqual([]);
        expect(leased).toMatchObject({
          namespaceId: scene.id,
          agent: scene.agent,
          device,
          platform: 1,
          registration: { deviceToken: 'token-1', provider: 'apns', registeredAt: NOW },
          ...{ intent: 'alert', collapse: collapse(1), seq, attempts: 0, unknowns: 0 },
          content: { ciphertext: new Uint8Array(40).fill(9) },
          ...{ createdAt: NOW, expiresAt: NOW + LIFE_MS },
        });
        expect(await take()).toEqual([]);
      });

      it('gives nothing before its time, and says when that is', async () => {
        await send({ ...ALERT, dueAt: NOW + 10_000 });
        const options = { now: NOW, leaseUntil: NOW + LEASE_MS, room: ROOM, maxContentBytes: 1 };
        expect(await store.takePushBatch(options)).toEqual({ pushes: [], nextDueAt: { apns: NOW + 10_000 } });
        expect(await take({ now: NOW + 10_000 })).toHaveLength(1);
      });

      it('holds a device’s other pushes back until the one that is leased is settled', async () => {
        const [first, second] = [await send(ALERT, 1), await send(ALERT, 2)];
        const [leased] = await take();
        expect(leased?.seq).toBe(first.seq);
        expect(await take()).toEqual([]);
        const done = { kind: 'done', outcome: 'accepted', detail: 'content' } as const;
        expect(await store.settlePush((leased as LeasedPush).lease, done, NOW)).toMatchObject({
          reported: true,
          nextDueAt: NOW,
        });
        expect((await take()).map(({ seq }) => seq)).toEqual([second.seq]);
        expect(await reports()).toEqual([`${first.ref} accepted content`]);
      });

      it('gives no more of a lane than there is room, those due longest first', async () => {
        await send(ALERT, 1);
        const other = await scene.authorizedDevice();
        await store.touchDevice(scene.id, other, {
          deviceToken: 't',
          provider: 'apns',
          platform: 1,
          now: NOW,
        });
        await scene.send(scene.agent, other, { push: { ...ALERT, dueAt: NOW - 5 } });
        const taken = await take({ room: { ...ROOM, apns: 1 } });
        expect(taken.map((each) => each.device)).toEqual([other]);
        expect(await take({ room: { ...ROOM, apns: 0 } })).toEqual([]);
        expect(await take()).toHaveLength(1);
      });

      it('gives content over the limit as none', async () => {
        await send(ALERT, 1, { ciphertext: new Uint8Array(100) });
        const [leased] = await take({ maxContentBytes: 99 });
        expect(leased?.content).toBeUndefined();
      });

      it('gives a push again when nobody settled it, as one that may have gone out', async () => {
        await send(ALERT, 1);
        const [first] = await take();
        expect(await take({ now: NOW + LEASE_MS - 1 })).toEqual([]);
        const [again] = await take({ now: NOW + LEASE_MS });
        expect(again).toMatchObject({ unknowns: 1, attempts: 0 });
        const done = { kind: 'done', outcome: 'accepted', detail: '' } as const;
        await store.settlePush((first as LeasedPush).lease, done, NOW);
        expect(await reports()).toEqual([]);
      });
    });

    describe('settling', () => {
      it('again comes back at its time, counted; deferred comes back uncounted', async () => {
        await send(ALERT, 1);
        const [first] = await take();
        const again = { kind: 'again', notBefore: NOW + 500, reason: 'busy', unknown: true } as const;
        await store.settlePush((first as LeasedPush).lease, again, NOW);
        expect(await take({ now: NOW + 499 })).toEqual([]);
        const [second] = await take({ now: NOW + 500 });
        expect(second).toMatchObject({ attempts: 1, unknowns: 1, reason: 'busy' });
        await store.settlePush((second as LeasedPush).lease, { kind: 'defer', notBefore: NOW + 600 }, NOW);
        const [third] = await take({ now: NOW + 600 });
        expect(third).toMatchObject({ attempts: 1, unknowns: 1, reason: 'busy' });
      });

      it('as a wake it has lost its content for good', async () => {
        await send(ALERT, 1);
        const [first] = await take();
        const again = { kind: 'again', notBefore: NOW, reason: 'too_large', asWake: true } as const;
        await store.settlePush((first as LeasedPush).lease, again, NOW);
        expect((await take())[0]).toMatchObject({ intent: 'alert', content: undefined });
      });

      it('keeps the environment a provider tells', async () => {
        await send(ALERT, 1);
        const [leased] = await take();
        const done = { kind: 'done', outcome: 'accepted', detail: '', environment: 'sandbox' } as const;
        await store.settlePush((leased as LeasedPush).lease, done, NOW);
        expect(await store.pushRegistration(scene.id, device)).toMatchObject({ environment: 'sandbox' });
        await register('token-2');
        expect((await store.pushRegistration(scene.id, device))?.environment).toBeUndefined();
      });
    });

    describe('a dead token', () => {
      const dead = {
        kind: 'dead',
        token: 'token-1',
        registeredAt: NOW,
        reason: 'Unregistered',
        notBefore: NOW,
      } as const;

      it('goes, its push ends, and the next one of the device finds none', async () => {
        const { ref } = await send(ALERT, 1);
        await send(ALERT, 2);
        const [leased] = await take();
        expect(await store.settlePush((leased as LeasedPush).lease, dead, NOW)).toMatchObject({
          removedToken: true,
          reported: true,
        });
        expect(await reports()).toEqual([`${ref} no_token Unregistered`]);
        const [next] = await take();
        expect(next?.registration).toMatchObject({
          deviceToken: '',
          provider: undefined,
          problem: 'Unregistered',
        });
      });

      it.each([
        ['another one came meanwhile', 'token-2', NOW + 1, undefined],
        ['the device brought it again meanwhile', 'token-1', NOW + 1, undefined],
        ['the device brought it after it died', 'token-1', NOW, NOW - 1],
      ])('stays when %s, and its push comes again', async (_, token, at, since) => {
        await send(ALERT, 1);
        const [leased] = await take();
        await register(token, at);
        const settled = await store.settlePush((leased as LeasedPush).lease, { ...dead, since }, NOW);
        expect(settled).toMatchObject({ removedToken: false, reported: false });
        expect(await store.pushRegistration(scene.id, device)).toMatchObject({ deviceToken: token });
        expect(await take()).toHaveLength(1);
      });
    });

    describe('what takes the place of what', () => {
      it('a message of the same collapse goes, its push with it; others stay', async () => {
        const [first, other] = [await send(ALERT, 1), await send(ALERT, 2)];
        const second = await send(ALERT, 1);
        expect(await scene.seqsFor(device)).toEqual([other.seq, second.seq]);
        expect(await reports()).toEqual([`${first.ref} superseded newer`]);
        expect(second.result).toMatchObject({ reported: true });
      });

      it('a replace takes along a first push that was never sent', async () => {
        const [first, second] = [await send(ALERT, 1), await send(REPLACE, 1)];
        expect(await take()).toEqual([]);
        expect(await scene.seqsFor(device)).toEqual([second.seq]);
        expect(await reports()).toEqual([
          `${first.ref} superseded settled`,
          `${second.ref} superseded settled`,
        ]);
      });

      it.each([
        ['is being sent', undefined],
        ['was sent', { kind: 'done', outcome: 'accepted', detail: '' }],
        ['may have been sent', { kind: 'again', notBefore: NOW + 1, reason: 'timeout', unknown: true }],
      ] as const)('a replace is pushed when the first push %s', async (_, settlement) => {
        await send(ALERT, 1);
        const [leased] = await take();
        if (settlement) await store.settlePush((leased as LeasedPush).lease, settlement, NOW);
        await send(REPLACE, 1);
        const taken = await take({ now: NOW + LEASE_MS });
        expect(taken.map(({ intent }) => intent)).toEqual(['replace']);
      });

      it('a replace is pushed when a later alert of an item that was pushed still waits', async () => {
        await send(ALERT, 1);
        const [leased] = await take();
        const done = { kind: 'done', outcome: 'accepted', detail: '' } as const;
        await store.settlePush((leased as LeasedPush).lease, done, NOW);
        await send(ALERT, 1);
        await send(REPLACE, 1);
        expect((await take()).map(({ intent }) => intent)).toEqual(['replace']);
      });

      it('a message without a push ends that of its collapse', async () => {
        const { ref } = await send(ALERT, 1);
        await send(undefined, 1);
        expect(await take()).toEqual([]);
        expect(await reports()).toEqual([`${ref} superseded newer`]);
      });
    });

    describe('a full queue', () => {
      const limits = { messages: 2, bytes: 1_000 };

      it('loses its oldest hinted message, whose push stays as a wake', async () => {
        const plain = await send(undefined, undefined, { limits });
        await send(ALERT, 1, { limits });
        const third = await send(ALERT, 2, { limits });
        expect(await scene.seqsFor(device)).toEqual([plain.seq, third.seq]);
        expect((await take())[0]).toMatchObject({ collapse: collapse(1), content: undefined });
      });

      it('loses as many as must go for the bytes of a new one', async () => {
        for (const item of [1, 2]) await send(ALERT, item, { limits, ciphertext: new Uint8Array(400) });
        const large = await send(ALERT, 3, { limits, ciphertext: new Uint8Array(900) });
        expect(await scene.seqsFor(device)).toEqual([large.seq]);
      });

      it('refuses what it cannot make room for, and an alert leaves a wake, the last one only', async () => {
        for (let i = 0; i < 2; i++) await send(undefined, undefined, { limits });
        const [first, second] = [await send(ALERT, 1, { limits }), await send(ALERT, 2, { limits })];
        expect([first.result, second.result]).toEqual(['queue_full', 'queue_full']);
        expect(await reports()).toEqual([`${first.ref} superseded newer`]);
        const taken = await take();
        expect(taken).toMatchObject([{ intent: 'wake', content: undefined }]);
        expect((await send(REPLACE, 3, { limits })).result).toBe('queue_full');
      });
    });

    describe('a proof of receipt', () => {
      it('ends the pushes up to it, also the one being sent', async () => {
        const [first, second] = [await send(ALERT, 1), await send(ALERT, 2)];
        const third = await send({ ...ALERT, dueAt: NOW + 1 }, 3);
        const [leased] = await take();
        expect(await store.ackThrough(scene.id, device, second.seq, NOW)).toEqual({
          messages: 2,
          reported: true,
        });
        expect(await reports()).toEqual([first, second].map(({ ref }) => `${ref} superseded received`));
        const again = { kind: 'again', notBefore: NOW, reason: '' } as const;
        await store.settlePush((leased as LeasedPush).lease, again, NOW);
        expect((await take({ now: NOW + 1 })).map(({ seq }) => seq)).toEqual([third.seq]);
      });

      it('that does not come makes a push due at once', async () => {
        const [first] = [
          await send({ ...ALERT, dueAt: NOW + 10_000 }, 1),
          await send({ ...ALERT, dueAt: NOW + 10_000 }, 2),
        ];
        expect(await store.hastenPushes(scene.id, device, [first.seq], NOW)).toBe(true);
        expect(await store.hastenPushes(scene.id, device, [first.seq], NOW)).toBe(false);
        expect(await store.hastenPushes(scene.id, freshKey(), [first.seq], NOW)).toBe(false);
        expect((await take()).map(({ seq }) => seq)).toEqual([first.seq]);
      });
    });

    describe('a device', () => {
      it('that is revoked takes its pushes along, and the agent hears so', async () => {
        const { ref } = await send(ALERT, 1);
        await store.applyAuthorize(scene.id, [], NOW);
        expect(await take()).toEqual([]);
        expect(await reports()).toEqual([`${ref} no_device revoked`]);
        expect(await store.pushRegistration(scene.id, device)).toBeUndefined();
      });

      it('without a token has a push only for an agent that wants to hear of it', async () => {
        const other = await scene.authorizedDevice();
        await scene.send(scene.agent, other, { push: { ...ALERT, isReported: false } });
        expect(await take()).toEqual([]);
        await scene.send(scene.agent, other, { push: ALERT, ref: 7n });
        expect((await take())[0]?.registration).toMatchObject({ deviceToken: '' });
      });

      it('that brings a token has its waiting pushes sent there', async () => {
        await send(ALERT, 1);
        await register('fcm-token', NOW, { provider: 'fcm' });
        expect(await take({ room: { ...ROOM, fcm: 0 } })).toEqual([]);
        expect((await take())[0]?.registration).toMatchObject({ deviceToken: 'fcm-token', provider: 'fcm' });
      });

      it('keeps its token when it brings none or one of no use, and remembers why it has none', async () => {
        await store.touchDevice(scene.id, device, {
          deviceToken: '',
          tokenProblem: 'malformed',
          platform: 1,
          now: NOW,
        });
        expect(await store.pushRegistration(scene.id, device)).toMatchObject({
          deviceToken: 'token-1',
          problem: undefined,
        });
        const other = await scene.authorizedDevice();
        await store.touchDevice(scene.id, other, {
          deviceToken: '',
          tokenProblem: 'malformed',
          platform: 1,
          now: NOW,
        });
        expect(await store.pushRegistration(scene.id, other)).toMatchObject({ problem: 'malformed' });
      });

      it('has one name for each registration, as long as it knows such names', async () => {
        const [first, second] = [freshKey().slice(0, 16), freshKey().slice(0, 16)];
        const named = async (...args: Parameters<typeof register>) => (await register(...args)).handle;
        expect(await named('token-1', NOW, { newHandle: first })).toEqual(first);
        expect(await named('token-1', NOW, { newHandle: second })).toEqual(first);
        expect(await named('', NOW, { newHandle: second })).toEqual(first);
        expect(await named('token-2', NOW, { newHandle: second })).toEqual(second);
        expect(await named('token-2')).toBeUndefined();
        expect((await store.pushRegistration(scene.id, device))?.handle).toBeUndefined();
      });

      it('keeps the Web Push key of its subscription until it brings another one', async () => {
        await register('sub-1', NOW, { provider: 'webpush', vapidPublicKey: 'old' });
        await register('sub-1', NOW, { provider: 'webpush', vapidPublicKey: 'new' });
        expect(await store.pushRegistration(scene.id, device)).toMatchObject({ vapidPublicKey: 'old' });
        await register('sub-2', NOW, { provider: 'webpush', vapidPublicKey: 'new' });
        expect(await store.pushRegistration(scene.id, device)).toMatchObject({ vapidPublicKey: 'new' });
      });
    });

    describe('reports', () => {
      it('are taken oldest first and stay until they are dropped', async () => {
        for (const item of [1, 1, 1]) await send(ALERT, item);
        const [first, second] = await store.takeReports(scene.id, { limit: 5, notBefore: 0 });
        expect(first).toMatchObject({ peer: device, outcome: 'superseded', detail: 'newer' });
        expect(await store.takeReports(scene.id, { limit: 1, notBefore: 0 })).toEqual([first]);
        await store.dropReports(scene.id, first?.id ?? 0);
        expect(await store.takeReports(scene.id, { limit: 5, notBefore: 0 })).toEqual([second]);
        expect(await store.takeReports(freshKey(), { limit: 5, notBefore: 0 })).toEqual([]);
      });

      it('hold any uint64', async () => {
        const top = 2n ** 64n - 1n;
        await send(ALERT, 1, { ref: top });
        await send(ALERT, 1);
        expect(await reports()).toEqual([`${top} superseded newer`]);
      });

      it('are kept for a day, and 1,000 of an agent', async () => {
        for (let i = 0; i <= MAX_REPORTS_PER_AGENT + 1; i++) await send(ALERT, 1);
        expect(await reports()).toHaveLength(MAX_REPORTS_PER_AGENT);
        const none = await store.takeReports(scene.id, { limit: 5, notBefore: NOW + 1 });
        expect(none).toEqual([]);
        const late = { now: NOW + REPORT_LIFE_MS, pendingBefore: 0, emptyBefore: 0, idleBefore: 0 };
        for (let i = 0; i < 3; i++) await store.collect({ ...late, connected: [], maxRows: 500 });
        expect(await reports()).toEqual([]);
      });
    });

    it('is counted, and counts for nothing once it is empty', async () => {
      const fresh = await suite.open();
      const own = await Scene.create(fresh);
      const phone = await own.authorizedDevice();
      await fresh.touchDevice(own.id, phone, { deviceToken: 't', provider: 'apns', platform: 1, now: NOW });
      const before = (await fresh.stats()).bytes;
      const seq = await own.seqOf(own.send(own.agent, phone, { push: ALERT, limits: WIDE }));
      expect(await fresh.stats()).toMatchObject({ pushes: 1, oldestPushAt: NOW });
      await fresh.ackThrough(own.id, phone, seq, NOW);
      expect(await fresh.stats()).toMatchObject({ pushes: 0, bytes: before });
    });
  });
}

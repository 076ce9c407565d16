/**
 * Publicly reported faults of push senders that an adapter alone cannot have, played against the outbox and its worker with
 * the real adapters and the gateways; the names carry the report.
 */
import type { Notifier } from '@countersign/server/ports';
import { afterAll, afterEach, beforeAll, expect, it } from 'vitest';
import { apnsOf, fcmOf, openPushWorld, type PushWorld, webPushOf } from '../../support/push/notifiers.js';
import { WorkerScene } from '../../support/push/worker-scene.js';

const SECOND = 1_000;
const MINUTE = 60 * SECOND;

let world: PushWorld;
const opened: WorkerScene[] = [];

beforeAll(async () => {
  world = await openPushWorld();
});
afterAll(() => world.close());
afterEach(async () => {
  const { apns, fcm, webPush } = world.gateways;
  for (const { script } of [apns, fcm, webPush]) script.clear();
  await Promise.all(opened.splice(0).map(({ worker }) => worker.stop()));
});

async function open(notifier: Notifier): Promise<WorkerScene> {
  const scene = await WorkerScene.open({ clock: world.clock, notifiers: () => [notifier] });
  opened.push(scene);
  return scene;
}

const apnsPhone = (scene: WorkerScene, token = world.gateways.apns.registerDevice()) =>
  scene.device({ provider: 'apns', deviceToken: token, platform: 1 });
const subscription = () => JSON.stringify(world.gateways.webPush.subscribe());
const browser = (scene: WorkerScene, token = subscription()) =>
  scene.device({ deviceToken: token, platform: 3 });
const tokenOf = async (scene: WorkerScene, device: Uint8Array) =>
  (await scene.store.pushRegistration(scene.scene.id, device))?.deviceToken;

it('parse-community/node-apn#142: many rows due at once all end accepted', async () => {
  const scene = await open(apnsOf(world));
  const before = world.gateways.apns.delivered.count;
  for (let i = 0; i < 600; i++) await scene.put(await apnsPhone(scene));
  await world.gateways.apns.delivered.whenCount(before + 600);
  await scene.answered(600);
  expect(scene.attempts.items.filter(({ outcome }) => outcome !== 'accepted')).toEqual([]);
  expect((await scene.store.stats()).pushes).toBe(0);
});

it('parse-community/node-apn#38: a push that timed out here and arrived there is repeated, shown once, and suspected', async () => {
  const scene = await open(apnsOf(world));
  const token = world.gateways.apns.registerDevice();
  const device = await apnsPhone(scene, token);
  const requests = world.gateways.apns.traffic.count;
  world.gateways.apns.script.next({ wire: 'blackhole', delivered: true });
  const ref = await scene.put(device);
  await world.gateways.apns.traffic.whenCount(requests + 1);
  await scene.advance(10 * SECOND);
  await scene.answered(1);
  await scene.advance(MINUTE);
  await scene.answered(2);
  expect(world.gateways.apns.shown(token)).toHaveLength(1);
  expect(scene.attempts.items.map(({ outcome, isDuplicate }) => [outcome, isDuplicate])).toEqual([
    ['unknown', false],
    ['accepted', true],
  ]);
  expect(await scene.reports()).toEqual([`${ref} accepted content`]);
});

it('DocNR/clave#14: a token that both hosts refuse an hour apart is gone, and the agent hears so', async () => {
  const scene = await open(apnsOf(world));
  const device = await apnsPhone(scene, 'ef'.repeat(32));
  const ref = await scene.put(device, { expiresAt: world.clock.now() + 180 * MINUTE });
  await scene.answered(1);
  expect(await tokenOf(scene, device)).toBe('ef'.repeat(32));
  await scene.advance(60 * MINUTE);
  await scene.answered(2);
  expect(await tokenOf(scene, device)).toBe('');
  expect(await scene.reports()).toEqual([`${ref} no_token BadDeviceToken`]);
});

it('firebase/firebase-admin-node#1248: a push that was taken and answered 503 is repeated under one id', async () => {
  const scene = await open(fcmOf(world));
  const token = world.gateways.fcm.registerDevice();
  const before = world.gateways.fcm.delivered.count;
  world.gateways.fcm.script.next({ error: 'UNAVAILABLE', delivered: true });
  await scene.put(await scene.device({ provider: 'fcm', deviceToken: token }));
  await scene.answered(1);
  await scene.advance(MINUTE);
  await scene.answered(2);
  const [first, second, ...more] = world.gateways.fcm.delivered.items.slice(before);
  expect(more).toEqual([]);
  expect(first?.data).toEqual(second?.data);
});

it.each([
  [90, 90 * SECOND],
  [undefined, 60 * SECOND],
])(
  'firebase/firebase-admin-node#43, firebase-admin-go#603: after 429 with Retry-After %s the next try waits %i ms',
  async (retryAfter, waitMs) => {
    const scene = await open(fcmOf(world));
    world.gateways.fcm.script.next({
      error: 'QUOTA_EXCEEDED',
      ...(retryAfter !== undefined && { retryAfter }),
    });
    const deviceToken = world.gateways.fcm.registerDevice();
    await scene.put(await scene.device({ provider: 'fcm', deviceToken }));
    await scene.answered(1);
    const requests = world.gateways.fcm.traffic.count;
    await scene.advance(waitMs - 1);
    expect(world.gateways.fcm.traffic.count).toBe(requests);
    await scene.advance(5 * MINUTE);
    await scene.answered(2);
    expect(scene.attempts.items.map(({ outcome }) => outcome)).toEqual(['retry', 'accepted']);
  },
);

it('xtrinch/fcm-django#223: a push that Google finds malformed ends alone; the token stays for the next', async () => {
  const scene = await open(fcmOf(world));
  const deviceToken = world.gateways.fcm.registerDevice();
  const device = await scene.device({ provider: 'fcm', deviceToken });
  world.gateways.fcm.script.next({ error: 'INVALID_ARGUMENT' });
  await scene.put(device);
  await scene.answered(1);
  await scene.put(device);
  await scene.answered(2);
  expect(await scene.reports()).toEqual(['1 refused INVALID_ARGUMENT', '2 accepted content']);
});

it('web-push-csharp#93, WindowsAppSDK#3501: 406 with Retry-After 900 delays, and deletes nothing', async () => {
  const scene = await open(webPushOf(world));
  const device = await browser(scene);
  world.gateways.webPush.script.next({ status: 406, retryAfter: 900 });
  await scene.put(device);
  await scene.answered(1);
  await scene.advance(900 * SECOND - 1);
  expect(scene.attempts.count).toBe(1);
  await scene.advance(5 * MINUTE);
  await scene.answered(2);
  expect(await scene.reports()).toEqual(['1 accepted content']);
});

it.each([{ wire: 'disconnect' }, { status: 500 }, { status: 403 }] as const)(
  'laravel-notification-channels/webpush#60, towns#1629: after %j the subscription and its push are kept',
  async (step) => {
    const scene = await open(webPushOf(world));
    const token = subscription();
    const device = await browser(scene, token);
    world.gateways.webPush.script.next(step);
    await scene.put(device);
    await scene.answered(1);
    expect(await tokenOf(scene, device)).toBe(token);
    await scene.advance(2 * MINUTE);
    await scene.answered(2);
    expect(await scene.reports()).toEqual(['1 accepted content']);
  },
);

it('laravel-notification-channels/webpush#60, w3c/push-api#325, web-push#387: a 410 for the old endpoint leaves the one that came meanwhile', async () => {
  const scene = await open(webPushOf(world));
  const [old, changed] = [subscription(), subscription()];
  const device = await browser(scene, old);
  let release = (): void => undefined;
  const until = new Promise<void>((resolve) => {
    release = resolve;
  });
  const requests = world.gateways.webPush.traffic.count;
  world.gateways.webPush.script.next({ status: 410, until });
  await scene.put(device);
  await world.gateways.webPush.traffic.whenCount(requests + 1);
  await scene.store.touchDevice(scene.scene.id, device, {
    ...{ deviceToken: changed, provider: 'webpush', platform: 3, now: world.clock.now() },
  });
  release();
  await scene.answered(2);
  expect(await tokenOf(scene, device)).toBe(changed);
  expect(await scene.reports()).toEqual(['1 accepted content']);
  expect(world.gateways.webPush.delivered.items.at(-1)).toMatchObject({
    endpoint: JSON.parse(changed).endpoint,
  });
});

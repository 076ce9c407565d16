/** A provider that cannot be reached: nothing went out, and everybody can say so. */
import { createPrivateKey } from 'node:crypto';
import type { AddressInfo } from 'node:net';
import { createServer } from 'node:net';
import type { Notifier, PushTarget } from '@countersign/server/ports';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { ApnsNotifier } from '../../server/src/adapters/notifier/apns/index.js';
import { DEFAULT_TOPIC } from '../gateways/index.js';
import { fcmOf, openPushWorld, type PushWorld, TEXTS, webPushOf } from '../support/push/notifiers.js';
import { pushTo } from '../support/push/push-to.js';

let world: PushWorld;
let port: number;

beforeAll(async () => {
  world = await openPushWorld();
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  ({ port } = server.address() as AddressInfo);
  await new Promise((resolve) => server.close(resolve));
});
afterAll(() => world.close());

function unreachableApns(): [Notifier, PushTarget] {
  const { credential } = world.gateways.apns;
  const key = { ...credential, key: createPrivateKey(credential.key) };
  const host = { address: '127.0.0.1', port, ca: world.gateways.ca };
  const notifier = new ApnsNotifier({
    apps: [{ id: 'main', topic: DEFAULT_TOPIC, key, ...TEXTS }],
    clock: world.clock,
    hosts: { production: host, sandbox: host },
  });
  return [notifier, { token: 'ab'.repeat(32) }];
}

function unreachableWebPush(): [Notifier, PushTarget] {
  const resolve = () => Promise.reject(Object.assign(new Error('no such name'), { syscall: 'getaddrinfo' }));
  return [webPushOf(world, { resolve }), { token: JSON.stringify(world.gateways.webPush.subscribe()) }];
}

it.each([
  ['APNs', unreachableApns],
  ['Web Push', unreachableWebPush],
])('%s says that nothing was sent', async (_, open) => {
  const [notifier, target] = open();
  expect(await notifier.send(pushTo(target))).toEqual({ outcome: 'retry', reason: 'not_sent' });
  await notifier.close();
});

it('FCM says that it got no access token', async () => {
  const notifier = fcmOf({ ...world, gateways: { ...world.gateways, ca: '' } });
  expect(await notifier.send(pushTo({ token: world.gateways.fcm.registerDevice() }))).toMatchObject({
    outcome: 'retry',
    reason: 'oauth_unavailable',
  });
  await notifier.close();
});

it('a name that cannot be resolved now does not refuse a registration', async () => {
  const [notifier, target] = unreachableWebPush();
  expect(await notifier.checkToken(target)).toBe('ok');
  await notifier.close();
});

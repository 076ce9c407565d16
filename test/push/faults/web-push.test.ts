/** Publicly reported faults of senders of Web Push, each played against our adapter; the names carry the report. */
import { afterAll, afterEach, beforeAll, expect, it } from 'vitest';
import { WebPushNotifier } from '../../../server/src/adapters/notifier/webpush/index.js';
import {
  LOOPBACK,
  openPushWorld,
  type PushWorld,
  vapidPair,
  webPushOf,
} from '../../support/push/notifiers.js';
import { pushTo } from '../../support/push/push-to.js';

let world: PushWorld;
const opened: WebPushNotifier[] = [];

beforeAll(async () => {
  world = await openPushWorld();
  await world.gateways.webPush.addOrigin();
});
afterAll(() => world.close());
afterEach(async () => {
  world.gateways.webPush.script.clear();
  await Promise.all(opened.splice(0).map((notifier) => notifier.close()));
});

const gateway = () => world.gateways.webPush;
const open = (...rest: [Parameters<typeof webPushOf>[1]?, Parameters<typeof webPushOf>[2]?]) => {
  const notifier = webPushOf(world, ...rest);
  opened.push(notifier);
  return notifier;
};
const browser = (origin = 0) => ({ token: JSON.stringify(gateway().subscribe({ origin })) });

it.each(['drip', 'blackhole'] as const)(
  'web-push-libs/web-push#568: a service that answers by %s is left after 5 s, and stops no other',
  async (wire) => {
    const web = open();
    const requests = gateway().traffic.count;
    gateway().script.next({ times: 4, wire });
    const slow = Array.from({ length: 8 }, () => web.send(pushTo(browser())));
    await gateway().traffic.whenCount(requests + 4);
    expect(await web.send(pushTo(browser(1)))).toEqual({ outcome: 'accepted' });
    world.clock.advance(5_000);
    const outcomes = (await Promise.all(slow)).map(({ outcome }) => outcome);
    expect(outcomes.filter((outcome) => outcome === 'accepted')).toHaveLength(4);
    // The status counts when it came before the end.
    expect(outcomes.filter((outcome) => outcome === 'unknown' || outcome === 'bad_request')).toHaveLength(4);
  },
);

it('flood: an endless answer is cut at 4 KiB', async () => {
  const web = open();
  gateway().script.next({ wire: 'flood' });
  expect(await web.send(pushTo(browser()))).toEqual({ outcome: 'bad_request', reason: 'status_400' });
  expect(await web.send(pushTo(browser()))).toEqual({ outcome: 'accepted' });
});

it('web-push-libs/web-push#947: what we sign is taken, for each origin with its own audience', async () => {
  const web = open();
  for (const origin of [0, 1, 0])
    expect(await web.send(pushTo(browser(origin)))).toEqual({ outcome: 'accepted' });
  world.clock.advance(13 * 3_600_000);
  expect(await web.send(pushTo(browser()))).toEqual({ outcome: 'accepted' });
});

it('web-push-csharp#93, WindowsAppSDK#3501: 406 with Retry-After is a throttle', async () => {
  gateway().script.next({ status: 406, retryAfter: 900 });
  expect(await open().send(pushTo(browser()))).toEqual({
    outcome: 'retry',
    reason: 'status_406',
    afterMs: 900_000,
  });
});

it.each([
  [{ wire: 'disconnect' }, { outcome: 'unknown', reason: 'connection_lost' }],
  [{ status: 500 }, { outcome: 'retry', reason: 'status_500', afterMs: 10_000 }],
  [{ status: 507 }, { outcome: 'retry', reason: 'status_507', afterMs: 10_000 }],
  [{ status: 403 }, { outcome: 'config', reason: 'status_403' }],
  [{ status: 400 }, { outcome: 'bad_request', reason: 'status_400' }],
  [{ status: 413 }, { outcome: 'too_large' }],
] as const)(
  'laravel-notification-channels/webpush#60, towns#1629: %j ends no subscription',
  async (step, outcome) => {
    gateway().script.next(step);
    expect(await open().send(pushTo(browser()))).toEqual(outcome);
  },
);

it('laravel-notification-channels/webpush#60: a refused key is the subscription’s once the origin is known to work', async () => {
  const web = open();
  await web.send(pushTo(browser()));
  const foreign = { token: JSON.stringify(gateway().subscribe({ vapidPublicKey: vapidPair().publicKey })) };
  expect(await web.send(pushTo(foreign))).toEqual({ outcome: 'bad_request', reason: 'status_403' });
});

it('a subscription is signed for with the key it was made under', async () => {
  const [present, old] = [vapidPair(), vapidPair()];
  const web = open({}, [present, old]);
  const token = JSON.stringify(gateway().subscribe({ vapidPublicKey: old.publicKey }));
  expect(await web.send(pushTo({ token, vapidPublicKey: old.publicKey }))).toEqual({ outcome: 'accepted' });
  expect(await web.send(pushTo({ token, vapidPublicKey: vapidPair().publicKey }))).toEqual({
    outcome: 'bad_request',
    reason: 'vapid_key_unknown',
  });
});

it.each([
  '127.0.0.1',
  '169.254.169.254',
  '100.64.0.1',
  '[::ffff:127.0.0.1]',
  '[64:ff9b::7f00:1]',
  '[fd00::1]',
])(
  'basecamp/once-campfire#265: an endpoint at %s is refused when it is registered and when it is sent to',
  async (host) => {
    const web = new WebPushNotifier({
      keys: [vapidPair()],
      subject: 'mailto:operator@relay.example',
      origins: ['*'],
      clock: world.clock,
    });
    opened.push(web);
    const token = JSON.stringify({ ...gateway().subscribe(), endpoint: `https://${host}/push` });
    expect(await web.checkToken({ token })).toBe('forbidden_endpoint');
    expect(await web.send(pushTo({ token }))).toEqual({
      outcome: 'bad_request',
      reason: 'forbidden_endpoint',
    });
  },
);

it('SandeepVashishtha/Eventra#19010: a name that turns private after its registration is not connected to', async () => {
  let address = '17.57.144.1';
  const resolve = () => Promise.resolve([{ address, family: 4 }]);
  const web = open({ resolve, isSafe: (each) => each === '17.57.144.1' });
  const target = browser();
  expect(await web.checkToken(target)).toBe('ok');
  address = '127.0.0.1';
  const connections = gateway().origins.map(({ listener }) => listener.wire.opened);
  expect(await web.send(pushTo(target))).toEqual({ outcome: 'bad_request', reason: 'unsafe_address' });
  expect(await web.checkToken(target)).toBe('forbidden_endpoint');
  expect(gateway().origins.map(({ listener }) => listener.wire.opened)).toEqual(connections);
});

it('SandeepVashishtha/Eventra#19010: one private address among public ones is enough to refuse', async () => {
  const resolve = () => Promise.resolve(['127.0.0.1', '10.0.0.1'].map((address) => ({ address, family: 4 })));
  const web = open({ ...LOOPBACK, resolve });
  expect(await web.checkToken(browser())).toBe('forbidden_endpoint');
  expect(await web.send(pushTo(browser()))).toEqual({ outcome: 'bad_request', reason: 'unsafe_address' });
});

it('basecamp/once-campfire#265: a redirect is not followed', async () => {
  const requests = gateway().traffic.count;
  gateway().script.next({ redirect: `${gateway().origins[1]?.origin}/push/elsewhere` });
  expect(await open().send(pushTo(browser()))).toEqual({ outcome: 'bad_request', reason: 'status_307' });
  expect(gateway().traffic.count).toBe(requests + 1);
});

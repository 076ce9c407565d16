/** Publicly reported faults of senders to FCM, each played against our adapter; the names carry the report. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, expect, it } from 'vitest';
import type { FcmNotifier } from '../../../server/src/adapters/notifier/fcm/index.js';
import { readSources, root } from '../../house/source-graph.js';
import { fcmOf, openPushWorld, type PushWorld } from '../../support/push/notifiers.js';
import { pushTo } from '../../support/push/push-to.js';

let world: PushWorld;
let fcm: FcmNotifier;

beforeAll(async () => {
  world = await openPushWorld();
});
afterAll(() => world.close());

beforeEach(() => {
  fcm = fcmOf(world);
});
afterEach(async () => {
  world.gateways.fcm.script.clear();
  world.gateways.fcm.oauthScript.clear();
  await fcm.close();
});

const gateway = () => world.gateways.fcm;
const send = (change = {}) => fcm.send(pushTo({ token: gateway().registerDevice() }, change));

it('firebase/firebase-admin-node#2960: both hosts are reached through our agent, with an account that is no file', async () => {
  const before = { api: gateway().api.wire.opened, oauth: gateway().oauth.wire.opened };
  expect(await send()).toEqual({ outcome: 'accepted' });
  expect(gateway().api.wire.opened).toBe(before.api + 1);
  expect(gateway().oauth.wire.opened).toBe(before.oauth + 1);
});

it('firebase/firebase-admin-node#2943, firebase/firebase-admin-node#2789, parse-server-push-adapter#340: resets during 200 sends break nothing', async () => {
  const rejections: unknown[] = [];
  const note = (reason: unknown): unknown => rejections.push(reason);
  process.on('unhandledRejection', note);
  gateway().script.next({ times: 50 });
  gateway().script.next({ times: 20, wire: 'disconnect' });
  const outcomes = await Promise.all(Array.from({ length: 200 }, () => send()));
  await new Promise((resolve) => setImmediate(resolve));
  process.off('unhandledRejection', note);
  expect(rejections).toEqual([]);
  expect(outcomes.every(({ outcome }) => outcome === 'accepted' || outcome === 'unknown')).toBe(true);
  expect(await send()).toEqual({ outcome: 'accepted' });
});

it('firebase/firebase-admin-node#2943: nothing here calls what goes over HTTP/2', () => {
  const files = readSources('server/src').map(({ path }) => path);
  const calling = files.filter((path) =>
    /\bsendEach|sendMulticast|sendAll\b/.test(readFileSync(join(root, path), 'utf8')),
  );
  expect(calling).toEqual([]);
});

it('firebase/firebase-admin-node#2865: a strict server that speaks both takes what we send over HTTP/1.1', async () => {
  const from = gateway().traffic.count;
  await send();
  expect(gateway().traffic.items.slice(from)).toMatchObject([
    { httpVersion: '1.1', answer: { status: 200 } },
  ]);
});

it.each([
  [90, 90_000],
  [undefined, 60_000],
])(
  'firebase/firebase-admin-node#43, firebase-admin-go#603: 429 with Retry-After %s waits %i ms',
  async (retryAfter, afterMs) => {
    gateway().script.next({ error: 'QUOTA_EXCEEDED', ...(retryAfter !== undefined && { retryAfter }) });
    expect(await send()).toEqual({ outcome: 'retry', reason: 'QUOTA_EXCEEDED', afterMs });
  },
);

it('firebase/firebase-admin-node#43: Retry-After as a date counts too', async () => {
  gateway().script.next({ error: 'UNAVAILABLE', retryAfter: new Date(world.clock.now() + 120_000) });
  expect(await send()).toMatchObject({ outcome: 'retry', reason: 'status_503', afterMs: 120_000 });
});

it.each([
  [{ error: 'INVALID_ARGUMENT' }, 'bad_request'],
  [{ error: 'INVALID_ARGUMENT', message: 'Invalid data payload key: from' }, 'bad_request'],
  [{ error: 'INVALID_ARGUMENT', message: 'Android message is too big' }, 'too_large'],
  [{ bare: 'NOT_FOUND' }, 'config'],
  [{ bare: 'PERMISSION_DENIED' }, 'config'],
  [{ error: 'THIRD_PARTY_AUTH_ERROR' }, 'config'],
  [{ error: 'INTERNAL' }, 'retry'],
  [{ html502: true }, 'retry'],
] as const)('xtrinch/fcm-django#223: %j ends no token', async (step, outcome) => {
  gateway().script.next(step);
  expect(await send()).toMatchObject({ outcome });
});

it('xtrinch/fcm-django#223: a device that is gone, or somebody else’s, does', async () => {
  gateway().script.next({ error: 'UNREGISTERED' });
  expect(await send()).toEqual({ outcome: 'dead', reason: 'UNREGISTERED' });
  gateway().script.next({ error: 'SENDER_ID_MISMATCH' });
  expect(await send()).toEqual({ outcome: 'dead', reason: 'SENDER_ID_MISMATCH' });
});

it('beste/firebase-php#574, node-gcm#254, firebase-admin-go#159: no envelope has a key that Google reserves', async () => {
  const handle = { handle: new Uint8Array(16).fill(5) };
  for (const address of [undefined, handle]) {
    for (const content of [undefined, { kind: 'wake' }]) {
      const change = { ...(address && { address }), ...(content && { content }) };
      expect(await send(change)).toEqual({ outcome: 'accepted' });
    }
  }
});

it('an access token that Google no longer takes is renewed once, then it is the account', async () => {
  await send();
  gateway().revokeTokens();
  expect(await send()).toEqual({ outcome: 'retry', reason: 'UNAUTHENTICATED' });
  expect(await send()).toEqual({ outcome: 'accepted' });
  gateway().script.next({ times: 2, bare: 'UNAUTHENTICATED' });
  expect(await send()).toMatchObject({ outcome: 'retry' });
  expect(await send()).toEqual({ outcome: 'config', reason: 'UNAUTHENTICATED' });
});

it('a token endpoint that fails is asked once for all sends, and the account is blamed only when it is refused', async () => {
  const requests = gateway().oauthTraffic.count;
  gateway().oauthScript.next({ status: 500 });
  const outcomes = await Promise.all(Array.from({ length: 20 }, () => send()));
  expect(new Set(outcomes.map((outcome) => JSON.stringify(outcome)))).toEqual(
    new Set(['{"outcome":"retry","reason":"oauth_unavailable","afterMs":10000}']),
  );
  expect(gateway().oauthTraffic.count).toBe(requests + 1);
  gateway().oauthScript.next({ status: 400, body: '{"error":"invalid_grant"}' });
  expect(await send()).toEqual({ outcome: 'config', reason: 'oauth_refused' });
});

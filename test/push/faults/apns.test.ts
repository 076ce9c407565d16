/** Publicly reported faults of senders to APNs, each played against our adapter; the names carry the report. */

import type { PushTarget } from '@countersign/server/ports';
import { afterAll, afterEach, beforeAll, beforeEach, expect, it } from 'vitest';
import type { ApnsNotifier } from '../../../server/src/adapters/notifier/apns/index.js';
import { apnsOf, openPushWorld, type PushWorld } from '../../support/push/notifiers.js';
import { pushTo } from '../../support/push/push-to.js';

const MINUTE_MS = 60_000;

let world: PushWorld;
let apns: ApnsNotifier;

beforeAll(async () => {
  world = await openPushWorld();
});
afterAll(() => world.close());

beforeEach(() => {
  apns = apnsOf(world);
});
afterEach(async () => {
  world.gateways.apns.script.clear();
  await apns.close();
});

const gateway = () => world.gateways.apns;
const phone = (): PushTarget => ({ token: gateway().registerDevice(), environment: 'production' });
const accepted = { outcome: 'accepted', environment: 'production' };
/** Repeats what may or may not have gone out, as the outbox does. */
const untilAccepted = async (push: Parameters<ApnsNotifier['send']>[0]): Promise<number> => {
  for (let tries = 1; tries <= 3; tries += 1) {
    const { outcome } = await apns.send(push);
    if (outcome === 'accepted') return tries;
    expect(['unknown', 'retry']).toContain(outcome);
  }
  throw new Error('not accepted in three tries');
};
/** The provider's clock, so far from ours. */
const dated = (skewMs: number) => ({ date: new Date(world.clock.now() + skewMs).toUTCString() });
const tokensSeen = (from: number) =>
  new Set(
    gateway()
      .traffic.items.slice(from)
      .map(({ headers }) => headers.find(([name]) => name === 'authorization')?.[1]),
  ).size;

it('parse-community/node-apn#140: pushes in flight at a GOAWAY all arrive, repeats under one collapse id', async () => {
  await apns.send(pushTo(phone()));
  gateway().script.next({ times: 5 });
  gateway().script.next({ goaway: { when: 'before', reason: 'Shutdown' } });
  const phones = Array.from({ length: 20 }, phone);
  await Promise.all(phones.map((target) => untilAccepted(pushTo(target))));
  expect(phones.map(({ token }) => gateway().shown(token).length)).toEqual(Array(20).fill(1));
});

it('parse-community/node-apn#142: a burst far over the cap loses nothing', async () => {
  const phones = Array.from({ length: 400 }, phone);
  const outcomes = await Promise.all(phones.map((target) => apns.send(pushTo(target))));
  expect(outcomes.filter(({ outcome }) => outcome !== 'accepted')).toEqual([]);
});

it('parse-community/node-apn#158, node-apn/node-apn#583: a half-open connection is replaced after two timeouts', async () => {
  await apns.send(pushTo(phone()));
  const before = { opened: gateway().production.wire.opened };
  gateway().production.wire.freeze();
  for (let timeouts = 1; timeouts <= 2; timeouts += 1) {
    const sending = apns.send(pushTo(phone()));
    await new Promise((resolve) => setImmediate(resolve));
    world.clock.advance(10_000);
    expect(await sending).toEqual({ outcome: 'unknown', reason: 'timeout' });
  }
  expect(await apns.send(pushTo(phone()))).toEqual(accepted);
  expect(gateway().production.wire.opened).toBe(before.opened + 1);
  gateway().production.wire.resetAll();
});

it('parse-community/node-apn#38: a push that timed out here and arrived there is shown once', async () => {
  const target = phone();
  const push = pushTo(target);
  const requests = gateway().traffic.count;
  gateway().script.next({ wire: 'blackhole', delivered: true });
  const sending = apns.send(push);
  await gateway().traffic.whenCount(requests + 1);
  world.clock.advance(10_000);
  expect(await sending).toEqual({ outcome: 'unknown', reason: 'timeout' });
  expect(await apns.send(push)).toEqual(accepted);
  expect(gateway().delivered.items.filter(({ token }) => token === target.token)).toHaveLength(2);
  expect(gateway().shown(target.token)).toHaveLength(1);
});

it('node-apn/node-apn#590, AndrewBarba/apns2#44: a token is as old as its first use, and young ones are kept', async () => {
  const from = gateway().traffic.count;
  world.clock.advance(45 * MINUTE_MS);
  await apns.send(pushTo(phone()));
  world.clock.advance(16 * MINUTE_MS);
  expect(await apns.send(pushTo(phone()))).toEqual(accepted);
  expect(tokensSeen(from)).toBe(1);
  world.clock.advance(45 * MINUTE_MS);
  expect(await apns.send(pushTo(phone()))).toEqual(accepted);
  expect(tokensSeen(from)).toBe(2);
});

it('node-apn/node-apn#590: a wrong clock is named, and never answered with more tokens', async () => {
  const from = gateway().traffic.count;
  gateway().script.next({ times: 5, reason: 'ExpiredProviderToken', headers: dated(0) });
  for (let tries = 0; tries < 5; tries += 1) {
    expect(await apns.send(pushTo(phone()))).toEqual({ outcome: 'config', reason: 'clock_skew' });
  }
  expect(tokensSeen(from)).toBe(1);
});

it.each([-301_000, 301_000])(
  'node-apn/node-apn#590: a provider whose clock is %i ms from ours tells so',
  async (skewMs) => {
    gateway().script.next({ reason: 'InvalidProviderToken', headers: dated(skewMs) });
    expect(await apns.send(pushTo(phone()))).toEqual({ outcome: 'config', reason: 'clock_skew' });
  },
);

it('node-apn/node-apn#590: after TooManyProviderTokenUpdates nothing is sent for 20 minutes', async () => {
  gateway().script.next({ reason: 'TooManyProviderTokenUpdates' });
  const held = { outcome: 'config', reason: 'TooManyProviderTokenUpdates', afterMs: 20 * MINUTE_MS };
  expect(await apns.send(pushTo(phone()))).toEqual(held);
  const requests = gateway().traffic.count;
  expect(await apns.send(pushTo(phone()))).toEqual(held);
  expect(gateway().traffic.count).toBe(requests);
  world.clock.advance(20 * MINUTE_MS);
  expect(await apns.send(pushTo(phone()))).toEqual(accepted);
});

it('jchambers/pushy#732: refusals that lower the stream limit cost no other push', async () => {
  await apns.send(pushTo(phone()));
  const stranger = (): PushTarget => ({ token: 'ab'.repeat(32), environment: 'production' });
  const targets = Array.from({ length: 100 }, (_, at) => (at % 5 === 0 ? stranger() : phone()));
  const outcomes = await Promise.all(targets.map((target) => apns.send(pushTo(target))));
  expect(outcomes.filter(({ outcome }) => outcome === 'accepted')).toHaveLength(80);
  expect(outcomes.filter(({ outcome }) => outcome === 'dead')).toHaveLength(20);
});

it('DocNR/clave#14: after a GOAWAY the next pushes take a new connection', async () => {
  gateway().script.next({ goaway: { when: 'after', reason: 'Shutdown' } });
  expect(await apns.send(pushTo(phone()))).toEqual(accepted);
  const { opened } = gateway().production.wire;
  for (let sent = 0; sent < 5; sent += 1) await untilAccepted(pushTo(phone()));
  expect(gateway().production.wire.opened).toBe(opened + 1);
});

it('DocNR/clave#14: a token that both hosts refuse twice is gone', async () => {
  const target = { token: 'cd'.repeat(32) };
  const first = await apns.send(pushTo(target));
  expect(first).toEqual({ outcome: 'retry', reason: 'BadDeviceToken', afterMs: 60 * MINUTE_MS });
  world.clock.advance(60 * MINUTE_MS);
  expect(await apns.send(pushTo(target))).toEqual({ outcome: 'dead', reason: 'BadDeviceToken' });
});

it('MapleTechLabs/maple#524: a token kept under the wrong environment is found in the other one', async () => {
  const [token, sandboxToken] = [
    gateway().registerDevice(),
    gateway().registerDevice({ environment: 'sandbox' }),
  ];
  expect(await apns.send(pushTo({ token, environment: 'sandbox' }))).toEqual(accepted);
  for (const environment of [undefined, 'production', 'sandbox'] as const) {
    expect(await apns.send(pushTo({ token: sandboxToken, environment }))).toEqual({
      outcome: 'accepted',
      environment: 'sandbox',
    });
  }
});

it.each([
  ['Unregistered', { outcome: 'dead', reason: 'Unregistered', since: 1_700_000_000_000 }],
  ['ExpiredToken', { outcome: 'dead', reason: 'ExpiredToken', since: 1_700_000_000_000 }],
  ['TopicDisallowed', { outcome: 'config', reason: 'TopicDisallowed' }],
  ['BadTopic', { outcome: 'config', reason: 'BadTopic' }],
  ['DeviceTokenNotForTopic', { outcome: 'config', reason: 'DeviceTokenNotForTopic' }],
  ['InvalidProviderToken', { outcome: 'config', reason: 'InvalidProviderToken' }],
  ['BadEnvironmentKeyIdInToken', { outcome: 'config', reason: 'BadEnvironmentKeyIdInToken' }],
  ['BadPriority', { outcome: 'bad_request', reason: 'BadPriority' }],
  ['PayloadTooLarge', { outcome: 'too_large' }],
  ['TooManyRequests', { outcome: 'retry', reason: 'TooManyRequests', afterMs: 60_000 }],
  ['ServiceUnavailable', { outcome: 'retry', reason: 'ServiceUnavailable', afterMs: 10_000 }],
] as const)(
  'matrix-org/sygnal#279: %s is neither swallowed nor taken for a dead token',
  async (reason, outcome) => {
    gateway().script.next({ reason, timestamp: 1_700_000_000_000, headers: dated(0) });
    expect(await apns.send(pushTo(phone()))).toEqual(outcome);
  },
);

it('matrix-org/sygnal#279: a token of another app ends that token alone, once this app is known to work', async () => {
  await apns.send(pushTo(phone()));
  gateway().script.next({ reason: 'DeviceTokenNotForTopic' });
  expect(await apns.send(pushTo(phone()))).toEqual({ outcome: 'dead', reason: 'DeviceTokenNotForTopic' });
});

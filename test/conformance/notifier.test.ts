/** The suite for push adapters, on a stub in memory and on the three real ones against the local gateways. */
import type { PushTarget } from '@countersign/server/ports';
import { afterAll, beforeAll } from 'vitest';
import type { Ledger } from '../gateways/kit/ledger.js';
import type { Script, Step } from '../gateways/kit/script.js';
import type { RecordedRequest } from '../gateways/kit/traffic.js';
import { apnsOf, fcmOf, openPushWorld, type PushWorld, webPushOf } from '../support/push/notifiers.js';
import { stubScene } from '../support/push/stub-notifier.js';
import { type Fault, type NotifierScene, notifierConformance } from './notifier.js';

let world: PushWorld;
beforeAll(async () => {
  world = await openPushWorld();
});
afterAll(() => world.close());

interface Gateway<S extends Step> {
  readonly script: Script<S>;
  readonly traffic: Ledger<RecordedRequest>;
  readonly delivered: Ledger<unknown>;
}

/** `Fault` in the words of a gateway; undefined for the ones that all share. */
type Worded<S extends Step> = Readonly<
  Record<'dead' | 'throttled' | 'server_fault' | 'config' | 'bad_request' | 'too_large', S>
>;

function sceneOf<S extends Step>(
  gateway: Gateway<S>,
  parts: Pick<NotifierScene, 'notifier' | 'device'>,
  worded: Worded<S>,
): NotifierScene {
  const before = { requests: gateway.traffic.count, accepted: gateway.delivered.count };
  return {
    ...parts,
    fault: (fault) => gateway.script.next(stepOf(fault, worded)),
    hold: () => {
      let release = (): void => undefined;
      const until = new Promise<void>((resolve) => {
        release = resolve;
      });
      gateway.script.next({ times: parts.notifier.maxPerGroup, until } as unknown as S);
      return release;
    },
    accepted: () => gateway.delivered.count - before.accepted,
    requests: () => gateway.traffic.count - before.requests,
    reached: (requests) => gateway.traffic.whenCount(before.requests + requests),
    advance: (ms) => world.clock.advance(ms),
    close: async () => gateway.script.clear(),
  };
}

function stepOf<S extends Step>(fault: Fault, worded: Worded<S>): S {
  if (fault.kind === 'disconnect') return { wire: 'disconnect' } as unknown as S;
  if (fault.kind === 'silence') return { wire: 'blackhole' } as unknown as S;
  const retryAfter = fault.kind === 'throttled' ? fault.retryAfterSeconds : undefined;
  return { ...worded[fault.kind], ...(retryAfter !== undefined && { retryAfter }) };
}

notifierConformance('stub', stubScene);

notifierConformance('APNs', async () => {
  const { apns } = world.gateways;
  const device = (): PushTarget => ({ token: apns.registerDevice(), environment: 'production' });
  return sceneOf(
    apns,
    { notifier: apnsOf(world), device },
    {
      dead: { reason: 'Unregistered', timestamp: 1_700_000_000_000 },
      throttled: { reason: 'TooManyRequests' },
      server_fault: { reason: 'InternalServerError' },
      config: { reason: 'InvalidProviderToken' },
      bad_request: { reason: 'BadCollapseId' },
      too_large: { reason: 'PayloadTooLarge' },
    },
  );
});

notifierConformance('FCM', async () => {
  const { fcm } = world.gateways;
  const device = (): PushTarget => ({ token: fcm.registerDevice() });
  return sceneOf(
    fcm,
    { notifier: fcmOf(world), device },
    {
      dead: { error: 'UNREGISTERED' },
      throttled: { error: 'QUOTA_EXCEEDED' },
      server_fault: { error: 'UNAVAILABLE' },
      config: { bare: 'NOT_FOUND' },
      bad_request: { error: 'INVALID_ARGUMENT' },
      too_large: { status: 413 },
    },
  );
});

notifierConformance('Web Push', async () => {
  const { webPush } = world.gateways;
  const device = (): PushTarget => ({ token: JSON.stringify(webPush.subscribe()) });
  return sceneOf(
    webPush,
    { notifier: webPushOf(world), device },
    {
      dead: { status: 410 },
      throttled: { status: 429 },
      server_fault: { status: 503 },
      config: { status: 403, reason: 'BadJwtToken' },
      bad_request: { status: 400 },
      too_large: { status: 413 },
    },
  );
});

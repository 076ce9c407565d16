/** Makes the push adapters that the settings ask for. The other file, besides `compose.ts`, that names adapters. */
import { resolve } from 'node:path';
import { nodeRandom } from './adapters/runtime/node/index.js';
import { type DeviceLookUp, lookUpDevice } from './adapters/store/sqlite/index.js';
import { configError, MEMORY, type PushSetup, type RelayConfig, readPush } from './config/index.js';
import type { Clock, Notifier, PushOutcome, PushProvider } from './ports/index.js';

const LOOPBACK = '127.0.0.1';
const COLLAPSE_BYTES = 24;

/** One for each configured provider, whose library is loaded only then; nothing is connected before the first push. */
export async function openNotifiers(setup: PushSetup, clock: Clock): Promise<Notifier[]> {
  const all = await Promise.all([apnsOf(setup, clock), fcmOf(setup, clock), webPushOf(setup, clock)]);
  return all.filter((notifier) => notifier !== undefined);
}

/** For the operator, at the start. */
export function pushFacts(setup: PushSetup | undefined): string[] {
  if (setup === undefined) return [];
  const named = (name: string, apps: readonly { readonly id: string }[]) =>
    apps.length === 0 ? [] : [`${name} (${apps.map(({ id }) => id).join(', ')})`];
  const web = setup.webPush === undefined ? [] : ['Web Push'];
  return [...named('APNs', setup.apns), ...named('FCM', setup.fcm), ...web];
}

/** A trial push's way and end; `no_token` says why nothing was sent. */
export type TrialPush =
  | { readonly provider: PushProvider; readonly outcome: PushOutcome }
  | { readonly noToken: string };

const TRIAL_LIFE_MS = 60_000;

/**
 * Sends a real wake to one device and tells the provider's answer, whether or not a relay runs on the data file; nothing is
 * written. `device`: the first hex digits of its key, eight or more and an even number.
 * @throws CountersignError `invalid_request`, `not_found`, or what reading the data file says.
 */
export async function pushTrial(config: RelayConfig, device: string, clock: Clock): Promise<TrialPush> {
  if (config.store === MEMORY) throw configError('store', 'memory keeps no device that could be looked up');
  if (!/^(?:[0-9a-f]{2}){4,32}$/i.test(device)) {
    throw configError('device', 'must be the first hex digits of its key, eight or more and an even number');
  }
  const found = lookUpDevice(resolve(config.store), device);
  const setup = readPush(config);
  if (setup === undefined) return { noToken: 'no_provider' };
  const notifiers = await openNotifiers(setup, clock);
  try {
    return await tryPush(found, notifiers);
  } finally {
    await Promise.all(notifiers.map((notifier) => notifier.close()));
  }
}

async function tryPush(found: DeviceLookUp, notifiers: readonly Notifier[]): Promise<TrialPush> {
  const { registration, namespaceId, agent } = found;
  const { deviceToken: token, app, environment, vapidPublicKey, handle, provider, problem } = registration;
  if (token === '') return { noToken: problem ?? 'never_registered' };
  const notifier = notifiers.find((each) => each.provider === provider);
  if (notifier === undefined) return { noToken: 'no_provider' };
  const outcome = await notifier.send({
    target: { token, app, environment, vapidPublicKey },
    address: handle === undefined ? { namespaceId, sender: agent } : { handle },
    content: { kind: 'wake' },
    intent: 'alert',
    collapse: nodeRandom.bytes(COLLAPSE_BYTES),
    ttlMs: TRIAL_LIFE_MS,
  });
  return { provider: notifier.provider, outcome };
}

async function apnsOf({ apns: apps, gateways }: PushSetup, clock: Clock): Promise<Notifier | undefined> {
  if (apps.length === 0) return undefined;
  const { ApnsNotifier } = await import('./adapters/notifier/apns/index.js');
  const at = (port: number, ca: string) => ({ address: LOOPBACK, port, ca });
  const hosts = gateways && {
    production: at(gateways.apnsPort, gateways.ca),
    sandbox: at(gateways.apnsSandboxPort, gateways.ca),
  };
  return new ApnsNotifier({ apps, clock, hosts });
}

async function fcmOf({ fcm: apps, gateways }: PushSetup, clock: Clock): Promise<Notifier | undefined> {
  if (apps.length === 0) return undefined;
  const { FcmNotifier } = await import('./adapters/notifier/fcm/index.js');
  const host = gateways && {
    address: LOOPBACK,
    port: gateways.fcmPort,
    oauthPort: gateways.fcmOauthPort,
    ca: gateways.ca,
  };
  return new FcmNotifier({ apps, clock, host });
}

async function webPushOf({ webPush, gateways }: PushSetup, clock: Clock): Promise<Notifier | undefined> {
  if (webPush === undefined) return undefined;
  const { WebPushNotifier } = await import('./adapters/notifier/webpush/index.js');
  // Local gateways have loopback addresses, and nothing else is asked then.
  const network = gateways && {
    ca: gateways.ca,
    resolve: () => Promise.resolve([{ address: LOOPBACK, family: 4 }]),
    isSafe: (address: string) => address === LOOPBACK,
  };
  return new WebPushNotifier({ ...webPush, clock, network });
}

/** Makes the push adapters that the settings ask for. The other file, besides `compose.ts`, that names adapters. */
import { ApnsNotifier } from './adapters/notifier/apns/index.js';
import { FcmNotifier } from './adapters/notifier/fcm/index.js';
import { WebPushNotifier } from './adapters/notifier/webpush/index.js';
import type { PushSetup } from './config/index.js';
import type { Clock, Notifier } from './ports/index.js';

const LOOPBACK = '127.0.0.1';

/** One for each configured provider; nothing is connected before the first push. */
export function openNotifiers(setup: PushSetup, clock: Clock): Notifier[] {
  return [apnsOf(setup, clock), fcmOf(setup, clock), webPushOf(setup, clock)].filter(
    (notifier) => notifier !== undefined,
  );
}

/** For the operator, at the start. */
export function pushFacts(setup: PushSetup | undefined): string[] {
  if (setup === undefined) return [];
  const named = (name: string, apps: readonly { readonly id: string }[]) =>
    apps.length === 0 ? [] : [`${name} (${apps.map(({ id }) => id).join(', ')})`];
  const web = setup.webPush === undefined ? [] : ['Web Push'];
  return [...named('APNs', setup.apns), ...named('FCM', setup.fcm), ...web];
}

function apnsOf({ apns: apps, gateways }: PushSetup, clock: Clock): ApnsNotifier | undefined {
  if (apps.length === 0) return undefined;
  const at = (port: number, ca: string) => ({ address: LOOPBACK, port, ca });
  const hosts = gateways && {
    production: at(gateways.apnsPort, gateways.ca),
    sandbox: at(gateways.apnsSandboxPort, gateways.ca),
  };
  return new ApnsNotifier({ apps, clock, hosts });
}

function fcmOf({ fcm: apps, gateways }: PushSetup, clock: Clock): FcmNotifier | undefined {
  if (apps.length === 0) return undefined;
  const host = gateways && {
    address: LOOPBACK,
    port: gateways.fcmPort,
    oauthPort: gateways.fcmOauthPort,
    ca: gateways.ca,
  };
  return new FcmNotifier({ apps, clock, host });
}

function webPushOf({ webPush, gateways }: PushSetup, clock: Clock): WebPushNotifier | undefined {
  if (webPush === undefined) return undefined;
  // Local gateways have loopback addresses, and nothing else is asked then.
  const network = gateways && {
    ca: gateways.ca,
    resolve: () => Promise.resolve([{ address: LOOPBACK, family: 4 }]),
    isSafe: (address: string) => address === LOOPBACK,
  };
  return new WebPushNotifier({ ...webPush, clock, network });
}

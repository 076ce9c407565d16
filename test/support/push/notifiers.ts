/**
 * The three push adapters against the local gateways, each seen through one scene so that a suite need not know the
 * provider. Time of the adapters and of the gateways' rules is moved by hand.
 */
import { createPrivateKey, generateKeyPairSync, type KeyObject } from 'node:crypto';
import { ApnsNotifier } from '../../../server/src/adapters/notifier/apns/index.js';
import { FcmNotifier } from '../../../server/src/adapters/notifier/fcm/index.js';
import { type WebPushNetwork, WebPushNotifier } from '../../../server/src/adapters/notifier/webpush/index.js';
import { DEFAULT_TOPIC, type Gateways, startGateways } from '../../gateways/index.js';
import { RelayClock } from '../relay/relay-clock.js';

export const TEXTS = {
  title: 'Countersign',
  body: 'Action required',
  quietBody: 'Settled elsewhere',
  category: 'approval',
};

export interface PushWorld {
  readonly gateways: Gateways;
  readonly clock: RelayClock;
  close(): Promise<void>;
}

export async function openPushWorld(): Promise<PushWorld> {
  const clock = new RelayClock();
  const gateways = await startGateways({ now: () => clock.now() });
  return { gateways, clock, close: () => gateways.close() };
}

export function apnsOf({ gateways, clock }: PushWorld): ApnsNotifier {
  const { credential, production, sandbox } = gateways.apns;
  const at = (port: number) => ({ address: '127.0.0.1', port, ca: gateways.ca });
  const key = { ...credential, key: createPrivateKey(credential.key) };
  return new ApnsNotifier({
    apps: [{ id: 'main', topic: DEFAULT_TOPIC, key, ...TEXTS }],
    clock,
    hosts: { production: at(production.port), sandbox: at(sandbox.port) },
  });
}

export function fcmOf({ gateways, clock }: PushWorld): FcmNotifier {
  const { serviceAccount, api, oauth } = gateways.fcm;
  const account = {
    projectId: serviceAccount.project_id,
    clientEmail: serviceAccount.client_email,
    privateKey: createPrivateKey(serviceAccount.private_key),
  };
  const host = { address: '127.0.0.1', port: api.port, oauthPort: oauth.port, ca: gateways.ca };
  return new FcmNotifier({ apps: [{ id: 'main', account }], clock, host });
}

/** A new VAPID pair. */
export function vapidPair(): { publicKey: string; privateKey: KeyObject } {
  const { privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const { x = '', y = '' } = privateKey.export({ format: 'jwk' });
  const point = Buffer.concat([Buffer.of(4), Buffer.from(x, 'base64url'), Buffer.from(y, 'base64url')]);
  return { publicKey: point.toString('base64url'), privateKey };
}

/** Every name is this machine, which counts as a public address. */
export const LOOPBACK: WebPushNetwork = {
  resolve: () => Promise.resolve([{ address: '127.0.0.1', family: 4 }]),
  isSafe: (address) => address === '127.0.0.1',
};

export function webPushOf(
  { gateways, clock }: PushWorld,
  network: WebPushNetwork = {},
  keys = [vapidPair()],
): WebPushNotifier {
  return new WebPushNotifier({
    keys,
    subject: 'mailto:operator@relay.example',
    origins: gateways.webPush.origins.map(({ origin }) => origin),
    clock,
    network: { ...LOOPBACK, ca: gateways.ca, ...network },
  });
}

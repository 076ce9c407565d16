/** The baselines of pushes: the same libraries in a bare loop, 64 pushes under way, nothing kept. Must not know the relay. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { Agent, request } from 'node:https';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import apn from 'apn';
import { cert, deleteApp, initializeApp } from 'firebase-admin/app';
import { getMessaging } from 'firebase-admin/messaging';
import webPush from 'web-push';
import { DEFAULT_TOPIC } from '../../gateways/index.js';
import { LoopbackAgent } from '../../gateways/kit/loopback-agent.js';
import type { GatewayReach } from './push-rig.js';

export const UNDER_WAY = 64;
const TTL_SECONDS = 600;

/** Sends one push; rejects unless it was taken. */
export interface BareSender {
  send(token: string): Promise<void>;
  close(): Promise<void>;
}

/** Pushes a second, by the clock. */
export async function bareRate(sender: BareSender, tokens: readonly string[]): Promise<number> {
  let at = 0;
  const loop = async (): Promise<void> => {
    while (at < tokens.length) {
      const token = tokens[at] as string;
      at += 1;
      await sender.send(token);
    }
  };
  const began = performance.now();
  await Promise.all(Array.from({ length: UNDER_WAY }, loop));
  return (tokens.length * 1_000) / (performance.now() - began);
}

const content = (bytes: number) => ({ n: '0'.repeat(24), c: Buffer.alloc(bytes, 7).toString('base64') });

export function bareApns({ ca, apns }: GatewayReach, bytes: number): BareSender {
  const { key, keyId, teamId } = apns.credential;
  const options = {
    token: { key: Buffer.from(key), keyId, teamId },
    address: '127.0.0.1',
    port: apns.port,
    ca: [ca],
  };
  // As our adapter has it: without these the library loses pushes of a cold connection.
  const cold = {
    production: true,
    connectionRetryLimit: 0,
    peerMaxConcurrentStreams: 1,
    maxSessionMemory: 100,
  };
  const provider = new apn.Provider({ ...options, ...cold } as apn.ProviderOptions);
  return {
    send: async (token) => {
      const notification = new apn.Notification();
      notification.topic = DEFAULT_TOPIC;
      notification.pushType = 'alert';
      notification.expiry = Math.ceil(Date.now() / 1_000) + TTL_SECONDS;
      notification.rawPayload = {
        aps: { alert: { title: 'a', body: 'b' }, 'mutable-content': 1 },
        d: content(bytes),
      };
      const { failed } = await provider.send(notification, token);
      if (failed.length > 0) throw new Error('APNs refused a push of the baseline');
    },
    close: async () => {
      void provider.shutdown();
    },
  };
}

export function bareFcm({ ca, fcm }: GatewayReach, bytes: number): BareSender {
  const folder = mkdtempSync(join(tmpdir(), 'countersign-bench-'));
  const file = join(folder, 'account.json');
  writeFileSync(file, JSON.stringify(fcm.account));
  const agent = new LoopbackAgent(ca, {
    'fcm.googleapis.com': fcm.port,
    'oauth2.googleapis.com': fcm.oauthPort,
    'www.googleapis.com': fcm.oauthPort,
  });
  const app = initializeApp({ credential: cert(file, agent), httpAgent: agent }, folder);
  const messaging = getMessaging(app);
  return {
    send: async (token) => {
      await messaging.send({
        token,
        data: content(bytes),
        android: { priority: 'high', ttl: TTL_SECONDS * 1_000 },
      });
    },
    close: async () => {
      await deleteApp(app);
      agent.destroy();
      rmSync(folder, { recursive: true });
    },
  };
}

/** The library encrypts, Node posts; the header of VAPID is signed once for each origin, as ours is. */
export function bareWebPush({ ca, webPush: reach }: GatewayReach, bytes: number): BareSender {
  const keys = webPush.generateVAPIDKeys();
  const headers = new Map(
    reach.origins.map((origin) => {
      const { publicKey, privateKey } = keys;
      const made = webPush.getVapidHeaders(
        origin,
        'mailto:a@relay.example',
        publicKey,
        privateKey,
        'aes128gcm',
      );
      return [origin, made.Authorization];
    }),
  );
  const agent = new Agent({ keepAlive: true, ca });
  return {
    send: async (token) => {
      const { endpoint, p256dh, auth } = JSON.parse(token) as Record<'endpoint' | 'p256dh' | 'auth', string>;
      const details = webPush.generateRequestDetails(
        { endpoint, keys: { p256dh, auth } },
        JSON.stringify(content(bytes)),
        {
          TTL: TTL_SECONDS,
          contentEncoding: 'aes128gcm',
          headers: { Authorization: headers.get(new URL(endpoint).origin) ?? '' },
        },
      );
      await post(endpoint, details, agent);
    },
    close: async () => agent.destroy(),
  };
}

function post(endpoint: string, { headers, body }: webPush.RequestDetails, agent: Agent): Promise<void> {
  return new Promise((resolve, reject) => {
    const sending = request(
      endpoint,
      { method: 'POST', agent, headers: headers as Record<string, string> },
      (answer) => {
        answer.resume();
        answer.on('end', () => (answer.statusCode === 201 ? resolve() : reject(new Error('refused'))));
      },
    );
    sending.on('error', reject);
    sending.end(body);
  });
}

/** The gateways with the libraries that a relay sends with: what they make is taken, byte for byte. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { request } from 'node:https';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import apn from 'apn';
import { cert, deleteApp, initializeApp } from 'firebase-admin/app';
import { getMessaging } from 'firebase-admin/messaging';
import { afterAll, beforeAll, expect, it } from 'vitest';
import webpush from 'web-push';
import { DEFAULT_TOPIC, type Gateways, startGateways } from './index.js';

let gateways: Gateways;
beforeAll(async () => {
  gateways = await startGateways();
});
afterAll(() => gateways.close());

it('APNs takes what node-apn sends', async () => {
  const { keyId, teamId, key } = gateways.apns.credential;
  const provider = new apn.Provider({
    token: { key, keyId, teamId },
    address: 'localhost',
    port: gateways.apns.production.port,
    ca: gateways.ca,
    production: true,
  } as never);
  const note = new apn.Notification();
  Object.assign(note, { topic: DEFAULT_TOPIC, pushType: 'alert', alert: 'hello', priority: 10 });
  const token = gateways.apns.registerDevice();
  const result = await provider.send(note, token);
  await provider.shutdown();
  expect(result.failed).toEqual([]);
  expect(gateways.apns.shown(token)).toMatchObject([{ environment: 'production', topic: DEFAULT_TOPIC }]);
});

it('FCM takes what firebase-admin sends, with a token from the OAuth endpoint', async () => {
  const agent = gateways.agent();
  // firebase-admin drops the agent of a credential that is not read from a file.
  const folder = mkdtempSync(join(tmpdir(), 'account-'));
  const path = join(folder, 'account.json');
  writeFileSync(path, JSON.stringify(gateways.fcm.serviceAccount));
  const app = initializeApp({ credential: cert(path, agent), httpAgent: agent }, 'gateways');
  const token = gateways.fcm.registerDevice();
  const name = await getMessaging(app).send({
    token,
    data: { ns: 'a', f: 'b' },
    android: { priority: 'high', ttl: 60_000 },
  });
  await deleteApp(app);
  agent.destroy();
  rmSync(folder, { recursive: true });
  expect(gateways.fcm.delivered.items).toMatchObject([
    { token, name, data: { ns: 'a', f: 'b' }, priority: 'high', ttlSeconds: 60 },
  ]);
});

it('Web Push takes and opens what web-push makes', async () => {
  const vapid = webpush.generateVAPIDKeys();
  const { endpoint, ...keys } = gateways.webPush.subscribe({ vapidPublicKey: vapid.publicKey });
  const details = webpush.generateRequestDetails({ endpoint, keys }, 'the text', {
    vapidDetails: { subject: 'mailto:ops@example.org', ...vapid },
    TTL: 60,
    contentEncoding: 'aes128gcm',
  });
  const status = await new Promise((resolve, reject) => {
    const sent = request(endpoint, { method: 'POST', headers: details.headers, ca: gateways.ca }, (answer) =>
      resolve(answer.statusCode),
    );
    sent.on('error', reject).end(details.body);
  });
  expect(status).toBe(201);
  expect(gateways.webPush.delivered.items[0]?.plaintext?.toString()).toBe('the text');
});

/** From an operator's settings to pushes that arrive: configuration, credentials, adapters, against the local gateways. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Notifier, PushTarget } from '@countersign/server/ports';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { openNotifiers } from '../../server/src/compose-push.js';
import { loadConfig, readPush } from '../../server/src/config/index.js';
import { openPushWorld, type PushWorld } from '../support/push/notifiers.js';
import { pushTo } from '../support/push/push-to.js';

let world: PushWorld;
let directory: string;
let notifiers: Notifier[];

beforeAll(async () => {
  world = await openPushWorld();
  directory = mkdtempSync(join(tmpdir(), 'countersign-push-'));
  const { config } = loadConfig({ env: environment(), file: fileOf('relay.json', '{"store": "memory"}') });
  const setup = readPush(config);
  if (setup === undefined) throw new Error('no provider is configured');
  notifiers = await openNotifiers(setup, world.clock);
});

afterAll(async () => {
  await Promise.all(notifiers.map((notifier) => notifier.close()));
  rmSync(directory, { recursive: true });
  await world.close();
});

function fileOf(name: string, content: string): string {
  const path = join(directory, name);
  writeFileSync(path, content);
  return path;
}

function environment(): Record<string, string> {
  const { apns, fcm, webPush, ca } = world.gateways;
  const testGateways = {
    ca: fileOf('ca.pem', ca),
    apnsPort: apns.production.port,
    apnsSandboxPort: apns.sandbox.port,
    fcmPort: fcm.api.port,
    fcmOauthPort: fcm.oauth.port,
  };
  const settings = {
    APNS_KEY_FILE: fileOf('key.p8', apns.credential.key),
    APNS_KEY_ID: apns.credential.keyId,
    APNS_TEAM_ID: apns.credential.teamId,
    PUSH_APPS: JSON.stringify([{ id: 'main', apnsTopic: apns.devices.topics[0] }]),
    FCM_SERVICE_ACCOUNT: JSON.stringify(fcm.serviceAccount),
    VAPID_SUBJECT: 'https://relay.example/contact',
    PUSH_ORIGINS: webPush.origins.map(({ origin }) => origin).join(','),
    PUSH_TEST_GATEWAYS: JSON.stringify(testGateways),
  };
  return Object.fromEntries(
    Object.entries(settings).map(([name, value]) => [`COUNTERSIGN_RELAY_${name}`, value]),
  );
}

it('reach a phone of each kind and a browser', async () => {
  const { apns, fcm, webPush } = world.gateways;
  const targets: Record<string, PushTarget> = {
    apns: { token: apns.registerDevice({ environment: 'sandbox' }), app: 'main' },
    fcm: { token: fcm.registerDevice(), app: 'main' },
    webpush: { token: JSON.stringify(webPush.subscribe()) },
  };
  expect(notifiers.map(({ provider }) => provider)).toEqual(['apns', 'fcm', 'webpush']);
  for (const notifier of notifiers) {
    const target = targets[notifier.provider] ?? { token: '' };
    expect(await notifier.checkToken(target)).toBe('ok');
    expect(await notifier.send(pushTo(target))).toMatchObject({ outcome: 'accepted' });
  }
});

it('that do not know an app say so, and send nothing', async () => {
  for (const notifier of notifiers.slice(0, 2)) {
    const outcome = await notifier.send(pushTo({ token: 'ab'.repeat(32), app: 'other' }));
    expect(outcome).toEqual({ outcome: 'config', reason: 'no_such_app' });
  }
});

it('let nothing of the content, the pairing or the credentials be read on the way', () => {
  const { apns, fcm, webPush } = world.gateways;
  const traffics = [apns.traffic, fcm.traffic, webPush.traffic];
  expect(traffics.map(({ count }) => count)).toEqual([2, 1, 1]);
  const sent = traffics.flatMap(({ items }) => items.map(({ body }) => body.toString('latin1'))).join('');
  expect(sent).not.toContain('PRIVATE KEY');
  expect(sent).not.toContain(Buffer.alloc(32, 4).toString('latin1'));
});

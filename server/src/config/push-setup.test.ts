import { generateKeyPairSync } from 'node:crypto';
import { chmodSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import {
  loadConfig,
  parseConfig,
  printableConfig,
  type RelayConfigInput,
  readPush,
  settingOf,
} from './index.js';

const pemOf = (key: { export(options: { type: 'pkcs8'; format: 'pem' }): string | Buffer }): string =>
  key.export({ type: 'pkcs8', format: 'pem' }).toString();
const APPLE_KEY = pemOf(generateKeyPairSync('ec', { namedCurve: 'P-256' }).privateKey);
const OTHER_CURVE = pemOf(generateKeyPairSync('ec', { namedCurve: 'P-384' }).privateKey);
const RSA_KEY = pemOf(generateKeyPairSync('rsa', { modulusLength: 2_048 }).privateKey);
const SHORT_RSA_KEY = pemOf(generateKeyPairSync('rsa', { modulusLength: 1_024 }).privateKey);

const APNS = {
  apnsTopic: 'com.example.app',
  apnsKey: APPLE_KEY,
  apnsKeyId: 'ABCDE12345',
  apnsTeamId: 'TEAM123456',
};
const SUBJECT = { vapidSubject: 'mailto:operator@relay.example' };
const account = (change: object = {}): string =>
  JSON.stringify({
    type: 'service_account',
    project_id: 'my-project',
    client_email: 'push@my-project.iam.gserviceaccount.com',
    private_key: RSA_KEY,
    ...change,
  });

let dir: string;
beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), 'countersign-push-'));
});
afterEach(() => rmSync(dir, { recursive: true }));

const setup = (input: RelayConfigInput) => readPush(parseConfig(input));

function problem(input: RelayConfigInput): string {
  try {
    setup(input);
  } catch (error) {
    expect(settingOf(error)).toBeDefined();
    return (error as Error).message;
  }
  throw new Error('it was accepted');
}

describe('settings of push', () => {
  it('without a provider mean that there is no push', () => {
    expect(setup({ pushTitle: 'My app' })).toBeUndefined();
  });

  it('read each provider, from files or from the settings themselves', () => {
    const [apnsKeyFile, fcmServiceAccountFile] = [join(dir, 'key.p8'), join(dir, 'account.json')];
    writeFileSync(apnsKeyFile, APPLE_KEY);
    writeFileSync(fcmServiceAccountFile, account());
    const { apnsKey: _, ...ids } = APNS;
    const fromFiles = setup({ ...ids, apnsKeyFile, fcmServiceAccountFile, ...SUBJECT });
    const inline = setup({ ...APNS, fcmServiceAccount: account(), ...SUBJECT });
    for (const push of [fromFiles, inline]) {
      expect(push?.apps).toEqual(['default']);
      expect(push?.apns[0]).toMatchObject({
        topic: 'com.example.app',
        key: { keyId: 'ABCDE12345' },
        category: '',
      });
      expect(push?.fcm[0]?.account).toMatchObject({ projectId: 'my-project' });
      expect(push?.webPush?.keys[0]?.publicKey).toMatch(/^[\w-]{87}$/);
    }
  });

  it('hold several apps, each with what it has of its own', () => {
    const pushApps = [
      { id: 'work', title: 'Work' },
      { id: 'home', apnsTopic: 'com.example.home', category: 'ask' },
    ];
    const push = setup({ ...APNS, fcmServiceAccount: account(), pushApps });
    expect(push?.apps).toEqual(['work', 'home']);
    expect(push?.apns).toMatchObject([
      { id: 'work', title: 'Work', topic: 'com.example.app' },
      { id: 'home', title: 'Countersign', topic: 'com.example.home', category: 'ask' },
    ]);
    expect(push?.fcm[0]?.account).toBe(push?.fcm[1]?.account);
  });

  it('come from the environment as JSON where they have parts', () => {
    const env = { COUNTERSIGN_RELAY_PUSH_APPS: '[{"id":"work"}]', COUNTERSIGN_RELAY_STORE: 'memory' };
    expect(loadConfig({ env }).config.pushApps).toEqual([{ id: 'work' }]);
    expect(() => loadConfig({ env: { COUNTERSIGN_RELAY_PUSH_APPS: '[{"id":' } })).toThrow(
      /pushApps: must be a list/,
    );
  });

  it.each<[string, RelayConfigInput]>([
    ['apnsKeyFile: is missing', { apnsTopic: 'com.example.app' }],
    ['apnsKeyFile: the file', { ...APNS, apnsKeyFile: '/nowhere/key.p8' }],
    ['apnsTopic: is missing', { ...APNS, apnsTopic: undefined }],
    ['apnsKeyId: is missing', { ...APNS, apnsKeyId: undefined }],
    ['apnsTeamId: is missing', { ...APNS, apnsTeamId: undefined }],
    ['apnsKeyId: must be the 10 capitals', { ...APNS, apnsKeyId: 'abc' }],
    ["apnsKey: must hold Apple's signing key", { ...APNS, apnsKey: 'top-secret' }],
    ['apnsKey: must hold a key on the curve P-256', { ...APNS, apnsKey: OTHER_CURVE }],
    ['apnsKey: must hold a key on the curve P-256', { ...APNS, apnsKey: RSA_KEY }],
    ['fcmServiceAccount: is not valid JSON', { fcmServiceAccount: '{"private_key": "top-secret"' }],
    ['fcmServiceAccount: must be the JSON of a service account', { fcmServiceAccount: '{"top-secret": 1}' }],
    ['fcmServiceAccount: project_id', { fcmServiceAccount: account({ project_id: '../x' }) }],
    ['fcmServiceAccount: client_email', { fcmServiceAccount: account({ client_email: 7 }) }],
    ['fcmServiceAccount: private_key is missing', { fcmServiceAccount: account({ private_key: null }) }],
    [
      'fcmServiceAccount: must hold an RSA key',
      { fcmServiceAccount: account({ private_key: 'top-secret' }) },
    ],
    [
      'fcmServiceAccount: private_key must be an RSA key',
      { fcmServiceAccount: account({ private_key: APPLE_KEY }) },
    ],
    ['of 2048 bits or more', { fcmServiceAccount: account({ private_key: SHORT_RSA_KEY }) }],
    ['vapidSubject: is missing', { vapidPrivateKeys: ['a'.repeat(43)] }],
    ['vapidPrivateKeys: must be 32 bytes', { ...SUBJECT, vapidPrivateKeys: ['top-secret'] }],
    ['vapidPrivateKeys: must be 32 bytes', { ...SUBJECT, vapidPrivateKeys: ['A'.repeat(43)] }],
    ['pushApps: has two apps of one id', { pushApps: [{ id: 'a' }, { id: 'a' }] }],
    ['pushOrigins: must look like', { pushOrigins: ['http://ntfy.example'] }],
    ['pushOrigins: must look like', { pushOrigins: ['https://ntfy.example/topic'] }],
    ['pushTitle: must have 128 characters', { pushTitle: 'x'.repeat(129) }],
    [
      'pushTestGateways: is for a relay that only this machine reaches',
      {
        ...SUBJECT,
        publicHosts: ['relay.example'],
        pushTestGateways: { ca: 'ca.pem', apnsPort: 1, apnsSandboxPort: 2, fcmPort: 3, fcmOauthPort: 4 },
      },
    ],
  ])('refuse what cannot work: %s', (message, input) => {
    const said = problem(input);
    expect(said).toContain(message);
    expect(said).not.toMatch(/top-secret|BEGIN/);
  });

  it.each([
    'mailto:a@localhost',
    'https://localhost',
    'https://127.0.0.1',
    'http://relay.example',
    'operator',
    'mailto:x',
  ])('web-push-libs/web-push#947: refuse %s as the contact, which push services refuse', (vapidSubject) => {
    expect(problem({ vapidSubject })).toContain('vapidSubject: must be mailto: or https:');
  });

  it('are printed without a secret', () => {
    const vapidPrivateKeys = ['k'.repeat(43)];
    const printed = printableConfig(
      parseConfig({ ...APNS, fcmServiceAccount: account(), ...SUBJECT, vapidPrivateKeys }),
    );
    expect(printed).not.toMatch(/BEGIN|kkkk/);
    expect(printed).toContain('com.example.app');
  });
});

describe('the Web Push key', () => {
  const start = () =>
    setup({ ...SUBJECT, store: join(dir, 'relay.sqlite') })?.webPush?.keys.map((key) => key.publicKey);

  it('is made once, and is for its owner only', () => {
    const first = start();
    expect(first).toHaveLength(1);
    expect(start()).toEqual(first);
    expect(statSync(join(dir, 'relay.sqlite.vapid')).mode & 0o777).toBe(0o600);
  });

  it('may be followed by older ones', () => {
    const old = start();
    const file = join(dir, 'relay.sqlite.vapid');
    const other = generateKeyPairSync('ec', { namedCurve: 'P-256' }).privateKey.export({ format: 'jwk' }).d;
    writeFileSync(file, `${other}\n${readFileSync(file, 'utf8')}`);
    expect(start()?.[1]).toBe(old?.[0]);
  });

  it.each([
    ['is empty', ''],
    ['holds no key', 'top-secret\n'],
  ])('is not replaced when its file %s', (message, content) => {
    start();
    writeFileSync(join(dir, 'relay.sqlite.vapid'), content);
    const said = problem({ ...SUBJECT, store: join(dir, 'relay.sqlite') });
    expect(said).toContain(message);
    expect(said).not.toContain('top-secret');
  });

  it('is refused when others may read it', () => {
    start();
    chmodSync(join(dir, 'relay.sqlite.vapid'), 0o640);
    expect(problem({ ...SUBJECT, store: join(dir, 'relay.sqlite') })).toContain('chmod 600');
  });
});

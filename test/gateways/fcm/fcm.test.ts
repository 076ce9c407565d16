/** What the FCM gateway takes and refuses, rule by rule, seen by a client that sends exactly what it is told. */
import { createPrivateKey, generateKeyPairSync } from 'node:crypto';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { FCM_ERRORS, type FcmErrorCode, type Gateways, GOOGLE_STATUSES, startGateways } from '../index.js';
import { openHttp2, type RawAnswer, sendHttp1, sendHttp2, signJwt } from '../kit/raw-client.fixtures.js';

const START = Date.UTC(2030, 0, 1);
const SCOPE = 'https://www.googleapis.com/auth/firebase.messaging';
let now = START;
let gateways: Gateways;
let bearer: string;
let token: string;

beforeAll(async () => {
  gateways = await startGateways({ now: () => now });
});
afterAll(() => gateways.close());
beforeEach(async () => {
  now = START;
  bearer = `Bearer ${JSON.parse((await askToken()).body).access_token}`;
  token = gateways.fcm.registerDevice();
});
afterEach(() => {
  gateways.fcm.script.clear();
  gateways.fcm.oauthScript.clear();
});

function askToken(claims: object = {}, key = gateways.fcm.serviceAccount.private_key): Promise<RawAnswer> {
  const iat = Math.floor(now / 1_000);
  const assertion = signJwt(
    { alg: 'RS256', typ: 'JWT' },
    {
      iss: gateways.fcm.serviceAccount.client_email,
      scope: SCOPE,
      aud: 'https://oauth2.googleapis.com/token',
      iat,
      exp: iat + 3_600,
      ...claims,
    },
    createPrivateKey(key),
  );
  const form = new URLSearchParams({ grant_type: 'urn:ietf:params:oauth:grant-type:jwt-bearer', assertion });
  const type = { 'content-type': 'application/x-www-form-urlencoded' };
  return sendHttp1(`${gateways.fcm.oauth.url}/token`, gateways.ca, type, form.toString());
}

const url = (): string => `${gateways.fcm.api.url}/v1/projects/countersign-test/messages:send`;

function sendBody(body: string, headers: Record<string, string> = {}, to = url()): Promise<RawAnswer> {
  const all = { authorization: bearer, 'content-type': 'application/json', ...headers };
  return sendHttp1(to, gateways.ca, all, body);
}

function send(message: object = {}, headers?: Record<string, string>, to?: string): Promise<RawAnswer> {
  return sendBody(JSON.stringify({ message: { token, data: { ns: 'a' }, ...message } }), headers, to);
}

/** `200`, or the status with google.rpc's and, where there is one, FcmError's. */
function outcome({ status, body }: RawAnswer): string {
  if (status === 200) return '200';
  const { error } = JSON.parse(body) as { error: { status: string; details?: { errorCode?: string }[] } };
  return [status, error.status, error.details?.[0]?.errorCode].filter(Boolean).join(' ');
}

describe('a message', () => {
  const filled = (bytes: number): object => ({ data: { k: 'x'.repeat(bytes - 1) } });

  it.each<[string, object, string]>([
    ['of strings', { data: { ns: 'a', c: 'b' } }, '200'],
    ['with a number', { data: { n: 1 } }, '400 INVALID_ARGUMENT'],
    ['with the key from', { data: { from: 'a' } }, '400 INVALID_ARGUMENT INVALID_ARGUMENT'],
    ['with the key message_type', { data: { message_type: 'a' } }, '400 INVALID_ARGUMENT INVALID_ARGUMENT'],
    ['with a key of google', { data: { 'google.x': 'a' } }, '400 INVALID_ARGUMENT INVALID_ARGUMENT'],
    ['with a key of gcm', { data: { gcmx: 'a' } }, '400 INVALID_ARGUMENT INVALID_ARGUMENT'],
    ['of 4,096 bytes', filled(4_096), '200'],
    ['of 4,097 bytes', filled(4_097), '400 INVALID_ARGUMENT INVALID_ARGUMENT'],
    ['with four weeks to live', { android: { ttl: '2419200s' } }, '200'],
    ['with a second more', { android: { ttl: '2419201s' } }, '400 INVALID_ARGUMENT INVALID_ARGUMENT'],
    ['with a life in numbers', { android: { ttl: 60 } }, '400 INVALID_ARGUMENT INVALID_ARGUMENT'],
    ['of high priority', { android: { priority: 'HIGH' } }, '200'],
    ['of urgent priority', { android: { priority: 'urgent' } }, '400 INVALID_ARGUMENT'],
    ['to two targets', { topic: 'all' }, '400 INVALID_ARGUMENT INVALID_ARGUMENT'],
    ['to no target', { token: undefined }, '400 INVALID_ARGUMENT INVALID_ARGUMENT'],
    ['with an unknown member', { urgency: 'high' }, '400 INVALID_ARGUMENT'],
    ['with an unknown member for Android', { android: { loud: true } }, '400 INVALID_ARGUMENT'],
  ])('%s', async (_, message, expected) => {
    expect(outcome(await send(message))).toBe(expected);
  });

  it('that is no JSON object is refused by the front end', async () => {
    expect(outcome(await sendBody('{"message":'))).toBe('400 INVALID_ARGUMENT');
    expect(outcome(await sendBody('[]'))).toBe('400 INVALID_ARGUMENT');
  });

  it('for a topic may carry half', async () => {
    const to = { token: undefined, topic: 'all' };
    expect(outcome(await send({ ...to, ...filled(2_048) }))).toBe('200');
    expect(outcome(await send({ ...to, ...filled(2_049) }))).toBe('400 INVALID_ARGUMENT INVALID_ARGUMENT');
  });

  it('is kept as the phone gets it', async () => {
    const answer = await send({ android: { priority: 'high', ttl: '1.5s', collapse_key: 'k' } });
    expect(gateways.fcm.delivered.items.at(-1)).toMatchObject({
      token,
      name: JSON.parse(answer.body).name,
      data: { ns: 'a' },
      priority: 'high',
      ttlSeconds: 1.5,
      collapseKey: 'k',
    });
  });

  it('may only be validated', async () => {
    const before = gateways.fcm.delivered.count;
    const body = JSON.stringify({ validate_only: true, message: { token, data: {} } });
    expect(outcome(await sendBody(body))).toBe('200');
    expect(gateways.fcm.delivered.count).toBe(before);
  });
});

describe('a device', () => {
  it('that removed the app is unregistered', async () => {
    gateways.fcm.unregisterDevice(token);
    expect(outcome(await send())).toBe('404 NOT_FOUND UNREGISTERED');
  });

  it('of another project has another sender', async () => {
    expect(outcome(await send({ token: gateways.fcm.registerDevice({ foreign: true }) }))).toBe(
      '403 PERMISSION_DENIED SENDER_ID_MISMATCH',
    );
  });

  it('with a token of no known shape is an invalid argument, with a plausible one unregistered', async () => {
    expect(outcome(await send({ token: 'nonsense' }))).toBe('400 INVALID_ARGUMENT INVALID_ARGUMENT');
    const plausible = `${'a'.repeat(22)}:APA91b${'b'.repeat(134)}`;
    expect(outcome(await send({ token: plausible }))).toBe('404 NOT_FOUND UNREGISTERED');
  });

  it('gets 240 messages a minute', async () => {
    const session = openHttp2(gateways.fcm.api.url, gateways.ca);
    const headers = {
      ':method': 'POST',
      ':path': '/v1/projects/countersign-test/messages:send',
      authorization: bearer,
      'content-type': 'application/json',
    };
    const body = JSON.stringify({ message: { token } });
    const answers = await Promise.all(
      Array.from({ length: 241 }, async () => outcome(await sendHttp2(session, headers, body))),
    );
    session.destroy();
    expect(answers.filter((answer) => answer === '200')).toHaveLength(240);
    expect(answers).toContain('429 RESOURCE_EXHAUSTED QUOTA_EXCEEDED');
    now += 60_000;
    expect(outcome(await send())).toBe('200');
  });
});

describe('a call', () => {
  it.each<[string, () => Promise<RawAnswer>, string]>([
    ['without bearer', () => send({}, { authorization: '' }), '401 UNAUTHENTICATED'],
    ['with an invented bearer', () => send({}, { authorization: 'Bearer x' }), '401 UNAUTHENTICATED'],
    ['to another project', () => send({}, {}, url().replace('countersign-test', 'other')), '404 NOT_FOUND'],
    ['to another path', () => send({}, {}, `${gateways.fcm.api.url}/v2/x`), '404 NOT_FOUND'],
    ['of another type', () => send({}, { 'content-type': 'text/plain' }), '400 INVALID_ARGUMENT'],
  ])('%s', async (_, call, expected) => {
    expect(outcome(await call())).toBe(expected);
  });

  it('holds until its bearer token runs out or is revoked', async () => {
    now += 3_599_000;
    expect(outcome(await send())).toBe('200');
    now += 1_000;
    expect(outcome(await send())).toBe('401 UNAUTHENTICATED');
    now = START;
    gateways.fcm.revokeTokens();
    expect(outcome(await send())).toBe('401 UNAUTHENTICATED');
  });

  it('over HTTP/2 must name the scheme as it is', async () => {
    const session = openHttp2(gateways.fcm.api.url, gateways.ca);
    const headers = {
      ':method': 'POST',
      ':path': '/v1/projects/countersign-test/messages:send',
      authorization: bearer,
      'content-type': 'application/json',
    };
    const body = JSON.stringify({ message: { token } });
    expect(outcome(await sendHttp2(session, headers, body))).toBe('200');
    await expect(sendHttp2(session, { ...headers, ':scheme': 'https:' }, body)).rejects.toThrow();
    session.destroy();
  });
});

describe('the token endpoint', () => {
  const seconds = START / 1_000;

  it.each<[string, object, string]>([
    ['another issuer', { iss: 'someone@else' }, 'invalid_grant'],
    ['another audience', { aud: 'https://example.org/token' }, 'invalid_grant'],
    [
      'the audience of the other endpoint',
      { aud: 'https://www.googleapis.com/oauth2/v4/token' },
      'invalid_grant',
    ],
    ['a life over an hour', { exp: seconds + 3_601 }, 'invalid_grant'],
    ['a life that is over', { iat: seconds - 3_600, exp: seconds }, 'invalid_grant'],
    ['a start in the future', { iat: seconds + 301, exp: seconds + 400 }, 'invalid_grant'],
    ['no scope for messaging', { scope: 'https://www.googleapis.com/auth/drive' }, 'invalid_scope'],
  ])('refuses %s', async (_, claims, expected) => {
    const { status, body } = await askToken(claims);
    expect([status, JSON.parse(body).error]).toEqual([400, expected]);
  });

  it('refuses the signature of another key', async () => {
    const { privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });
    const other = privateKey.export({ type: 'pkcs8', format: 'pem' }).toString();
    expect((await askToken({}, other)).body).toContain('Invalid JWT Signature');
  });

  it('takes several scopes and says how long a token lives', async () => {
    const { body } = await askToken({ scope: `https://www.googleapis.com/auth/drive ${SCOPE}` });
    expect(JSON.parse(body)).toMatchObject({ token_type: 'Bearer', expires_in: 3_600 });
  });

  it('follows a script of its own', async () => {
    gateways.fcm.oauthScript.next({ status: 500 });
    expect((await askToken()).status).toBe(500);
    expect((await askToken()).status).toBe(200);
  });
});

describe('a scripted step', () => {
  it.each(Object.entries(FCM_ERRORS))('answers the FcmError %s', async (code, [status, google]) => {
    gateways.fcm.script.forToken(token, { error: code as FcmErrorCode });
    expect(outcome(await send())).toBe(`${status} ${google} ${code}`);
  });

  it.each(Object.entries(GOOGLE_STATUSES))('answers a bare %s', async (status, code) => {
    gateways.fcm.script.next({ bare: status as keyof typeof GOOGLE_STATUSES });
    expect(outcome(await send())).toBe(`${code} ${status}`);
  });

  it('answers 502 as a page, and Retry-After as seconds or as a date', async () => {
    gateways.fcm.script.next({ html502: true });
    gateways.fcm.script.next({ error: 'UNAVAILABLE', retryAfter: 30 });
    gateways.fcm.script.next({ error: 'QUOTA_EXCEEDED', retryAfter: new Date(START) });
    const page = await send();
    expect([page.status, page.body.startsWith('<!DOCTYPE html>')]).toEqual([502, true]);
    expect((await send()).headers['retry-after']).toBe('30');
    expect((await send()).headers['retry-after']).toBe('Tue, 01 Jan 2030 00:00:00 GMT');
  });

  it('delivers although it answers 503', async () => {
    gateways.fcm.script.next({ error: 'UNAVAILABLE', delivered: true });
    expect(outcome(await send())).toBe('503 UNAVAILABLE UNAVAILABLE');
    expect(gateways.fcm.delivered.items.at(-1)?.token).toBe(token);
  });

  it('resets the connection of HTTP/1.1', async () => {
    gateways.fcm.script.next({ wire: 'reset' });
    await expect(send()).rejects.toThrow();
  });
});

/** What the APNs gateway takes and refuses, rule by rule, seen by a client that sends exactly what it is told. */
import { createPrivateKey } from 'node:crypto';
import type { ClientHttp2Session, OutgoingHttpHeaders } from 'node:http2';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { APNS_REASONS, type ApnsCredential, DEFAULT_TOPIC, type Gateways, startGateways } from '../index.js';
import {
  ecKeys,
  openHttp2,
  type RawAnswer,
  sendHttp1,
  sendHttp2,
  signJwt,
} from '../kit/raw-client.fixtures.js';

const START = Date.UTC(2030, 0, 1);
let now = START;
let gateways: Gateways;
let session: ClientHttp2Session;
let token: string;
/** Signing twice gives two different tokens, which one connection does not take. */
let ownToken: string;

beforeAll(async () => {
  gateways = await startGateways({ now: () => now });
});
afterAll(() => gateways.close());
beforeEach(() => {
  now = START;
  session = openHttp2(gateways.apns.production.url, gateways.ca);
  token = gateways.apns.registerDevice();
  ownToken = bearer();
});
afterEach(() => {
  session.destroy();
  gateways.apns.script.clear();
});

interface TokenChange {
  readonly header?: object;
  readonly claims?: object;
  readonly credential?: ApnsCredential;
  readonly key?: Parameters<typeof signJwt>[2];
}

function bearer({ header, claims, credential = gateways.apns.credential, key }: TokenChange = {}): string {
  const { keyId, teamId } = credential;
  const iat = Math.floor(now / 1_000);
  const signer = key ?? createPrivateKey(credential.key);
  return `bearer ${signJwt({ alg: 'ES256', kid: keyId, ...header }, { iss: teamId, iat, ...claims }, signer)}`;
}

const PAYLOAD = JSON.stringify({ aps: { alert: 'x' } });

function good(headers: OutgoingHttpHeaders = {}): OutgoingHttpHeaders {
  return {
    ':method': 'POST',
    ':path': `/3/device/${token}`,
    authorization: ownToken,
    'apns-topic': DEFAULT_TOPIC,
    'apns-push-type': 'alert',
    'apns-priority': '10',
    'apns-expiration': '0',
    ...headers,
  };
}

async function push(headers: OutgoingHttpHeaders = {}, body = PAYLOAD): Promise<string> {
  return outcome(await sendHttp2(session, good(headers), body));
}

/** `200`, or the status with its reason. */
function outcome({ status, body }: RawAnswer): string {
  return body === '' ? String(status) : `${status} ${(JSON.parse(body) as { reason: string }).reason}`;
}

const id = (letter: string): string => `00000000-0000-0000-0000-00000000000${letter}`;
const sized = (bytes: number): string => JSON.stringify({ aps: { alert: 'x'.repeat(bytes - 20) } });

describe('a request', () => {
  it.each<[string, OutgoingHttpHeaders, string | undefined, string]>([
    ['another method', { ':method': 'PUT' }, undefined, '405 MethodNotAllowed'],
    ['another path', { ':path': '/4/device/ab' }, undefined, '404 BadPath'],
    ['no token', { ':path': '/3/device/' }, undefined, '400 MissingDeviceToken'],
    ['a token that is no hex', { ':path': `/3/device/${'g'.repeat(64)}` }, undefined, '400 BadDeviceToken'],
    ['a token nobody has', { ':path': `/3/device/${'0'.repeat(64)}` }, undefined, '400 BadDeviceToken'],
    ['no topic', { 'apns-topic': undefined }, undefined, '400 MissingTopic'],
    ['a topic with a slash', { 'apns-topic': 'a/b' }, undefined, '400 BadTopic'],
    ['a topic of somebody else', { 'apns-topic': 'other.app' }, undefined, '400 TopicDisallowed'],
    ['no push type', { 'apns-push-type': undefined }, undefined, '400 InvalidPushType'],
    ['an unknown push type', { 'apns-push-type': 'loud' }, undefined, '400 InvalidPushType'],
    ['priority 7', { 'apns-priority': '7' }, undefined, '400 BadPriority'],
    ['priority 5', { 'apns-priority': '5' }, undefined, '200'],
    ['no priority', { 'apns-priority': undefined }, undefined, '200'],
    ['an expiration with a fraction', { 'apns-expiration': '1.5' }, undefined, '400 BadExpirationDate'],
    ['an expiration in seconds', { 'apns-expiration': '1893456000' }, undefined, '200'],
    ['a collapse id of 65 bytes', { 'apns-collapse-id': 'c'.repeat(65) }, undefined, '400 BadCollapseId'],
    ['a collapse id of 64 bytes', { 'apns-collapse-id': 'c'.repeat(64) }, undefined, '200'],
    ['an apns-id in capitals', { 'apns-id': id('A') }, undefined, '400 BadMessageId'],
    ['an apns-id in small letters', { 'apns-id': id('a') }, undefined, '200'],
    ['no payload', {}, '', '400 PayloadEmpty'],
    ['a payload that is no JSON', {}, '{"aps":', '400 PayloadEmpty'],
    ['a payload without aps', {}, '{"d":1}', '400 PayloadEmpty'],
    ['an alert that shows nothing', {}, '{"aps":{}}', '400 InvalidPushType'],
    ['4,096 bytes', {}, sized(4_096), '200'],
    ['4,097 bytes', {}, sized(4_097), '413 PayloadTooLarge'],
  ])('with %s', async (_, headers, body, expected) => {
    expect(await push(headers, body)).toBe(expected);
  });

  it('for the background must show nothing and have priority 5', async () => {
    const background = { 'apns-push-type': 'background', 'apns-priority': '5' };
    const silent = JSON.stringify({ aps: { 'content-available': 1 } });
    expect(await push(background, silent)).toBe('200');
    expect(await push(background)).toBe('400 InvalidPushType');
    expect(await push({ ...background, 'apns-priority': undefined }, silent)).toBe('400 BadPriority');
  });

  it('must name each header once', async () => {
    expect(await push({ 'apns-topic': [DEFAULT_TOPIC, DEFAULT_TOPIC] })).toBe('400 DuplicateHeaders');
  });

  it('says in the record which rule it broke', async () => {
    await push({ 'apns-priority': '7' });
    expect(gateways.apns.traffic.items.at(-1)).toMatchObject({
      refusal: 'not 10, 5 or 1',
      answer: { status: 400 },
    });
  });
});

describe('a provider token', () => {
  it.each<[string, () => string | undefined, string]>([
    ['none', () => undefined, '403 MissingProviderToken'],
    ['no JWT', () => 'bearer abc', '403 InvalidProviderToken'],
    ['an unknown kid', () => bearer({ header: { kid: 'AAAAAAAAAA' } }), '403 InvalidProviderToken'],
    ['another algorithm', () => bearer({ header: { alg: 'none' } }), '403 InvalidProviderToken'],
    ['the signature of another key', () => bearer({ key: ecKeys().privateKey }), '403 InvalidProviderToken'],
    ['another team', () => bearer({ claims: { iss: 'OTHERTEAM0' } }), '403 InvalidProviderToken'],
    ['an iat 61 s ahead', () => bearer({ claims: { iat: START / 1_000 + 61 } }), '403 InvalidProviderToken'],
    ['an iat an hour old', () => bearer({ claims: { iat: START / 1_000 - 3_600 } }), '200'],
    [
      'an iat older than that',
      () => bearer({ claims: { iat: START / 1_000 - 3_601 } }),
      '403 ExpiredProviderToken',
    ],
  ])('%s', async (_, authorization, expected) => {
    expect(await push({ authorization: authorization() })).toBe(expected);
  });

  it('may be renewed on one connection after 20 minutes, not before', async () => {
    expect(await push()).toBe('200');
    now += 1_200_000;
    const second = bearer();
    expect(await push({ authorization: second })).toBe('200');
    now += 1_199_000;
    expect(await push({ authorization: bearer() })).toBe('429 TooManyProviderTokenUpdates');
    expect(await push({ authorization: second })).toBe('429 TooManyProviderTokenUpdates');
  });

  it('of a second key needs a second connection', async () => {
    const authorization = (): string => bearer({ credential: second });
    const second = gateways.apns.addCredential();
    session.destroy();
    session = openHttp2(gateways.apns.production.url, gateways.ca);
    expect(await push()).toBe('200');
    expect(await push({ authorization: authorization() })).toBe('403 UnrelatedKeyIdInToken');
    session.destroy();
    session = openHttp2(gateways.apns.production.url, gateways.ca);
    expect(await push({ authorization: authorization() })).toBe('200');
  });

  it('of a key for the sandbox is refused in production', async () => {
    const credential = gateways.apns.addCredential('sandbox');
    session.destroy();
    session = openHttp2(gateways.apns.production.url, gateways.ca);
    expect(await push({ authorization: bearer({ credential }) })).toBe('403 BadEnvironmentKeyIdInToken');
  });
});

describe('a device', () => {
  it('of the sandbox does not exist in production, and the other way round', async () => {
    const sandbox = openHttp2(gateways.apns.sandbox.url, gateways.ca);
    const development = gateways.apns.registerDevice({ environment: 'sandbox' });
    expect(await push({ ':path': `/3/device/${development}` })).toBe('400 BadDeviceToken');
    expect(outcome(await sendHttp2(sandbox, good(), PAYLOAD))).toBe('400 BadDeviceToken');
    const own = good({ ':path': `/3/device/${development}` });
    expect(outcome(await sendHttp2(sandbox, own, PAYLOAD))).toBe('200');
    sandbox.destroy();
  });

  it('that removed the app is gone since then', async () => {
    gateways.apns.unregisterDevice(token, START - 5);
    const { body } = await sendHttp2(session, good(), PAYLOAD);
    expect(JSON.parse(body)).toEqual({ reason: 'Unregistered', timestamp: START - 5 });
  });

  it('of another app of the team is not for the topic', async () => {
    const foreign = gateways.apns.registerDevice({ topic: 'second.app' });
    expect(await push({ ':path': `/3/device/${foreign}` })).toBe('400 DeviceTokenNotForTopic');
  });

  it('shows the newest of those that replace one another', async () => {
    const body = (alert: string): string => JSON.stringify({ aps: { alert } });
    await push({ 'apns-collapse-id': 'one' }, body('first'));
    await push({ 'apns-collapse-id': 'two' }, body('other'));
    await push({ 'apns-collapse-id': 'one' }, body('second'));
    expect(gateways.apns.shown(token).map(({ payload }) => payload.aps)).toEqual([
      { alert: 'second' },
      { alert: 'other' },
    ]);
  });
});

describe('a connection', () => {
  const streamLimit = (): number | undefined => session.remoteSettings.maxConcurrentStreams;

  it('allows one stream until a push was accepted, and again after one was refused', async () => {
    const changed = (): Promise<void> =>
      new Promise((resolve) => session.once('remoteSettings', () => resolve()));
    await changed();
    expect(streamLimit()).toBe(1);
    const raised = changed();
    await push();
    await raised;
    expect(streamLimit()).toBe(1_000);
    const lowered = changed();
    await push({ 'apns-priority': '7' });
    await lowered;
    expect(streamLimit()).toBe(1);
  });

  it('survives good and bad pushes in quick turns', async () => {
    await push();
    gateways.apns.script.next({ reason: 'BadPriority' });
    for (let sent = 0; sent < 60; sent += 1) {
      gateways.apns.script.next(sent % 2 === 0 ? { status: 200 } : { reason: 'BadPriority' });
    }
    for (let sent = 0; sent < 61; sent += 1) await push();
    expect(await push()).toBe('200');
  });

  it('that goes away before an answer leaves that request unprocessed', async () => {
    const reason = goAwayReason();
    gateways.apns.script.next({ goaway: { when: 'before', reason: 'Shutdown' } });
    await expect(push()).rejects.toThrow();
    expect(await reason).toBe('{"reason":"Shutdown"}');
    expect(gateways.apns.shown(token)).toEqual([]);
  });

  it('that goes away still answers what it took before', async () => {
    const raised = new Promise((resolve) => {
      session.on(
        'remoteSettings',
        ({ maxConcurrentStreams }) => maxConcurrentStreams === 1_000 && resolve(true),
      );
    });
    await push();
    await raised;
    const until = goAwayReason();
    gateways.apns.script.next({ until });
    gateways.apns.script.next({ goaway: { when: 'before', reason: 'Shutdown' } });
    const answers = [push(), push(), push()].map((each) => each.catch(() => 'not processed'));
    expect(await Promise.all(answers)).toEqual(['200', 'not processed', 'not processed']);
  });

  it('that goes away after an answer closes, and a new one works', async () => {
    const reason = goAwayReason();
    const closed = new Promise((resolve) => session.once('close', resolve));
    gateways.apns.script.next({ goaway: { when: 'after', reason: 'IdleTimeout' } });
    expect(await push()).toBe('200');
    expect(await reason).toBe('{"reason":"IdleTimeout"}');
    await closed;
    session = openHttp2(gateways.apns.production.url, gateways.ca);
    expect(await push()).toBe('200');
  });

  it('answers PING, until it is frozen', async () => {
    await push();
    const ping = (): Promise<unknown> => new Promise((resolve) => session.ping((error) => resolve(error)));
    expect(await ping()).toBeNull();
    gateways.apns.script.next({ wire: 'freeze' });
    const taken = gateways.apns.traffic.whenCount(gateways.apns.traffic.count + 1);
    const lost = push().catch(() => 'lost');
    await taken;
    const answer = ping();
    session.destroy();
    expect(await answer).toMatchObject({ code: 'ERR_HTTP2_PING_CANCEL' });
    expect(await lost).toBe('lost');
  });

  it('speaks HTTP/2 only', async () => {
    await expect(sendHttp1(gateways.apns.production.url, gateways.ca, {})).rejects.toThrow();
  });

  function goAwayReason(): Promise<string> {
    return new Promise((resolve) => {
      session.once('goaway', (_code, _last, data) => resolve(Buffer.from(data ?? []).toString()));
    });
  }
});

describe('a scripted step', () => {
  it.each(Object.entries(APNS_REASONS))('answers %s with %i', async (reason, status) => {
    gateways.apns.script.forToken(token, { reason: reason as keyof typeof APNS_REASONS });
    expect(await push()).toBe(`${status} ${reason}`);
  });

  it('carries a timestamp and Retry-After, as seconds or as a date', async () => {
    gateways.apns.script.next({ reason: 'ExpiredToken', timestamp: 7 });
    gateways.apns.script.next({ reason: 'TooManyRequests', retryAfter: 90 });
    gateways.apns.script.next({ reason: 'ServiceUnavailable', retryAfter: new Date(START) });
    const answers: RawAnswer[] = [];
    for (let sent = 0; sent < 3; sent += 1) answers.push(await sendHttp2(session, good(), PAYLOAD));
    expect(answers[0]?.body).toBe('{"reason":"ExpiredToken","timestamp":7}');
    expect(answers[1]?.headers['retry-after']).toBe('90');
    expect(answers[2]?.headers['retry-after']).toBe('Tue, 01 Jan 2030 00:00:00 GMT');
  });

  it('resets the stream alone, and may deliver all the same', async () => {
    gateways.apns.script.next({ wire: 'reset', delivered: true });
    await expect(push()).rejects.toThrow();
    expect(gateways.apns.shown(token)).toHaveLength(1);
    expect(await push()).toBe('200');
  });

  it('resets the connection', async () => {
    const closed = new Promise((resolve) => session.once('close', resolve));
    gateways.apns.script.next({ wire: 'disconnect' });
    await expect(push()).rejects.toThrow();
    await closed;
  });

  it('holds an answer until a test lets it go, and is used as often as it says', async () => {
    let release = (): void => {};
    const until = new Promise<void>((resolve) => {
      release = resolve;
    });
    gateways.apns.script.next({ until, reason: 'InternalServerError', times: 2 });
    const held = push();
    await gateways.apns.traffic.whenCount(gateways.apns.traffic.count + 1);
    release();
    expect([await held, await push(), await push()]).toEqual([
      '500 InternalServerError',
      '500 InternalServerError',
      '200',
    ]);
  });
});

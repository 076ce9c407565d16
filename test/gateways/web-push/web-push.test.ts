/** What the Web Push gateway takes and refuses, rule by rule, seen by a client that sends exactly what it is told. */
import { request } from 'node:https';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { type Gateways, type Subscription, startGateways } from '../index.js';
import {
  ecKeys,
  openHttp2,
  type RawAnswer,
  sendHttp1,
  sendHttp2,
  signJwt,
} from '../kit/raw-client.fixtures.js';
import { sealMessage } from './seal-message.fixtures.js';

const START = Date.UTC(2030, 0, 1);
const SECONDS = START / 1_000;
const sender = ecKeys();
const senderKey = publicKeyOf(sender);
let gateways: Gateways;
let subscription: Subscription;

beforeAll(async () => {
  gateways = await startGateways({ now: () => START });
});
afterAll(() => gateways.close());
beforeEach(() => {
  subscription = gateways.webPush.subscribe({ vapidPublicKey: senderKey });
});
afterEach(() => gateways.webPush.script.clear());

function publicKeyOf({ publicKey }: ReturnType<typeof ecKeys>): string {
  const { x = '', y = '' } = publicKey.export({ format: 'jwk' });
  const parts = [Buffer.from([4]), Buffer.from(x, 'base64url'), Buffer.from(y, 'base64url')];
  return Buffer.concat(parts).toString('base64url');
}

function vapid(claims: object = {}, key = sender, k = publicKeyOf(key), alg = 'ES256'): string {
  const aud = new URL(subscription.endpoint).origin;
  const all = { aud, exp: SECONDS + 43_200, sub: 'mailto:ops@example.org', ...claims };
  return `vapid t=${signJwt({ typ: 'JWT', alg }, all, key.privateKey)}, k=${k}`;
}

type Headers = Record<string, string | undefined>;

function push(headers: Headers = {}, body = sealMessage('text', subscription)): Promise<RawAnswer> {
  const all: Headers = {
    authorization: vapid(),
    ttl: '60',
    'content-encoding': 'aes128gcm',
    ...headers,
  };
  const present = Object.entries(all).filter((each): each is [string, string] => each[1] !== undefined);
  return sendHttp1(subscription.endpoint, gateways.ca, Object.fromEntries(present), body);
}

function outcome({ status, body }: RawAnswer): string {
  return body === '' ? String(status) : `${status} ${(JSON.parse(body) as { reason: string }).reason}`;
}

describe('a push', () => {
  it.each<[string, Headers, string]>([
    ['as it should be', {}, '201'],
    ['without TTL', { ttl: undefined }, '400 BadTtl'],
    ['with half a second to live', { ttl: '0.5' }, '400 BadTtl'],
    ['with TTL NaN', { ttl: 'NaN' }, '400 BadTtl'],
    ['with no time to live', { ttl: '0' }, '201'],
    ['of high urgency', { urgency: 'high' }, '201'],
    ['of utmost urgency', { urgency: 'utmost' }, '400 BadUrgency'],
    ['with a topic of 32', { topic: 't'.repeat(32) }, '201'],
    ['with a topic of 33', { topic: 't'.repeat(33) }, '400 BadWebPushTopic'],
    ['with a topic of 5, which decodes to nothing', { topic: 'abcde' }, '400 BadWebPushTopic'],
    ['with a topic of 6', { topic: 'abcdef' }, '201'],
    ['with a padded topic', { topic: 'abc=' }, '400 BadWebPushTopic'],
    ['in another encoding', { 'content-encoding': 'aesgcm' }, '400 BadContentEncoding'],
  ])('%s', async (_, headers, expected) => {
    expect(outcome(await push(headers))).toBe(expected);
  });

  it.each<[string, () => string | undefined, string]>([
    ['nobody', () => undefined, '401 MissingAuthorization'],
    ['the scheme of before RFC 8292', () => 'WebPush abc', '401 BadAuthorization'],
    ['a key that is no point', () => vapid({}, sender, 'AAAA'), '403 BadVapidKey'],
    ['another key than the subscription has', () => vapid({}, ecKeys()), '403 VapidPkHashMismatch'],
    ['the signature of another key', () => vapid({}, ecKeys(), senderKey), '403 BadJwtToken'],
    ['another algorithm', () => vapid({}, sender, senderKey, 'none'), '403 BadJwtToken'],
    ['the audience of another origin', () => vapid({ aud: 'https://localhost' }), '403 BadJwtToken'],
    ['a token that ended', () => vapid({ exp: SECONDS }), '403 BadJwtToken'],
    ['a token for 24 hours', () => vapid({ exp: SECONDS + 86_400 }), '201'],
    ['a token for longer', () => vapid({ exp: SECONDS + 86_401 }), '403 BadJwtToken'],
    ['no contact', () => vapid({ sub: undefined }), '403 BadJwtToken'],
    ['a contact at localhost', () => vapid({ sub: 'mailto:root@localhost' }), '403 BadJwtToken'],
    ['a page at localhost', () => vapid({ sub: 'https://localhost/x' }), '403 BadJwtToken'],
    ['a page', () => vapid({ sub: 'https://example.org/contact' }), '201'],
  ])('from %s', async (_, authorization, expected) => {
    expect(outcome(await push({ authorization: authorization() }))).toBe(expected);
  });

  it('of 4,096 bytes is taken, of one more refused', async () => {
    const sized = (bytes: number): Buffer => sealMessage('x'.repeat(bytes - 103), subscription);
    expect(outcome(await push({}, sized(4_096)))).toBe('201');
    expect(gateways.webPush.delivered.items.at(-1)?.bytes).toBe(4_096);
    expect(outcome(await push({}, sized(4_097)))).toBe('413 PayloadTooLarge');
  });

  it('to Firefox on Android may have 3,015 bytes', async () => {
    const origin = gateways.webPush.origins.length;
    await gateways.webPush.addOrigin({ profile: 'firefox-android' });
    subscription = gateways.webPush.subscribe({ origin, vapidPublicKey: senderKey });
    const sized = (bytes: number): Buffer => sealMessage('x'.repeat(bytes - 103), subscription);
    expect(outcome(await push({}, sized(3_015)))).toBe('201');
    expect(outcome(await push({}, sized(3_016)))).toBe('413 PayloadTooLarge');
  });

  it('that its browser could not open is refused, and the record says why', async () => {
    expect(outcome(await push({}, sealMessage('x', subscription, { delimiter: 1 })))).toBe(
      '400 Undecryptable',
    );
    expect(gateways.webPush.traffic.items.at(-1)?.refusal).toBe(
      'the delimiter is not 2: not the last record',
    );
  });

  it('may have no body', async () => {
    const answer = await push({ 'content-encoding': undefined }, Buffer.alloc(0));
    expect(answer).toMatchObject({ status: 201, headers: { ttl: '60' } });
    expect(answer.headers.location).toMatch(/^https:\/\/localhost:\d+\/message\//);
  });

  it('is kept as the browser gets it', async () => {
    await push({ topic: 'abcd', urgency: 'low' });
    expect(gateways.webPush.delivered.items.at(-1)).toMatchObject({
      endpoint: subscription.endpoint,
      ttl: 60,
      urgency: 'low',
      topic: 'abcd',
      vapidKey: senderKey,
      plaintext: Buffer.from('text'),
    });
  });

  it('may come over HTTP/2', async () => {
    const session = openHttp2(new URL(subscription.endpoint).origin, gateways.ca);
    const headers = {
      ':method': 'POST',
      ':path': new URL(subscription.endpoint).pathname,
      authorization: vapid(),
      ttl: '60',
      'content-encoding': 'aes128gcm',
    };
    expect(outcome(await sendHttp2(session, headers, sealMessage('text', subscription)))).toBe('201');
    session.destroy();
  });
});

describe('a subscription', () => {
  it('that was never made is not found, one that was withdrawn is gone', async () => {
    gateways.webPush.unsubscribe(subscription.endpoint);
    expect(outcome(await push())).toBe('410 Unsubscribed');
    subscription = { ...subscription, endpoint: `${subscription.endpoint}x` };
    expect(outcome(await push())).toBe('404 NotFound');
  });

  it('without a key takes any sender', async () => {
    subscription = gateways.webPush.subscribe();
    expect(outcome(await push({ authorization: vapid({}, ecKeys()) }))).toBe('201');
  });

  it('keeps the newest of a topic', async () => {
    for (const [text, topic] of [
      ['first', 'aaaa'],
      ['other', 'bbbb'],
      ['second', 'aaaa'],
    ]) {
      await push({ topic }, sealMessage(text ?? '', subscription));
    }
    const texts = gateways.webPush.stored(subscription.endpoint).map(({ plaintext }) => String(plaintext));
    expect(texts).toEqual(['second', 'other']);
  });
});

describe('a scripted step', () => {
  it('answers any status, with Retry-After or a reason', async () => {
    gateways.webPush.script.forToken(subscription.endpoint, { status: 406, retryAfter: 900 });
    gateways.webPush.script.next({ status: 403, reason: 'BadJwtToken' });
    gateways.webPush.script.next({ redirect: 'https://127.0.0.1/' });
    expect(await push()).toMatchObject({ status: 406, headers: { 'retry-after': '900' } });
    expect(outcome(await push())).toBe('403 BadJwtToken');
    expect(await push()).toMatchObject({ status: 307, headers: { location: 'https://127.0.0.1/' } });
    expect(outcome(await push())).toBe('201');
  });

  it('floods until the client hangs up', async () => {
    gateways.webPush.script.next({ wire: 'flood' });
    expect(await readAtLeast(1_000_000)).toMatchObject({ status: 400 });
  });

  it('drips a byte at a time', async () => {
    gateways.webPush.script.next({ wire: 'drip', status: 201 });
    expect(await readAtLeast(2)).toEqual({ status: 201, chunks: 2 });
  });

  /** Reads so many bytes of an answer without end, then hangs up. */
  function readAtLeast(bytes: number): Promise<{ status: number | undefined; chunks: number }> {
    return new Promise((resolve, reject) => {
      const sent = request(
        subscription.endpoint,
        { method: 'POST', ca: gateways.ca, agent: false },
        (answer) => {
          let [read, chunks] = [0, 0];
          answer.on('data', (chunk: Buffer) => {
            read += chunk.length;
            chunks += 1;
            if (read >= bytes) answer.destroy();
          });
          answer.on('error', () => {});
          answer.on('close', () => resolve({ status: answer.statusCode, chunks }));
        },
      );
      sent.on('error', reject).end();
    });
  }
});

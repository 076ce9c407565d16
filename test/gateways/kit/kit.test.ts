/** What the three gateways have in common: proof of absence, scripts, the stretch of TCP, an end at once. */
import { connect } from 'node:net';
import { connect as connectTls } from 'node:tls';
import { describe, expect, it } from 'vitest';
import { startGateways } from '../index.js';
import { openHttp2, sendHttp1, sendHttp2 } from './raw-client.fixtures.js';
import { Script } from './script.js';
import { type RecordedRequest, Traffic } from './traffic.js';

function traffic(body: string | Buffer, headers: [string, string][] = []): Traffic {
  const made = new Traffic(true);
  const common = { listener: 'x', connection: 1, httpVersion: '2', method: 'POST', path: '/p', at: 0 };
  made.add({ ...common, headers, body: Buffer.from(body) } as RecordedRequest);
  return made;
}

describe('traffic', () => {
  const secret = 'Delete "prod" now';

  it.each<[string, string]>([
    ['as it is', `a ${secret} b`],
    ['in JSON', JSON.stringify({ secret })],
    ['in base64', Buffer.from(secret).toString('base64')],
    ['in base64 after one byte', Buffer.from(`a${secret}z`).toString('base64')],
    ['in base64url after two bytes', Buffer.from(`ab${secret}zz`).toString('base64url')],
    ['in hex', Buffer.from(secret).toString('hex')],
    ['in capital hex', Buffer.from(secret).toString('hex').toUpperCase()],
  ])('finds a text %s', (_, body) => {
    expect(traffic(body).find(secret)).toEqual(['x request 0: body']);
  });

  it('finds bytes in headers, and does not find what is not there', () => {
    const key = Buffer.from('00ff10ee', 'hex');
    expect(traffic('', [['topic', key.toString('base64url')]]).find(key)).toEqual([
      'x request 0: header topic',
    ]);
    expect(traffic('nothing').find(key)).toEqual([]);
  });

  it('refuses to look for nothing', () => {
    expect(() => traffic('').find('')).toThrow(RangeError);
  });
});

describe('a script', () => {
  it('gives steps of a token first, in their order, as often as they say', () => {
    const script = new Script();
    script.next({ status: 1, times: 2 });
    script.next({ status: 2 });
    script.forToken('t', { status: 3 });
    const taken = ['t', 't', undefined, 't', 't'].map((token) => script.take(token)?.status);
    expect(taken).toEqual([3, 1, 1, 2, undefined]);
  });

  it('forgets all when it is cleared', () => {
    const script = new Script();
    script.next({ status: 1, times: Number.POSITIVE_INFINITY });
    script.forToken('t', { status: 3 });
    script.clear();
    expect(script.take('t')).toBeUndefined();
  });
});

describe('a set of gateways', () => {
  it('counts connections and requests, and keeps neither bytes nor deliveries where only counts are wanted', async () => {
    const { webPush, ca, close } = await startGateways({ keep: 'counts' });
    const { endpoint } = webPush.subscribe();
    await sendHttp1(endpoint, ca, {});
    await sendHttp1(endpoint, ca, {});
    expect([webPush.origins[0]?.listener.wire.opened, webPush.traffic.count]).toEqual([2, 2]);
    expect(webPush.traffic.items).toEqual([]);
    await close();
  });

  it('goes on after a thaw where it was frozen', async () => {
    const { fcm, ca, close } = await startGateways();
    const session = openHttp2(fcm.api.url, ca);
    await sendHttp2(session, { ':method': 'POST' });
    fcm.api.wire.freeze();
    const answer = sendHttp2(session, { ':method': 'POST' });
    fcm.api.wire.thaw();
    expect(await answer).toMatchObject({ status: 404 });
    session.destroy();
    await close();
  });

  it('frozen for new connections lets nobody so far as TLS', async () => {
    const { fcm, ca, close } = await startGateways();
    fcm.api.wire.freeze(true);
    const client = connectTls({ host: 'localhost', port: fcm.api.port, ca });
    const fate = new Promise((resolve) => {
      client.once('secureConnect', () => resolve('secure')).once('error', () => resolve('reset'));
    });
    await fcm.api.wire.whenOpened(1);
    fcm.api.wire.resetAll();
    expect(await fate).toBe('reset');
    await close();
  });

  it('listens on 127.0.0.1 only', async () => {
    const { fcm, close } = await startGateways();
    const refused = new Promise((resolve) => {
      connect({ host: '::1', port: fcm.api.port }).once('error', (error) => resolve('code' in error));
    });
    expect(await refused).toBe(true);
    await close();
  });

  it('ends at once with requests that nobody answers', async () => {
    const { fcm, apns, ca, close } = await startGateways();
    fcm.script.next({ wire: 'blackhole' });
    apns.script.next({ delayMs: 1_000_000 });
    const sessions = [openHttp2(fcm.api.url, ca), openHttp2(apns.sandbox.url, ca)];
    const lost = sessions.map((session) => sendHttp2(session, { ':method': 'POST' }).catch(() => 'lost'));
    await Promise.all([fcm.traffic.whenCount(1), apns.traffic.whenCount(1)]);
    await close();
    expect(await Promise.all(lost)).toEqual(['lost', 'lost']);
  });
});

/** 01 §1 and the start of §3 against the relay: the upgrade, the challenge, the frames before a login. */
import { once } from 'node:events';
import { describe, expect, it } from 'vitest';
import WebSocket from 'ws';
import { IndependentAgent } from './peer/agent.js';
import { commitment, identityOf } from './peer/crypto.js';
import { encode } from './peer/frames.js';
import { bytesField } from './peer/protobuf.js';
import { relayForTest } from './peer/scene.js';
import { Wire } from './peer/wire.js';

const someone = identityOf(Buffer.alloc(32, 7));

async function refusal(relayUrl: string, path: string, headers: Record<string, string> = {}) {
  const socket = new WebSocket(`${relayUrl}${path}`, { headers });
  socket.on('error', () => undefined);
  const [, response] = await once(socket, 'unexpected-response');
  let body = '';
  for await (const chunk of response) body += chunk;
  socket.terminate();
  return { status: response.statusCode as number, body };
}

describe('the upgrade', () => {
  it('serves one path and answers 404 for the byte streams of the original', async () => {
    const { url } = await relayForTest();
    expect((await refusal(url, '/v1/pipe')).status).toBe(404);
    const health = await fetch(`${url.replace('ws', 'http')}/healthz`);
    expect([health.status, await health.text()]).toEqual([200, 'ok']);
  });

  it('refuses a foreign web origin with 403 and names the setting', async () => {
    const { url } = await relayForTest({ allowedOrigins: ['https://app.example'] });
    const { status, body } = await refusal(url, '/v1/ws', { origin: 'https://evil.example' });
    expect(status).toBe(403);
    expect(body).toContain('allowedOrigins');
    for (const origin of ['https://app.example', url.replace('ws', 'http')]) {
      const wire = await Wire.open(url, { headers: { origin } });
      await wire.challenge();
      wire.kill();
    }
  });
});

describe('the challenge', () => {
  it('comes first and is bound to the address that was dialled', async () => {
    const { url } = await relayForTest();
    const wire = await Wire.open(url);
    const nonce = await wire.challenge();
    expect(nonce).toHaveLength(32);
    const r = nonce.subarray(0, 16);
    expect(nonce.subarray(16)).toEqual(commitment(r, new URL(url).host));
    wire.kill();
  });

  it('is bound to the loopback name or the public host that the upgrade names', async () => {
    const local = await relayForTest();
    const named = await relayForTest({ publicHosts: ['relay.example', 'other.example:8443'] });
    const cases: [string, string, string][] = [
      [local.url, `localhost:${local.port}`, `localhost:${local.port}`],
      [named.url, 'relay.example', 'relay.example'],
      [named.url, 'other.example:8443', 'other.example:8443'],
    ];
    for (const [url, host, authority] of cases) {
      const wire = await Wire.open(url, { headers: { host } });
      const nonce = await wire.challenge();
      expect(nonce.subarray(16)).toEqual(commitment(nonce.subarray(0, 16), authority));
      wire.kill();
    }
  });

  it('is never bound to a host that was not configured', async () => {
    const { url } = await relayForTest({ publicHosts: ['relay.example'] });
    const wire = await Wire.open(url, { headers: { host: 'evil.example' } });
    const nonce = await wire.challenge();
    expect(nonce.subarray(16)).not.toEqual(commitment(nonce.subarray(0, 16), 'evil.example'));
    wire.kill();
  });

  it('differs every time', async () => {
    const { url } = await relayForTest();
    const nonces = await Promise.all(
      [1, 2].map(async () => {
        const wire = await Wire.open(url);
        const nonce = await wire.challenge();
        wire.kill();
        return nonce.toString('hex');
      }),
    );
    expect(new Set(nonces).size).toBe(2);
  });
});

describe('before a login', () => {
  const agentAuth = (members: object) => encode('auth', { agent: { ed25519: someone.ed25519 }, ...members });
  const cases: [string, Buffer | string][] = [
    ['a text frame', 'hello'],
    ['garbage', Buffer.from('ffffffffffffffffffffff', 'hex')],
    ['a cut frame', encode('presence_request').subarray(0, 1)],
    ['an empty frame', Buffer.alloc(0)],
    ['another frame', encode('presence_request')],
    ['auth without a role', encode('auth', { signature: Buffer.alloc(64) })],
    ['a frame over 64 KiB', agentAuth({ signature: Buffer.alloc(64), invite: 'x'.repeat(64 * 1024) })],
  ];
  it.each(cases)('%s ends it with auth_error bad_request and 1008', async (_what, bytes) => {
    const { url } = await relayForTest();
    const wire = await Wire.open(url);
    await wire.challenge();
    wire.sendRaw(bytes);
    expect(await wire.take('auth_error')).toMatchObject({ code: 'bad_request' });
    expect((await wire.ended).code).toBe(1008);
  });

  it('silence ends it with challenge_timeout and 1008', async () => {
    const { url } = await relayForTest({ loginDeadlineMs: 30 });
    const wire = await Wire.open(url);
    await wire.challenge();
    expect(await wire.take('auth_error')).toMatchObject({ code: 'challenge_timeout' });
    expect((await wire.ended).code).toBe(1008);
  });

  it('a ping right after login, and the idle are ended with 4003', async () => {
    const { url } = await relayForTest({ idleMs: 60, pingEveryMs: 20 });
    const agent = new IndependentAgent(url);
    const wire = await agent.login({}, { autoPong: false });
    await wire.until(() => wire.pings[0], 'a ping');
    expect((await wire.ended).code).toBe(4003);
  });

  it('ignores members it does not know', async () => {
    const { url } = await relayForTest();
    const agent = new IndependentAgent(url);
    const wire = await Wire.open(url);
    const { sign } = agent.identity;
    const nonce = await wire.challenge();
    const signature = sign(Buffer.concat([Buffer.from('skald-relay-auth-v1\0'), nonce]));
    const auth = encode('auth', { agent: { ed25519: agent.identity.ed25519 }, signature }).subarray(2);
    wire.sendRaw(bytesField(2, Buffer.concat([auth, bytesField(77, 'later')])));
    expect((await wire.take('auth_ok')).namespaceId).toEqual(agent.namespaceId);
    wire.kill();
  });
});

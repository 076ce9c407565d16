/** 01 §5 and §6: where the relay stops, and what becomes of those who reach it. */

import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { describe, expect, it } from 'vitest';
import WebSocket from 'ws';
import { IndependentAgent } from './peer/agent.js';
import { HandClock } from './peer/clock.js';
import { IndependentDevice } from './peer/device.js';
import type { Members } from './peer/frames.js';
import { connectedPeers, pairAnother, pairedPeers, relayForTest } from './peer/scene.js';
import { Wire } from './peer/wire.js';

const KIB = 1024;
const DAY_MS = 86_400_000;
const TIDYING_MS = 600_000;
const QUIET = { idleMs: 30 * DAY_MS, pingEveryMs: 30 * DAY_MS };

const message = (members: Members = {}): Members => ({
  ciphertext: randomBytes(48),
  nonce: randomBytes(12),
  ...members,
});

async function upgradeStatus(url: string): Promise<{ status: number; retryAfter?: string | undefined }> {
  const socket = new WebSocket(`${url}/v1/ws`);
  socket.on('error', () => undefined);
  const [status, retryAfter] = await Promise.race([
    once(socket, 'open').then(() => [101]),
    once(socket, 'unexpected-response').then(([, response]) => [
      response.statusCode,
      response.headers['retry-after'],
    ]),
  ]);
  socket.terminate();
  return { status, retryAfter };
}

describe('connections without a login', () => {
  it('when they are too many the oldest is dropped, not the new one', async () => {
    const { url } = await relayForTest({ maxConnectionsBeforeLogin: 2 });
    const first = await Wire.open(url);
    await first.challenge();
    const others = [await Wire.open(url), await Wire.open(url)];
    await first.ended;
    for (const wire of others) {
      await wire.challenge();
      wire.kill();
    }
  });

  it('of one address are bounded: 429 with Retry-After before the upgrade', async () => {
    const { url } = await relayForTest({ openBeforeLoginPerAddress: 2 });
    const open = [await Wire.open(url), await Wire.open(url)];
    const { status, retryAfter } = await upgradeStatus(url);
    expect(status).toBe(429);
    expect(Number(retryAfter)).toBeGreaterThan(0);
    for (const wire of open) wire.kill();
  });

  it('count when they fail; logins that succeed cost nothing', async () => {
    const { url } = await relayForTest({ newConnectionsPerAddressPerMinute: 3 });
    const agent = new IndependentAgent(url);
    for (let i = 0; i < 6; i++) await agent.login();
    for (let i = 0; i < 3; i++) {
      const wire = await Wire.open(url);
      await wire.authenticate(agent.identity, { agent: { ed25519: randomBytes(32) } });
      await wire.take('auth_error');
      await wire.ended;
    }
    expect((await upgradeStatus(url)).status).toBe(429);
  });
});

describe('the pairing window and those who wait', () => {
  it('ends after its time', async () => {
    const clock = new HandClock();
    const { url } = await relayForTest(QUIET, { clock });
    const agent = new IndependentAgent(url);
    await agent.login();
    const window = await agent.openWindow(60);
    await clock.pass(59_000);
    expect((await new IndependentDevice(agent.invitation(window)).pair()).name).toBe('auth_ok');
    const next = await agent.wire.takePast('client_paired').then(() => agent.openWindow(60));
    await clock.pass(61_000);
    expect((await new IndependentDevice(agent.invitation(next)).pair()).code).toBe('pairing_closed');
  });

  it('a pending device is forgotten after 24 h', async () => {
    const clock = new HandClock();
    const { url } = await relayForTest(QUIET, { clock });
    const agent = new IndependentAgent(url);
    await agent.login();
    const device = await pairAnother(agent);
    await clock.pass(DAY_MS);
    await clock.pass(TIDYING_MS);
    await clock.pass(TIDYING_MS);
    expect(await agent.authorize(device.identity.ed25519)).toBe(0);
  });

  it('a message for a device is forgotten after 7 days', async () => {
    for (const [days, left] of [
      [6.9, 1],
      [7.1, 0],
    ] as const) {
      const clock = new HandClock();
      const { url } = await relayForTest(QUIET, { clock });
      const { agent, device } = await pairedPeers(url);
      agent.wire.send('message', message({ peer: device.identity.ed25519 }));
      await agent.wire.settled();
      await clock.pass(days * DAY_MS);
      await device.login();
      await device.wire.settled();
      expect(device.wire.waiting()).toHaveLength(left);
    }
  });
});

describe('queues', () => {
  it('hold 4 MiB of an agent for one device', async () => {
    const { url } = await relayForTest({ bucketMessages: 1000 });
    const { agent, device } = await pairedPeers(url);
    const size = 60 * KIB;
    for (let i = 0; i < 80; i++)
      agent.wire.send('message', message({ ciphertext: Buffer.alloc(size), peer: device.identity.ed25519 }));
    await agent.wire.settled();
    const refused = agent.wire.waiting().length;
    expect(agent.wire.waiting()).toEqual(Array(refused).fill('error'));
    const kept = (80 - refused) * size;
    expect(kept).toBeLessThanOrEqual(4 * KIB * KIB);
    expect(kept).toBeGreaterThan(4 * KIB * KIB - 2 * size);
  });

  it('are drained with at most 256 KiB unproven; a live message behind waits, then its peer is offline', async () => {
    const { url } = await relayForTest({ bucketMessages: 1000, liveWaitMs: 200 });
    const { agent, device } = await pairedPeers(url);
    const peer = device.identity.ed25519;
    for (let i = 0; i < 10; i++)
      agent.wire.send('message', message({ ciphertext: Buffer.alloc(60 * KIB), peer }));
    await agent.wire.settled();
    await device.login({}, { autoPong: false });
    await device.wire.settled();
    const atOnce = device.wire.waiting().length;
    expect(atOnce * 60 * KIB).toBeLessThanOrEqual(256 * KIB);
    agent.wire.send('message', message({ peer, live: true }));
    expect(await agent.wire.takePast('peer_offline')).toEqual({ peer });
    for (let proved = 0; device.wire.waiting().length < 10; ) {
      await device.wire.until(() => (device.wire.pings.length > proved ? true : undefined), 'a ping');
      while (proved < device.wire.pings.length) device.wire.pong(device.wire.pings[proved++] as Buffer);
      await device.wire.settled();
    }
    expect(device.wire.waiting()).toEqual(Array(10).fill('message'));
  });
});

describe('a peer that is silent', () => {
  it('after the ping that asks for a receipt is closed with 4003, its message kept', async () => {
    const { url } = await relayForTest({ pingSilenceMs: 150 });
    const { agent, device } = await pairedPeers(url);
    await device.login({}, { autoPong: false });
    agent.wire.send('message', message({ peer: device.identity.ed25519 }));
    await device.wire.take('message');
    expect((await device.wire.ended).code).toBe(4003);
    await device.login();
    await device.wire.take('message');
  });

  it('about the receipt but sends other bytes stays', async () => {
    const { url } = await relayForTest({ pingSilenceMs: 200 });
    const { agent, device } = await pairedPeers(url);
    await device.login({}, { autoPong: false });
    agent.wire.send('message', message({ peer: device.identity.ed25519 }));
    await device.wire.take('message');
    const talk = setInterval(() => device.wire.send('presence_request'), 40);
    const end = await Promise.race([
      device.wire.ended,
      new Promise((resolve) => setTimeout(resolve, 700, 'stays')),
    ]);
    clearInterval(talk);
    expect(end).toBe('stays');
  });
});

describe('a peer that does not read', () => {
  it('is given up, keeps what was queued for it and delays no one else', async () => {
    const { url } = await relayForTest({ slowReaderMs: 200 });
    const { agent, device } = await connectedPeers(url);
    const other = await pairAnother(agent);
    await agent.authorize(device.identity.ed25519, other.identity.ed25519);
    await other.login();
    const slow = device.identity.ed25519;
    device.wire.socket.pause();
    for (let i = 0; i < 40; i++)
      agent.wire.send('message', message({ ciphertext: Buffer.alloc(500 * KIB), peer: slow, live: true }));
    agent.wire.send('message', message({ peer: other.identity.ed25519, live: true }));
    await other.wire.takePast('message');
    const queued = message({ peer: slow });
    agent.wire.send('message', queued);
    const offline = () =>
      agent.wire.history.find(({ frame }) => frame.name === 'presence_event' && frame.is.status === 2);
    await agent.wire.until(offline, 'OFFLINE');
    device.wire.kill();
    await device.login();
    expect(await device.wire.take('message')).toMatchObject({ ciphertext: queued.ciphertext });
  });
});

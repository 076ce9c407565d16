/** 01 §4: the frames after a login, what they do and what becomes of the connection. */
import { randomBytes } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { IndependentAgent } from './peer/agent.js';
import type { IndependentDevice } from './peer/device.js';
import { encode } from './peer/frames.js';
import { bytesField, varintField } from './peer/protobuf.js';
import { connectedPeers, pairAnother, pairedPeers, relayForTest } from './peer/scene.js';

const sealed = { ciphertext: randomBytes(40), nonce: randomBytes(12) };

describe('authorize', () => {
  it('counts those authorized and ignores unknown and repeated keys', async () => {
    const { url } = await relayForTest();
    const { agent, device } = await pairedPeers(url);
    const key = device.identity.ed25519;
    expect(await agent.authorize(key, randomBytes(32), key)).toBe(1);
  });

  it('with one bad key or too many changes nothing', async () => {
    const { url } = await relayForTest();
    const { agent, device } = await pairedPeers(url);
    const lists = [
      [device.identity.ed25519, Buffer.alloc(31)],
      Array.from({ length: 33 }, () => randomBytes(32)),
    ];
    for (const clients of lists) {
      agent.wire.send('authorize', { clients });
      expect(await agent.wire.take('error')).toMatchObject({ code: 'bad_request' });
    }
    expect(await device.tryLogin()).toBeUndefined();
  });

  it('takes 32 devices', async () => {
    const { url } = await relayForTest({ newConnectionsPerAddressPerMinute: 1000 });
    const agent = new IndependentAgent(url);
    await agent.login();
    const keys: Buffer[] = [];
    for (let i = 0; i < 32; i++) {
      keys.push((await pairAnother(agent)).identity.ed25519);
      if (i % 16 === 15) expect(await agent.authorize(...keys)).toBe(keys.length);
    }
  });

  it('closes the connection of a device that leaves the set, 4002, and says OFFLINE once', async () => {
    const { url } = await relayForTest();
    const { agent, device } = await connectedPeers(url);
    const other = await pairAnother(agent);
    await agent.authorize(device.identity.ed25519, other.identity.ed25519);
    await other.login();
    await device.wire.until(
      () => device.wire.history.find((h) => h.frame.name === 'presence_event'),
      'other',
    );
    await agent.authorize(other.identity.ed25519);
    expect((await device.wire.ended).code).toBe(4002);
    expect(await device.tryLogin()).toBe('unauthorized');
    await other.wire.settled();
    const events = other.wire.history.filter((h) => h.frame.name === 'presence_event');
    expect(events.map((h) => h.frame.is)).toEqual([{ pubkey: device.identity.ed25519, status: 2 }]);
  });

  it('says nothing of a revoked device that was not there', async () => {
    const { url } = await relayForTest();
    const { agent } = await pairedPeers(url);
    await agent.authorize();
    await agent.wire.settled();
    expect(agent.wire.waiting()).toEqual([]);
  });

  it('takes the queue of a revoked device with it, and its messages to the agent', async () => {
    const { url } = await relayForTest();
    const { agent, device } = await pairedPeers(url);
    agent.notify(device.identity.ed25519, { title: 't', body: 'to be forgotten' });
    await device.login();
    await agent.wire.close();
    device.hello();
    await device.wire.settled();
    device.wire.kill();
    await agent.login({}, { autoPong: false });
    await agent.wire.take('message');
    await agent.authorize();
    const window = await agent.openWindow();
    await device.pair({ token: window.token });
    await agent.wire.close();
    await agent.login();
    await agent.authorize(device.identity.ed25519).catch(() => 'paired first');
    await agent.wire.settled();
    expect(agent.wire.waiting()).toEqual(['authorize_ok']);
    await device.login();
    await device.wire.settled();
    expect(device.wire.waiting()).toEqual([]);
  });

  it('does not touch pending devices; the 17th pushes out the oldest', async () => {
    const { url } = await relayForTest({ newConnectionsPerAddressPerMinute: 1000 });
    const agent = new IndependentAgent(url);
    await agent.login();
    const devices: IndependentDevice[] = [];
    for (let i = 0; i < 17; i++) devices.push(await pairAnother(agent));
    expect(await agent.authorize()).toBe(0);
    const keys = devices.map((device) => device.identity.ed25519);
    await agent.wire.close();
    await agent.login();
    await agent.wire.settled();
    expect(agent.wire.waiting()).toEqual(Array(16).fill('client_paired'));
    expect(await agent.wire.take('client_paired')).toMatchObject({ ed25519: keys[1] });
    expect(await agent.authorize(keys[0] as Buffer).catch(() => 'others first')).toBe('others first');
  });
});

describe('the pairing window', () => {
  it('has 300 s when none are named and at most 600', async () => {
    const { url } = await relayForTest();
    const agent = new IndependentAgent(url);
    const wire = await agent.login();
    for (const [asked, given] of [
      [0, 300],
      [1, 1],
      [60, 60],
      [601, 600],
    ]) {
      wire.send('pairing_start', { token: randomBytes(32), ttl: asked });
      expect(await wire.take('pairing_ready')).toEqual({ ttl: given });
    }
    wire.send('pairing_start', { token: Buffer.alloc(31), ttl: 60 });
    expect((await wire.take('error')).code).toBe('bad_request');
  });
});

describe('presence', () => {
  it('lists who is there, the requester included', async () => {
    const { url } = await relayForTest();
    const { agent, device } = await connectedPeers(url);
    const keys = [agent.identity.ed25519, device.identity.ed25519].map((k) => k.toString('hex')).sort();
    for (const { wire } of [agent, device]) {
      wire.send('presence_request');
      const { online } = await wire.take('presence_list');
      expect((online as Buffer[]).map((k) => k.toString('hex')).sort()).toEqual(keys);
    }
    device.wire.kill();
    expect(await agent.wire.take('presence_event')).toEqual({ pubkey: device.identity.ed25519, status: 2 });
  });
});

describe('frames out of place', () => {
  it('a device may not authorize or open windows, and stays connected', async () => {
    const { url } = await relayForTest();
    const { device } = await connectedPeers(url);
    device.wire.send('authorize', { clients: [device.identity.ed25519] });
    device.wire.send('pairing_start', { token: randomBytes(32), ttl: 60 });
    device.wire.send('pairing_stop');
    for (let i = 0; i < 3; i++) expect((await device.wire.take('error')).code).toBe('bad_request');
    await device.wire.settled();
    expect(device.wire.waiting()).toEqual([]);
  });

  it('an empty or unknown frame is a bad_request "empty frame", and the connection stays', async () => {
    const { url } = await relayForTest();
    const { agent } = await connectedPeers(url);
    for (const bytes of [Buffer.alloc(0), bytesField(99, 'new'), varintField(40, 1)]) {
      agent.wire.sendRaw(bytes);
      expect(await agent.wire.take('error')).toMatchObject({ code: 'bad_request', message: 'empty frame' });
    }
    await agent.wire.settled();
  });

  it('frames only the relay sends, an error and text are ignored', async () => {
    const { url } = await relayForTest();
    const { agent } = await connectedPeers(url);
    const { namespaceId } = agent;
    agent.wire.send('challenge', { nonce: randomBytes(32) });
    agent.wire.send('auth_ok', { namespaceId });
    agent.wire.send('auth_error', { code: 'x' });
    agent.wire.send('authorize_ok', { authorized: 1 });
    agent.wire.send('pairing_ready', { ttl: 1 });
    agent.wire.send('pairing_stop_ok');
    agent.wire.send('client_paired', { ed25519: randomBytes(32), x25519: randomBytes(32), platform: 1 });
    agent.wire.send('peer_offline', { peer: randomBytes(32) });
    agent.wire.send('presence_list', { online: [] });
    agent.wire.send('presence_event', { pubkey: randomBytes(32), status: 1 });
    agent.wire.send('error', { code: 'bad_request', message: '' });
    agent.wire.sendRaw('{"type":"ping"}');
    await agent.wire.settled();
    expect(agent.wire.waiting()).toEqual([]);
  });

  it.each([
    ['garbage', Buffer.from('ffffffffffffffffffffff', 'hex')],
    ['a cut message', encode('message', { ...sealed, peer: randomBytes(32) }).subarray(0, 50)],
  ])('%s is a bad_request that ends the connection, 1008', async (_what, bytes) => {
    const { url } = await relayForTest();
    const { agent } = await connectedPeers(url);
    agent.wire.sendRaw(bytes);
    expect((await agent.wire.take('error')).code).toBe('bad_request');
    expect((await agent.wire.ended).code).toBe(1008);
  });
});

describe('sizes', () => {
  const overhead =
    encode('message', { ...sealed, ciphertext: Buffer.alloc(60_000), peer: randomBytes(32) }).length - 60_000;

  it('a queued frame of 64 KiB passes, one byte more is too large and ends the connection, 1009', async () => {
    const { url } = await relayForTest();
    const { agent, device } = await connectedPeers(url);
    const peer = device.identity.ed25519;
    const fits = 64 * 1024 - overhead;
    agent.wire.send('message', { ...sealed, ciphertext: Buffer.alloc(fits), peer });
    expect((await device.wire.take('message')).ciphertext).toHaveLength(fits);
    agent.wire.send('message', { ...sealed, ciphertext: Buffer.alloc(fits + 1), peer });
    expect((await agent.wire.take('error')).code).toBe('payload_too_large');
    expect((await agent.wire.ended).code).toBe(1009);
  });

  it('a live frame of 512 KiB passes, one byte more ends the connection, 1009', async () => {
    const { url } = await relayForTest();
    const { agent, device } = await connectedPeers(url);
    const peer = device.identity.ed25519;
    const ciphertext = Buffer.alloc(523_264);
    agent.wire.send('message', { ...sealed, ciphertext, peer, live: true });
    expect((await device.wire.take('message')).ciphertext).toHaveLength(523_264);
    const frame = encode('message', { ...sealed, ciphertext, peer, live: true });
    const full = Buffer.alloc(512 * 1024 - frame.length + ciphertext.length);
    agent.wire.send('message', { ...sealed, ciphertext: full, peer, live: true });
    expect((await device.wire.take('message')).ciphertext).toHaveLength(full.length);
    agent.wire.send('message', { ...sealed, ciphertext: Buffer.alloc(full.length + 1), peer, live: true });
    expect((await agent.wire.ended).code).toBe(1009);
  });
});

describe('the rate', () => {
  it('stops the reading beyond a burst of 120 without losing a message', async () => {
    const { url } = await relayForTest({
      bucketMessages: 20,
      bucketMessagesPerDevice: 0,
      bucketMessagesPerSecond: 200,
    });
    const { agent, device } = await connectedPeers(url);
    for (let i = 0; i < 60; i++)
      agent.wire.send('message', {
        ...sealed,
        nonce: randomBytes(12),
        peer: device.identity.ed25519,
        live: true,
      });
    for (let i = 0; i < 60; i++) await device.wire.take('message');
    expect(agent.wire.waiting()).toEqual([]);
  });

  it('ends steady excess with rate_limited and 1013', async () => {
    const { url } = await relayForTest({
      bucketMessages: 10,
      bucketMessagesPerDevice: 0,
      bucketMessagesPerSecond: 20,
      bucketMessagesPerSecondPerDevice: 0,
      excessMs: 300,
    });
    const { agent, device } = await connectedPeers(url);
    const flood = setInterval(() => {
      for (let i = 0; i < 50; i++)
        agent.wire.send('message', {
          ...sealed,
          nonce: randomBytes(12),
          peer: device.identity.ed25519,
          live: true,
        });
    }, 10);
    const end = await agent.wire.ended;
    clearInterval(flood);
    expect(end.code).toBe(1013);
    expect(agent.wire.history.at(-1)?.frame).toMatchObject({ name: 'error', is: { code: 'rate_limited' } });
  });
});

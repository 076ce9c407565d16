/** 01 §5: what is kept for a peer, and until when. */
import { randomBytes } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { HandClock } from './peer/clock.js';
import type { Members } from './peer/frames.js';
import { connectedPeers, pairedPeers, relayForTest } from './peer/scene.js';

const message = (members: Members = {}): Members => ({
  ciphertext: randomBytes(48),
  nonce: randomBytes(12),
  ...members,
});

describe('store and forward', () => {
  it('asks for proof with a ping of eight random bytes after the message', async () => {
    const { url } = await relayForTest();
    const { agent, device } = await pairedPeers(url);
    await device.login({}, { autoPong: false });
    const before = device.wire.pings.length;
    agent.wire.send('message', message({ peer: device.identity.ed25519 }));
    await device.wire.take('message');
    await device.wire.until(() => (device.wire.pings.length > before ? true : undefined), 'a ping');
    expect(device.wire.pings.at(-1)).toHaveLength(8);
  });

  it('forgets a message once the pong has proved it', async () => {
    const { url } = await relayForTest();
    const { agent, device } = await pairedPeers(url);
    await device.login();
    agent.wire.send('message', message({ peer: device.identity.ed25519 }));
    await device.wire.take('message');
    await device.wire.settled();
    await device.login();
    await device.wire.settled();
    expect(device.wire.waiting()).toEqual([]);
  });

  it.each([
    ['no pong', () => undefined],
    ['an older pong', (pings: Buffer[]) => pings[0]],
    ['a pong of other bytes', () => randomBytes(8)],
    ['an empty pong', () => Buffer.alloc(0)],
  ])('keeps a message for which came %s', async (_what, choose) => {
    const { url } = await relayForTest();
    const { agent, device } = await pairedPeers(url);
    await device.login({}, { autoPong: false });
    await device.wire.until(() => device.wire.pings[0], 'the first ping');
    const one = message({ peer: device.identity.ed25519 });
    agent.wire.send('message', one);
    await device.wire.take('message');
    await device.wire.until(() => device.wire.pings[1], 'the ping after the message');
    const pong = choose(device.wire.pings);
    if (pong !== undefined) device.wire.pong(pong);
    await device.wire.settled();
    device.wire.kill();
    await device.login();
    expect(await device.wire.take('message')).toMatchObject({ ciphertext: one.ciphertext });
  });

  it('answers a ping only after what came before it is kept', async () => {
    const { url } = await relayForTest();
    const { agent, device } = await pairedPeers(url);
    for (let i = 0; i < 20; i++) agent.wire.send('message', message({ peer: device.identity.ed25519 }));
    await agent.wire.settled();
    agent.wire.kill();
    await device.login();
    for (let i = 0; i < 20; i++) await device.wire.take('message');
  });

  it('holds 200 messages of an agent for one device, then refuses', async () => {
    const { url } = await relayForTest({ bucketMessages: 1000 });
    const { agent, device } = await pairedPeers(url);
    for (let i = 0; i < 201; i++) agent.wire.send('message', message({ peer: device.identity.ed25519 }));
    expect((await agent.wire.take('error')).code).toBe('queue_full');
    await agent.wire.settled();
    expect(agent.wire.waiting()).toEqual([]);
    await device.login();
    for (let i = 0; i < 200; i++) await device.wire.take('message');
    await device.wire.settled();
    expect(device.wire.waiting()).toEqual([]);
  });

  it('holds 64 messages or 1 MiB of a device for its agent, then refuses', async () => {
    const { url } = await relayForTest();
    for (const [size, fits] of [
      [48, 64],
      [60_000, 17],
    ] as const) {
      const { agent, device } = await connectedPeers(url);
      await agent.wire.close();
      await device.wire.take('presence_event');
      const peer = agent.identity.ed25519;
      for (let i = 0; i <= fits; i++)
        device.wire.send('message', message({ ciphertext: randomBytes(size), peer }));
      expect((await device.wire.take('error')).code).toBe('queue_full');
      await device.wire.settled();
      expect(device.wire.waiting()).toEqual([]);
    }
  });

  it('survives the device being away, across reconnects, until it is proved', async () => {
    const { url } = await relayForTest();
    const { agent, device } = await pairedPeers(url);
    agent.notify(device.identity.ed25519, { title: 't', body: 'still here' });
    await agent.wire.settled();
    await device.login({}, { autoPong: false });
    await device.wire.take('message');
    device.wire.kill();
    await device.login();
    expect((await device.receive('notification')).body).toBe('still here');
  });
});

describe('messages waiting for an agent', () => {
  it.each([
    ['original', 119_000, 1],
    ['original', 121_000, 0],
    ['ours', 121_000, 1],
    ['ours', 6 * 86_400_000, 1],
    ['ours', 8 * 86_400_000, 0],
  ] as const)('of the style %s after %i ms: %i', async (style, waitMs, delivered) => {
    const clock = new HandClock();
    const { url } = await relayForTest({ idleMs: 9 * 86_400_000, pingEveryMs: 9 * 86_400_000 }, { clock });
    const { agent, device } = await connectedPeers(url, { agent: style });
    await agent.wire.close();
    await device.wire.take('presence_event');
    device.wire.send('message', message({ peer: agent.identity.ed25519 }));
    await device.wire.settled();
    await clock.pass(waitMs);
    await agent.login();
    await agent.wire.settled();
    expect(agent.wire.waiting().filter((name) => name === 'message')).toHaveLength(delivered);
  });
});

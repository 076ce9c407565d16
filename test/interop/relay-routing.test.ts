/** 01 §5: who reaches whom, what is rewritten, what is kept and until when. */
import { randomBytes } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { IndependentAgent } from './peer/agent.js';
import { HandClock } from './peer/clock.js';
import { identityOf } from './peer/crypto.js';
import { encode, innerFieldNumbers, type Members } from './peer/frames.js';
import { bytesField, varintField } from './peer/protobuf.js';
import { connectedPeers, pairAnother, pairedPeers, relayForTest } from './peer/scene.js';

const message = (members: Members = {}): Members => ({
  ciphertext: randomBytes(48),
  nonce: randomBytes(12),
  ...members,
});

describe('recipients', () => {
  it('are the agent for a device and authorized devices for the agent, nobody else', async () => {
    const { url } = await relayForTest();
    const { agent, device } = await connectedPeers(url);
    const other = await pairAnother(agent);
    const stranger = identityOf(randomBytes(32)).ed25519;
    await agent.authorize(device.identity.ed25519, other.identity.ed25519);
    const pending = await pairAnother(agent);
    const tries: [typeof agent.wire, Buffer][] = [
      [device.wire, other.identity.ed25519],
      [device.wire, device.identity.ed25519],
      [device.wire, stranger],
      [agent.wire, stranger],
      [agent.wire, agent.identity.ed25519],
      [agent.wire, pending.identity.ed25519],
    ];
    for (const [wire, peer] of tries)
      for (const live of [true, false]) {
        wire.send('message', message({ peer, live }));
        expect(await wire.take('error')).toMatchObject({ code: 'not_found' });
      }
  });

  it('in another namespace are out of reach', async () => {
    const { url } = await relayForTest();
    const here = await connectedPeers(url);
    const there = await connectedPeers(url);
    here.agent.wire.send('message', message({ peer: there.device.identity.ed25519 }));
    expect((await here.agent.wire.take('error'))['code']).toBe('not_found');
    here.device.wire.send('message', message({ peer: there.agent.identity.ed25519 }));
    expect((await here.device.wire.take('error'))['code']).toBe('not_found');
  });

  it.each([
    ['peer', { peer: Buffer.alloc(31) }],
    ['peer', { peer: Buffer.alloc(0) }],
    ['nonce', { nonce: Buffer.alloc(11) }],
    ['nonce', { nonce: Buffer.alloc(13) }],
    ['ciphertext', { ciphertext: Buffer.alloc(15) }],
    ['ciphertext', { ciphertext: Buffer.alloc(0) }],
  ])('a %s of the wrong length is a bad_request, and the connection stays', async (_what, wrong) => {
    const { url } = await relayForTest();
    const { agent, device } = await connectedPeers(url);
    for (const live of [true, false]) {
      agent.wire.send('message', message({ peer: device.identity.ed25519, live, ...wrong }));
      expect((await agent.wire.take('error'))['code']).toBe('bad_request');
    }
    agent.wire.send('message', message({ peer: device.identity.ed25519, ciphertext: randomBytes(16) }));
    await device.wire.take('message');
  });
});

describe('what is delivered', () => {
  it('names the sender, leaves ciphertext and nonce alone, says live as it was sent', async () => {
    const { url } = await relayForTest();
    const { agent, device } = await connectedPeers(url);
    for (const live of [true, false]) {
      const down = message({ peer: device.identity.ed25519, live });
      agent.wire.send('message', down);
      expect(await device.wire.take('message')).toEqual({ ...down, peer: agent.identity.ed25519 });
      const up = message({ peer: agent.identity.ed25519, live });
      device.wire.send('message', up);
      expect(await agent.wire.take('message')).toEqual({ ...up, peer: device.identity.ed25519 });
    }
  });

  it('is never live for an original peer', async () => {
    const { url } = await relayForTest();
    const { agent, device } = await connectedPeers(url, { agent: 'original', device: 'original' });
    agent.wire.send('message', message({ peer: device.identity.ed25519, live: true }));
    expect((await device.wire.take('message'))['live']).toBe(false);
    device.wire.send('message', message({ peer: agent.identity.ed25519, live: true }));
    expect((await agent.wire.take('message'))['live']).toBe(false);
  });

  it('carries no field of 16 or more, known or unknown, to anyone', async () => {
    const { url } = await relayForTest();
    for (const style of ['ours', 'original'] as const) {
      const { agent, device } = await connectedPeers(url, { device: style });
      const tail = Buffer.concat([
        varintField(16, 7),
        bytesField(17, bytesField(1, randomBytes(16))),
        varintField(18, 9),
        bytesField(99, 'x'),
      ]);
      for (const live of [true, false]) {
        const inner = encode('message', message({ peer: device.identity.ed25519, live })).subarray(2);
        agent.wire.sendRaw(bytesField(12, Buffer.concat([inner, tail])));
        const { bytes } = await device.wire.nextWithBytes('message');
        expect(innerFieldNumbers(bytes)).toEqual(live && style === 'ours' ? [1, 2, 3, 4] : [1, 2, 3]);
      }
    }
  });

  it('is the same for a frame in an unusual shape', async () => {
    const { url } = await relayForTest();
    const { agent, device } = await connectedPeers(url);
    const { ciphertext, nonce } = message() as Record<string, Buffer>;
    const peer = device.identity.ed25519;
    if (ciphertext === undefined || nonce === undefined) throw new Error('no message');
    const shapes = [
      [
        varintField(16, 7),
        varintField(4, 1),
        bytesField(3, peer),
        bytesField(2, nonce),
        bytesField(1, ciphertext),
      ],
      [bytesField(1, randomBytes(20)), bytesField(1, ciphertext), bytesField(2, nonce), bytesField(3, peer)],
      [
        bytesField(1, ciphertext),
        bytesField(2, nonce),
        bytesField(3, peer),
        varintField(4, 0),
        varintField(5, 3),
      ],
      [
        bytesField(3, agent.identity.ed25519),
        bytesField(3, peer),
        bytesField(2, nonce),
        bytesField(1, ciphertext),
      ],
    ];
    for (const [i, fields] of shapes.entries()) {
      agent.wire.sendRaw(bytesField(12, Buffer.concat(fields)));
      const { frame } = await device.wire.nextWithBytes('message');
      expect(frame.is).toMatchObject({ ciphertext, nonce, peer: agent.identity.ed25519, live: i === 0 });
    }
  });

  it('keeps the order of one sender, live and queued together', async () => {
    const { url } = await relayForTest();
    const { agent, device } = await connectedPeers(url);
    const sent: string[] = [];
    for (let i = 0; i < 40; i++) {
      const one = message({ peer: device.identity.ed25519, live: i % 3 === 0 });
      sent.push((one['nonce'] as Buffer).toString('hex'));
      agent.wire.send('message', one);
    }
    const got: string[] = [];
    for (let i = 0; i < 40; i++)
      got.push(((await device.wire.take('message'))['nonce'] as Buffer).toString('hex'));
    expect(got).toEqual(sent);
  });
});

describe('live', () => {
  it('to someone absent is answered peer_offline and kept nowhere', async () => {
    const { url } = await relayForTest();
    const { agent, device } = await pairedPeers(url);
    const peer = device.identity.ed25519;
    agent.wire.send('message', message({ peer, live: true }));
    expect(await agent.wire.take('peer_offline')).toEqual({ peer });
    await device.login();
    await device.wire.settled();
    expect(device.wire.waiting()).toEqual([]);
    await agent.wire.close();
    device.wire.send('message', message({ peer: agent.identity.ed25519, live: true }));
    await device.wire.take('presence_event');
    expect(await device.wire.take('peer_offline')).toEqual({ peer: agent.identity.ed25519 });
  });
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
    expect(await device.wire.take('message')).toMatchObject({ ciphertext: one['ciphertext'] });
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
    expect((await agent.wire.take('error'))['code']).toBe('queue_full');
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
      expect((await device.wire.take('error'))['code']).toBe('queue_full');
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
    expect((await device.receive('notification'))['body']).toBe('still here');
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

describe('a newer login', () => {
  it('displaces the older connection, 4001, and nobody hears OFFLINE', async () => {
    const { url } = await relayForTest();
    const { agent, device } = await connectedPeers(url);
    const older = device.wire;
    await device.login();
    expect((await older.ended).code).toBe(4001);
    await agent.wire.settled();
    const heard = agent.wire.history.filter(({ frame }) => frame.name === 'presence_event');
    expect(heard.map(({ frame }) => frame.is['status'])).not.toContain(2);
    agent.wire.send('message', message({ peer: device.identity.ed25519, live: true }));
    await device.wire.take('message');
  });

  it('of the agent leaves the devices connected', async () => {
    const { url } = await relayForTest();
    const { agent, device } = await connectedPeers(url);
    const older = agent.wire;
    await agent.login();
    expect((await older.ended).code).toBe(4001);
    device.wire.send('message', message({ peer: agent.identity.ed25519, live: true }));
    await agent.wire.takePast('message');
    const heard = device.wire.history.filter(({ frame }) => frame.name === 'presence_event');
    expect(heard.map(({ frame }) => frame.is['status'])).not.toContain(2);
  });

  it('is what its frames go by: those of the displaced are not executed', async () => {
    const { url } = await relayForTest();
    const { agent, device } = await pairedPeers(url);
    const older = agent.wire;
    const again = agent.login();
    older.send('authorize', { clients: [] });
    await again;
    await older.ended;
    older.send('authorize', { clients: [] });
    await agent.wire.settled();
    const refusedOrIn = await device.tryLogin();
    // The first authorize may have come before the newer login; the second never counts.
    expect([undefined, 'unauthorized']).toContain(refusedOrIn);
  });
});

describe('the end', () => {
  it('says 1001 to everyone when the relay stops', async () => {
    const relay = await relayForTest();
    const agent = new IndependentAgent(relay.url);
    await agent.login();
    await relay.close();
    expect((await agent.wire.ended).code).toBe(1001);
  });
});

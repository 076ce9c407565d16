/** 01 §5: who reaches whom, what is rewritten, who is displaced. */
import { randomBytes } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { IndependentAgent } from './peer/agent.js';
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
    expect((await here.agent.wire.take('error')).code).toBe('not_found');
    here.device.wire.send('message', message({ peer: there.agent.identity.ed25519 }));
    expect((await here.device.wire.take('error')).code).toBe('not_found');
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
      expect((await agent.wire.take('error')).code).toBe('bad_request');
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
    expect((await device.wire.take('message')).live).toBe(false);
    device.wire.send('message', message({ peer: agent.identity.ed25519, live: true }));
    expect((await agent.wire.take('message')).live).toBe(false);
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
      sent.push((one.nonce as Buffer).toString('hex'));
      agent.wire.send('message', one);
    }
    const got: string[] = [];
    for (let i = 0; i < 40; i++)
      got.push(((await device.wire.take('message')).nonce as Buffer).toString('hex'));
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

describe('a newer login', () => {
  it('displaces the older connection, 4001, and nobody hears OFFLINE', async () => {
    const { url } = await relayForTest();
    const { agent, device } = await connectedPeers(url);
    const older = device.wire;
    await device.login();
    expect((await older.ended).code).toBe(4001);
    await agent.wire.settled();
    const heard = agent.wire.history.filter(({ frame }) => frame.name === 'presence_event');
    expect(heard.map(({ frame }) => frame.is.status)).not.toContain(2);
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
    expect(heard.map(({ frame }) => frame.is.status)).not.toContain(2);
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

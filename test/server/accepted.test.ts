/** 01 §2, §5: `ref`, `accepted`, `seq`, `received`, and messages sent again. */
import { encodeFrame, type FrameOf } from '@countersign/protocol';
import { afterEach, describe, expect, it } from 'vitest';
import { type Keys, newKeys, type RawPeer } from '../support/relay/raw-peer.js';
import { RelayClock } from '../support/relay/relay-clock.js';
import { RelayScene, sealed } from '../support/relay/relay-scene.js';

let scene: RelayScene;
afterEach(() => scene.close());

const REF = { capabilities: ['ref', 'window'] };
const RECEIVED = { capabilities: ['received', 'window'] };
const BOTH = { capabilities: ['ref', 'received', 'window'] };

async function absentDevice() {
  const agent = await scene.agent(newKeys(), REF);
  const [keys] = (await scene.pair(agent)) as [Keys];
  return { agent, keys };
}

async function messages(peer: RawPeer, count: number): Promise<FrameOf<'message'>[]> {
  const all: FrameOf<'message'>[] = [];
  for (let i = 0; i < count; i++) all.push(await peer.next('message'));
  return all;
}

/** Of those that came and were not taken. */
const framesOf = (peer: RawPeer, type: string) => peer.frames.filter((frame) => frame.type === type);

describe('ref', () => {
  it('of a queued message is accepted once it is stored, before a pong says so', async () => {
    scene = await RelayScene.open();
    const { agent, keys } = await absentDevice();
    const refs = [1n, 2n ** 64n - 1n];
    for (const ref of refs) agent.peer.send({ ...sealed(keys.publicKey, false), ref });
    await agent.peer.settled();
    expect(framesOf(agent.peer, 'accepted')).toEqual(refs.map((ref) => ({ type: 'accepted', ref })));
  });

  it('stands on every refusal and on peer_offline', async () => {
    scene = await RelayScene.open({ agentQueueMessages: 1 });
    const { agent, keys } = await absentDevice();
    const say = async (type: 'error' | 'peer_offline', frame: object) => {
      agent.peer.send({ ...sealed(keys.publicKey, false), ref: 7n, ...frame });
      return agent.peer.next(type);
    };
    const nobody = { peer: newKeys().publicKey };
    expect(await say('peer_offline', { live: true })).toMatchObject({ ref: 7n });
    expect(await say('error', nobody)).toMatchObject({ code: 'not_found', ref: 7n });
    expect(await say('error', { ...nobody, live: true })).toMatchObject({ code: 'not_found', ref: 7n });
    expect(await say('error', { nonce: new Uint8Array(11) })).toMatchObject({ code: 'bad_request', ref: 7n });
    agent.peer.send(sealed(keys.publicKey, false));
    expect(await say('error', {})).toMatchObject({ code: 'queue_full', ref: 7n });
    expect(await say('error', { ciphertext: new Uint8Array(65_536) })).toMatchObject({
      code: 'payload_too_large',
      ref: 7n,
    });
    expect((await agent.peer.whenClosed()).code).toBe(1009);
  });

  it('from a peer that did not ask is left alone, and such a peer hears of none', async () => {
    scene = await RelayScene.open();
    const agent = await scene.agent();
    const [keys] = (await scene.pair(agent)) as [Keys];
    const message = { ...sealed(keys.publicKey, false), ref: 7n };
    agent.peer.send(message);
    agent.peer.send(message);
    agent.peer.send({ ...message, live: true });
    expect(await agent.peer.next('peer_offline')).not.toHaveProperty('ref');
    agent.peer.send({ ...message, peer: newKeys().publicKey });
    expect(await agent.peer.next('error')).not.toHaveProperty('ref');
    await agent.peer.settled();
    expect(framesOf(agent.peer, 'accepted')).toEqual([]);
    const device = await scene.client(agent.namespaceId, keys);
    expect(await messages(device.peer, 2)).toHaveLength(2);
  });

  it('of a live message is answered by nothing when it was delivered', async () => {
    scene = await RelayScene.open();
    const { agent, device } = await scene.couple(REF);
    agent.peer.send({ ...sealed(device.keys.publicKey, true), ref: 7n });
    expect(await device.peer.next('message')).not.toHaveProperty('ref');
    await agent.peer.settled();
    expect(framesOf(agent.peer, 'accepted')).toEqual([]);
  });

  it('of an encoding only the library reads is answered just the same', async () => {
    scene = await RelayScene.open();
    const { agent, keys } = await absentDevice();
    const canonical = encodeFrame({ ...sealed(keys.publicKey, false), ref: 7n });
    // A second, empty member 12 is merged into the first (proto3).
    agent.peer.sendBytes(new Uint8Array([...canonical, 0x62, 0]));
    expect(await agent.peer.next('accepted')).toEqual({ type: 'accepted', ref: 7n });
  });
});

describe('a message sent again', () => {
  it('is accepted again and delivered once, also on a later connection and after it was received', async () => {
    scene = await RelayScene.open();
    const { agent, keys } = await absentDevice();
    const message = { ...sealed(keys.publicKey, false), ref: 7n };
    for (let i = 0; i < 2; i++) agent.peer.send(message);
    for (let i = 0; i < 2; i++) expect((await agent.peer.next('accepted')).ref).toBe(7n);
    const device = await scene.client(agent.namespaceId, keys);
    await messages(device.peer, 1);
    await device.peer.settled();

    const later = await scene.agent(agent.keys, REF);
    later.peer.send(message);
    expect((await later.peer.next('accepted')).ref).toBe(7n);
    const next = { ...sealed(keys.publicKey, false), ref: 8n };
    later.peer.send(next);
    expect(await messages(device.peer, 1)).toMatchObject([{ nonce: next.nonce }]);
  });

  it('after 24 hours is another message', async () => {
    const clock = new RelayClock();
    scene = await RelayScene.open({ idleMs: 1e9, pingEveryMs: 1e9 }, { clock });
    const { agent, keys } = await absentDevice();
    const message = { ...sealed(keys.publicKey, false), ref: 7n };
    agent.peer.send(message);
    await agent.peer.next('accepted');
    clock.advance(86_400_000);
    agent.peer.send(message);
    await agent.peer.next('accepted');
    const device = await scene.client(agent.namespaceId, keys);
    expect(await messages(device.peer, 2)).toHaveLength(2);
  });
});

describe('received', () => {
  it('brings a seq to queued messages, ascending, and none to live ones or to peers that did not ask', async () => {
    scene = await RelayScene.open();
    const agent = await scene.agent();
    const [one, two] = (await scene.pair(agent, 2)) as [Keys, Keys];
    const asking = await scene.client(agent.namespaceId, one, RECEIVED);
    const silent = await scene.client(agent.namespaceId, two);
    for (const { publicKey } of [one, two]) {
      for (const live of [false, false, true]) agent.peer.send(sealed(publicKey, live));
    }
    const seqs = (await messages(asking.peer, 3)).map(({ seq }) => seq);
    expect(seqs).toEqual([expect.any(BigInt), expect.any(BigInt), undefined]);
    expect((seqs[0] as bigint) < (seqs[1] as bigint)).toBe(true);
    expect((await messages(silent.peer, 3)).some((message) => 'seq' in message)).toBe(false);
  });

  it('alone takes messages out of the queue, up to its seq; pongs do not', async () => {
    scene = await RelayScene.open();
    const { agent, keys } = await absentDevice();
    for (let i = 0; i < 3; i++) agent.peer.send(sealed(keys.publicKey, false));
    await agent.peer.settled();
    const first = await scene.client(agent.namespaceId, keys, RECEIVED);
    const [, second] = await messages(first.peer, 3);
    await first.peer.settled();
    first.peer.close();

    const again = await scene.client(agent.namespaceId, keys, RECEIVED);
    expect(await messages(again.peer, 3)).toHaveLength(3);
    again.peer.send({ type: 'received', seq: second?.seq as bigint });
    await again.peer.settled();
    again.peer.close();

    const last = await scene.client(agent.namespaceId, keys, RECEIVED);
    const [rest] = await messages(last.peer, 1);
    expect(rest?.seq).toBeGreaterThan(second?.seq as bigint);
    await last.peer.settled();
    expect(framesOf(last.peer, 'message')).toEqual([]);
  });

  it.each([
    ['above all that was written', (seq: bigint) => seq + 1n],
    ['of the largest number', () => 2n ** 64n - 1n],
    ['of nothing', () => 0n],
  ])('%s changes nothing, and the connection stays', async (_what, wrong) => {
    scene = await RelayScene.open();
    const { agent, keys } = await absentDevice();
    agent.peer.send(sealed(keys.publicKey, false));
    await agent.peer.settled();
    const device = await scene.client(agent.namespaceId, keys, RECEIVED);
    const [message] = await messages(device.peer, 1);
    device.peer.send({ type: 'received', seq: wrong(message?.seq as bigint) });
    await device.peer.settled();
    const again = await scene.client(agent.namespaceId, keys, RECEIVED);
    expect(await messages(again.peer, 1)).toMatchObject([{ seq: message?.seq }]);
  });

  it('from a displaced connection changes nothing', async () => {
    scene = await RelayScene.open();
    const { agent, keys } = await absentDevice();
    agent.peer.send(sealed(keys.publicKey, false));
    await agent.peer.settled();
    const older = await scene.client(agent.namespaceId, keys, RECEIVED);
    const [message] = await messages(older.peer, 1);
    const newer = await scene.client(agent.namespaceId, keys, RECEIVED);
    older.peer.send({ type: 'received', seq: message?.seq as bigint });
    expect((await older.peer.whenClosed()).code).toBe(4001);
    await messages(newer.peer, 1);
    const last = await scene.client(agent.namespaceId, keys, RECEIVED);
    expect(await messages(last.peer, 1)).toHaveLength(1);
  });

  it('makes room for more than 256 KiB', async () => {
    scene = await RelayScene.open();
    const { agent, keys } = await absentDevice();
    for (let i = 0; i < 6; i++) agent.peer.send(sealed(keys.publicKey, false, 60_000));
    await agent.peer.settled();
    const device = await scene.client(agent.namespaceId, keys, RECEIVED);
    const written = await messages(device.peer, 4);
    await device.peer.settled();
    expect(framesOf(device.peer, 'message')).toEqual([]);
    device.peer.send({ type: 'received', seq: written[0]?.seq as bigint });
    await messages(device.peer, 1);
    await device.peer.settled();
    expect(framesOf(device.peer, 'message')).toEqual([]);
    device.peer.send({ type: 'received', seq: written[3]?.seq as bigint });
    expect(await messages(device.peer, 1)).toHaveLength(1);
  });

  it('that proves costs nothing; one that proves nothing is slowed down as pongs are', async () => {
    scene = await RelayScene.open({ bucketMessages: 4, bucketMessagesPerSecond: 1 });
    const { agent, keys } = await absentDevice();
    const device = await scene.client(agent.namespaceId, keys, BOTH);
    for (let i = 0; i < 12; i++) {
      agent.peer.send(sealed(keys.publicKey, false));
      const [message] = await messages(device.peer, 1);
      device.peer.send({ type: 'received', seq: message?.seq as bigint });
    }
    device.peer.send({ ...sealed(agent.keys.publicKey, false), ref: 1n });
    await device.peer.next('accepted');
  });

  it('does not keep a live peer from being told on, nor get it closed, when it confirms nothing', async () => {
    const clock = new RelayClock();
    const lines: string[] = [];
    scene = await RelayScene.open(
      { logLevel: 'debug' },
      { clock, log: { write: (line) => lines.push(line) } },
    );
    const { agent, keys } = await absentDevice();
    const device = await scene.client(agent.namespaceId, keys, RECEIVED);
    agent.peer.send(sealed(keys.publicKey, false));
    await messages(device.peer, 1);
    for (let i = 0; i < 12; i++) {
      clock.advance(10_000);
      await device.peer.settled();
      await agent.peer.settled();
    }
    expect(lines.filter((line) => line.includes('"unproven"'))).toHaveLength(1);
    expect(device.peer.closed).toBeUndefined();
  });
});

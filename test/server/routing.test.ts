/** 01 §5: who reaches whom, in which order, and when a queued message is done with. */
import { encodeFrame, type FrameOf } from '@countersign/protocol';
import { afterEach, describe, expect, it } from 'vitest';
import { authFrame, clientRole, type Keys, newKeys, type RawPeer } from '../support/relay/raw-peer.js';
import { RelayClock } from '../support/relay/relay-clock.js';
import { type Agent, RelayScene, sealed } from '../support/relay/relay-scene.js';

let scene: RelayScene;
afterEach(() => scene.close());

const SIZES = [
  ['peer of 31 bytes', { peer: new Uint8Array(31) }],
  ['peer of 33 bytes', { peer: new Uint8Array(33) }],
  ['nonce of 11 bytes', { nonce: new Uint8Array(11) }],
  ['nonce of 13 bytes', { nonce: new Uint8Array(13) }],
  ['ciphertext of 15 bytes', { ciphertext: new Uint8Array(15) }],
  ['no ciphertext', { ciphertext: new Uint8Array(0) }],
] as const;

/** Protobuf allows a field twice, the last wins: legal, and not the canonical shape. */
function notCanonical(message: FrameOf<'message'>): Uint8Array {
  const canonical = encodeFrame(message);
  const [tag, ...rest] = canonical;
  const headerBytes = canonical.length - bodyOf(canonical).length;
  const extra = Uint8Array.of(0x12, 0x01, 0x00);
  const body = new Uint8Array([...extra, ...bodyOf(canonical)]);
  expect(rest.length).toBeGreaterThan(headerBytes);
  return new Uint8Array([tag ?? 0, ...varint(body.length), ...body]);
}

function bodyOf(frame: Uint8Array): Uint8Array {
  let at = 1;
  while ((frame[at] ?? 0) & 0x80) at++;
  return frame.subarray(at + 1);
}

function varint(value: number): number[] {
  return value < 0x80 ? [value] : [(value & 0x7f) | 0x80, ...varint(value >>> 7)];
}

async function messages(peer: RawPeer, count: number): Promise<FrameOf<'message'>[]> {
  const all: FrameOf<'message'>[] = [];
  for (let i = 0; i < count; i++) all.push(await peer.next('message'));
  return all;
}

describe('recipients', () => {
  it.each([true, false])('live %s: the agent reaches an authorized device only', async (live) => {
    scene = await RelayScene.open();
    const { agent } = await scene.couple();
    for (const peer of [newKeys().publicKey, agent.keys.publicKey]) {
      agent.peer.send(sealed(peer, live));
      expect((await agent.peer.next('error')).code).toBe('not_found');
    }
    await agent.peer.settled();
  });

  it.each([true, false])('live %s: a device reaches its agent only', async (live) => {
    scene = await RelayScene.open();
    const agent = await scene.agent();
    const [one, two] = (await scene.pair(agent, 2)) as [Keys, Keys];
    const device = await scene.client(agent.namespaceId, one);
    await scene.client(agent.namespaceId, two);
    for (const peer of [two.publicKey, one.publicKey, newKeys().publicKey]) {
      device.peer.send(sealed(peer, live));
      expect((await device.peer.next('error')).code).toBe('not_found');
    }
  });

  it('a revoked device is not_found from the next message on', async () => {
    scene = await RelayScene.open();
    const { agent, device } = await scene.couple();
    agent.peer.send(sealed(device.keys.publicKey, true));
    await device.peer.next('message');
    await scene.authorize(agent, []);
    agent.peer.send(sealed(device.keys.publicKey, true));
    expect((await agent.peer.next('error')).code).toBe('not_found');
  });
});

describe('a message', () => {
  it.each([true, false])('live %s arrives unchanged, with its sender as peer', async (live) => {
    scene = await RelayScene.open();
    const { agent, device } = await scene.couple();
    const sent = sealed(device.keys.publicKey, live, 1000);
    agent.peer.send({ ...sent, ref: 7n });
    expect(await device.peer.next('message')).toEqual({ ...sent, peer: agent.keys.publicKey });
  });

  it.each([true, false])('live %s in another encoding arrives just the same', async (live) => {
    scene = await RelayScene.open();
    const { agent, device } = await scene.couple();
    const sent = sealed(device.keys.publicKey, live, 1000);
    agent.peer.sendBytes(notCanonical({ ...sent, ref: 7n }));
    expect(await device.peer.next('message')).toEqual({ ...sent, peer: agent.keys.publicKey });
  });

  it.each(SIZES)('with %s is a bad request, and the connection stays', async (_, change) => {
    scene = await RelayScene.open();
    const { agent, device } = await scene.couple();
    for (const live of [true, false]) {
      agent.peer.send({ ...sealed(device.keys.publicKey, live), ...change });
      expect((await agent.peer.next('error')).code).toBe('bad_request');
    }
    await agent.peer.settled();
  });

  it('may be live and as large as 512 KiB', async () => {
    scene = await RelayScene.open();
    const { agent, device } = await scene.couple();
    const sent = sealed(device.keys.publicKey, true, 523_264);
    agent.peer.send(sent);
    expect((await device.peer.next('message')).ciphertext).toEqual(sent.ciphertext);
  });

  it('is delivered as not live to a peer that announced no capability', async () => {
    scene = await RelayScene.open();
    const { agent, device } = await scene.couple({}, { capabilities: [] });
    agent.peer.send(sealed(device.keys.publicKey, true));
    expect((await device.peer.next('message')).live).toBe(false);
    agent.peer.sendBytes(notCanonical(sealed(device.keys.publicKey, true)));
    expect((await device.peer.next('message')).live).toBe(false);
  });

  it('keeps its live to a peer that announced any', async () => {
    scene = await RelayScene.open();
    const { agent, device } = await scene.couple({}, { capabilities: ['unknown'] });
    agent.peer.send(sealed(device.keys.publicKey, true));
    expect((await device.peer.next('message')).live).toBe(true);
  });
});

describe('live', () => {
  it('answers peer_offline and is never queued', async () => {
    scene = await RelayScene.open();
    const agent = await scene.agent();
    const [keys] = (await scene.pair(agent)) as [Keys];
    agent.peer.send(sealed(keys.publicKey, true));
    expect(await agent.peer.next('peer_offline')).toEqual({ type: 'peer_offline', peer: keys.publicKey });
    const device = await scene.client(agent.namespaceId, keys);
    await device.peer.settled();
    expect(device.peer.heard).not.toContain('message');
  });
});

describe('the queue', () => {
  async function offlineDevice(): Promise<{ agent: Agent; keys: Keys }> {
    const agent = await scene.agent();
    const [keys] = (await scene.pair(agent)) as [Keys];
    return { agent, keys };
  }

  it('keeps messages for an absent peer, oldest first, after auth_ok and before ONLINE', async () => {
    scene = await RelayScene.open();
    const { agent, keys } = await offlineDevice();
    const sent = [1, 2, 3].map(() => sealed(keys.publicKey, false));
    for (const message of sent) agent.peer.send(message);
    await agent.peer.settled();
    const device = await scene.client(agent.namespaceId, keys);
    const got = await messages(device.peer, 3);
    expect(got.map(({ ciphertext }) => ciphertext)).toEqual(sent.map(({ ciphertext }) => ciphertext));
    await agent.peer.next('presence_event');
  });

  it('survives the end of the connection until a pong proves receipt', async () => {
    scene = await RelayScene.open();
    const { agent, keys } = await offlineDevice();
    agent.peer.send(sealed(keys.publicKey, false));
    await agent.peer.settled();
    const first = scene.connect();
    first.answersPings = false;
    first.send(await authFrame(first, keys, clientRole(keys, agent)));
    const { nonce } = await first.next('message');
    first.close();
    const second = await scene.client(agent.namespaceId, keys);
    expect((await second.peer.next('message')).nonce).toEqual(nonce);
    // It answered the ping that came after the message: proved, once the relay handled the pong.
    await second.peer.until(
      () => second.peer.heard.lastIndexOf('ping') > second.peer.heard.indexOf('message'),
    );
    await second.peer.settled();
    const third = await scene.client(agent.namespaceId, keys);
    await third.peer.settled();
    expect(third.peer.heard).not.toContain('message');
  });

  it('is not emptied by a pong that echoes no ping', async () => {
    scene = await RelayScene.open();
    const { agent, keys } = await offlineDevice();
    const device = await scene.client(agent.namespaceId, keys);
    await device.peer.settled();
    device.peer.answersPings = false;
    agent.peer.send(sealed(keys.publicKey, false));
    await device.peer.next('message');
    device.peer.ws.pong(new Uint8Array(8));
    await device.peer.settled();
    const again = await scene.client(agent.namespaceId, keys);
    await again.peer.next('message');
  });

  it('takes 200 messages for a device, then answers queue_full', async () => {
    scene = await RelayScene.open({ bucketMessages: 10_000 });
    const { agent, keys } = await offlineDevice();
    for (let i = 0; i < 201; i++) agent.peer.send(sealed(keys.publicKey, false));
    expect((await agent.peer.next('error')).code).toBe('queue_full');
    await agent.peer.settled();
    expect(agent.peer.frames).toEqual([]);
  });

  it('takes 64 messages of a device for its agent, then answers queue_full', async () => {
    scene = await RelayScene.open();
    const { agent, device } = await scene.couple();
    agent.peer.close();
    await device.peer.next('presence_event');
    for (let i = 0; i < 65; i++) device.peer.send(sealed(agent.keys.publicKey, false));
    expect((await device.peer.next('error')).code).toBe('queue_full');
    await device.peer.settled();
    expect(device.peer.frames).toEqual([]);
  });

  it('takes 4 MiB for a device', async () => {
    scene = await RelayScene.open({ bucketMessages: 10_000 });
    const { agent, keys } = await offlineDevice();
    for (let i = 0; i < 71; i++) agent.peer.send(sealed(keys.publicKey, false, 60_000));
    expect((await agent.peer.next('error')).code).toBe('queue_full');
    await agent.peer.settled();
    expect(agent.peer.frames.length).toBe(1);
  });

  it('forgets a message after 7 days', async () => {
    const clock = new RelayClock();
    scene = await RelayScene.open({}, { clock });
    const { agent, keys } = await offlineDevice();
    agent.peer.send(sealed(keys.publicKey, false));
    await agent.peer.settled();
    agent.peer.close();
    clock.advance(7 * 24 * 3_600_000);
    const device = await scene.client(agent.namespaceId, keys);
    await device.peer.settled();
    expect(device.peer.heard).not.toContain('message');
  });

  it('has no more than 256 KiB unproven under way', async () => {
    scene = await RelayScene.open();
    const { agent, keys } = await offlineDevice();
    for (let i = 0; i < 8; i++) agent.peer.send(sealed(keys.publicKey, false, 60_000));
    await agent.peer.settled();
    const device = scene.connect();
    device.answersPings = false;
    device.send(await authFrame(device, keys, clientRole(keys, agent)));
    await device.next('auth_ok');
    await messages(device, 4);
    await device.settled();
    expect(device.frames).toEqual([]);
    for (const ping of device.pings) device.ws.pong(ping);
    device.answersPings = true;
    await messages(device, 4);
  });
});

describe('messages waiting for an agent', () => {
  async function waiting(capabilities: string[]) {
    const clock = new RelayClock();
    scene = await RelayScene.open({}, { clock });
    const { agent, device } = await scene.couple();
    agent.peer.close();
    await device.peer.next('presence_event');
    device.peer.send(sealed(agent.keys.publicKey, false));
    await device.peer.settled();
    clock.advance(60_000);
    await device.peer.settled();
    device.peer.send(sealed(agent.keys.publicKey, false));
    await device.peer.settled();
    clock.advance(60_001);
    const again = await scene.agent(agent.keys, { capabilities });
    await again.peer.settled();
    return again.peer.heard.filter((what) => what === 'message').length;
  }

  it('live 120 s when it is an old one', async () => {
    expect(await waiting([])).toBe(1);
  });

  it('live on when it announced a capability', async () => {
    expect(await waiting(['window'])).toBe(2);
  });
});

describe('proof of receipt', () => {
  it('no byte for 30 s after a ping that asked for it closes with 4003; the message stays', async () => {
    const clock = new RelayClock();
    scene = await RelayScene.open({}, { clock });
    const { agent, device } = await scene.couple();
    await device.peer.settled();
    device.peer.answersPings = false;
    agent.peer.send(sealed(device.keys.publicKey, false));
    const { nonce } = await device.peer.next('message');
    clock.advance(29_999);
    await agent.peer.settled();
    expect(device.peer.closed).toBeUndefined();
    clock.advance(1);
    expect((await device.peer.whenClosed()).code).toBe(4003);
    const again = await scene.client(agent.namespaceId, device.keys);
    expect((await again.peer.next('message')).nonce).toEqual(nonce);
  });

  it('missing for 10 s is told on, and the connection stays', async () => {
    const clock = new RelayClock();
    const lines: string[] = [];
    scene = await RelayScene.open(
      { logLevel: 'debug' },
      { clock, log: { write: (line) => lines.push(line) } },
    );
    const { agent, device } = await scene.couple();
    await device.peer.settled();
    device.peer.answersPings = false;
    agent.peer.send(sealed(device.keys.publicKey, false));
    await device.peer.next('message');
    clock.advance(10_000);
    expect(lines.filter((line) => line.includes('"unproven"'))).toHaveLength(1);
    await device.peer.settled();
  });
});

describe('one order', () => {
  it('holds for live and queued messages of one sender', async () => {
    scene = await RelayScene.open();
    const { agent, device } = await scene.couple();
    const sent = Array.from({ length: 60 }, (_, i) => sealed(device.keys.publicKey, i % 3 !== 0));
    for (const message of sent) agent.peer.send(message);
    const got = await messages(device.peer, sent.length);
    expect(got.map(({ nonce }) => nonce)).toEqual(sent.map(({ nonce }) => nonce));
  });

  it('answers peer_offline after 2 s to a live message that waits behind queued ones', async () => {
    const clock = new RelayClock();
    scene = await RelayScene.open({ bucketMessages: 1000 }, { clock });
    const { agent, device } = await scene.couple();
    await device.peer.settled();
    device.peer.answersPings = false;
    for (let i = 0; i < 6; i++) agent.peer.send(sealed(device.keys.publicKey, false, 60_000));
    agent.peer.send(sealed(device.keys.publicKey, true));
    await agent.peer.settled();
    await messages(device.peer, 4);
    clock.advance(1_999);
    await agent.peer.settled();
    expect(agent.peer.frames).toEqual([]);
    clock.advance(1);
    await agent.peer.next('peer_offline');
  });

  it('lets 64 live messages wait, and refuses the next', async () => {
    const clock = new RelayClock();
    scene = await RelayScene.open({ bucketMessages: 1000 }, { clock });
    const { agent, device } = await scene.couple();
    await device.peer.settled();
    device.peer.answersPings = false;
    for (let i = 0; i < 6; i++) agent.peer.send(sealed(device.keys.publicKey, false, 60_000));
    for (let i = 0; i < 65; i++) agent.peer.send(sealed(device.keys.publicKey, true));
    await agent.peer.next('peer_offline');
    await agent.peer.settled();
    expect(agent.peer.frames).toEqual([]);
    for (const ping of device.peer.pings) device.peer.ws.pong(ping);
    const got = await messages(device.peer, 6 + 64);
    expect(got.map(({ live }) => live)).toEqual(got.map((_, i) => i >= 6));
  });
});

describe('a ping of a peer', () => {
  it('is answered with its payload once everything before it is committed', async () => {
    scene = await RelayScene.open();
    const agent = await scene.agent();
    const [keys] = (await scene.pair(agent)) as [Keys];
    for (let i = 0; i < 20; i++) agent.peer.send(sealed(keys.publicKey, false));
    agent.peer.send(sealed(newKeys().publicKey, false));
    await agent.peer.settled();
    expect(agent.peer.heard.slice(-2)).toEqual(['error', 'pong']);
  });
});

describe('a recipient that does not read', () => {
  it('makes live messages fail and is closed with 4004 after 10 s', async () => {
    const clock = new RelayClock();
    scene = await RelayScene.open({ bucketMessages: 10_000 }, { clock });
    const { agent, device } = await scene.couple();
    await device.peer.settled();
    device.peer.ws.pause();
    const offline = agent.peer.next('peer_offline');
    let isFull = false;
    void offline.then(() => {
      isFull = true;
    });
    while (!isFull) {
      agent.peer.send(sealed(device.keys.publicKey, true, 500_000));
      await agent.peer.settled();
    }
    clock.advance(10_000);
    await agent.peer.next('presence_event');
    device.peer.ws.resume();
    expect((await device.peer.whenClosed()).code).toBe(4004);
  });
});

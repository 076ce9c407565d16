/** 01 §4: what each frame does after a login, and how connections end. */
import { encodeFrame, PRESENCE, type RelayFrame } from '@countersign/protocol';
import { afterEach, describe, expect, it } from 'vitest';
import {
  authFrame,
  clientRole,
  type Keys,
  newKeys,
  pairingRole,
  type RawPeer,
  refusal,
} from '../support/relay/raw-peer.js';
import { RelayClock } from '../support/relay/relay-clock.js';
import { RelayScene, sealed } from '../support/relay/relay-scene.js';

let scene: RelayScene;
afterEach(() => scene.close());

async function errorOf(peer: RawPeer): Promise<string> {
  return (await peer.next('error')).code;
}

/** Nothing was said and the connection is still there. */
async function ignored(peer: RawPeer): Promise<void> {
  const before = peer.frames.length;
  await peer.settled();
  expect(peer.frames.length).toBe(before);
}

describe('authorize', () => {
  it('answers how many of the listed keys it knows', async () => {
    scene = await RelayScene.open();
    const agent = await scene.agent();
    const [device] = await scene.pair(agent);
    expect(await scene.authorize(agent, [device as Keys, newKeys(), newKeys()])).toBe(1);
  });

  it('changes nothing when a key is bad or there are too many', async () => {
    scene = await RelayScene.open();
    const { agent, device } = await scene.couple();
    agent.peer.send({ type: 'authorize', clients: [new Uint8Array(31)] });
    expect(await errorOf(agent.peer)).toBe('bad_request');
    agent.peer.send({ type: 'authorize', clients: Array.from({ length: 33 }, () => newKeys().publicKey) });
    expect(await errorOf(agent.peer)).toBe('bad_request');
    await device.peer.settled();
    expect(device.peer.closed).toBeUndefined();
  });

  it('closes a revoked device with 4002 and tells the others that it went OFFLINE', async () => {
    scene = await RelayScene.open();
    const { agent, device } = await scene.couple();
    expect(await scene.authorize(agent, [])).toBe(0);
    expect((await device.peer.whenClosed()).code).toBe(4002);
    const event = await agent.peer.next('presence_event');
    expect(event).toEqual({
      type: 'presence_event',
      pubkey: device.keys.publicKey,
      status: PRESENCE.offline,
    });
    await ignored(agent.peer);
  });

  it('says nothing of a revoked device that was offline', async () => {
    scene = await RelayScene.open();
    const agent = await scene.agent();
    await scene.pair(agent);
    await scene.authorize(agent, []);
    await ignored(agent.peer);
  });

  it('takes the queue of a revoked device and what it left for the agent', async () => {
    scene = await RelayScene.open();
    const agent = await scene.agent();
    const [keys] = (await scene.pair(agent)) as [Keys];
    agent.peer.send(sealed(keys.publicKey, false));
    await agent.peer.settled();
    await scene.authorize(agent, []);
    const token = await scene.window(agent);
    const pairing = scene.connect();
    pairing.send(await authFrame(pairing, keys, pairingRole(keys, { ...agent, token })));
    await pairing.next('auth_ok');
    await scene.authorize(agent, [keys]);
    const device = await scene.client(agent.namespaceId, keys);
    await ignored(device.peer);
  });
});

describe('a frame the role may not send', () => {
  it.each<RelayFrame>([
    { type: 'authorize', clients: [] },
    { type: 'pairing_start', pairingToken: new Uint8Array(32), ttl: 0 },
    { type: 'pairing_stop' },
    { type: 'auth', role: { kind: 'none' }, signature: new Uint8Array(64), capabilities: [] },
  ])('$type of a device is a bad request, and the connection stays', async (frame) => {
    scene = await RelayScene.open();
    const { device } = await scene.couple();
    device.peer.send(frame);
    expect(await errorOf(device.peer)).toBe('bad_request');
    await ignored(device.peer);
  });
});

describe('an empty or unknown frame', () => {
  it.each([
    ['empty', new Uint8Array(0)],
    ['unknown', Uint8Array.of(0xfa, 0x06, 0x00)],
  ])('%s is a bad request, and the connection stays', async (_, bytes) => {
    scene = await RelayScene.open();
    const { peer } = await scene.agent();
    peer.sendBytes(bytes);
    expect(await peer.next('error')).toEqual({ type: 'error', code: 'bad_request', message: 'empty frame' });
    await ignored(peer);
  });
});

describe('a frame only the relay sends, an inbound error or text', () => {
  it.each<RelayFrame>([
    { type: 'challenge', nonce: new Uint8Array(32) },
    { type: 'auth_ok', namespaceId: new Uint8Array(32), capabilities: [] },
    { type: 'auth_error', code: 'x', message: '' },
    { type: 'authorize_ok', authorized: 1 },
    { type: 'pairing_ready', ttl: 1 },
    { type: 'pairing_stop_ok' },
    { type: 'peer_offline', peer: new Uint8Array(32) },
    { type: 'presence_list', online: [] },
    { type: 'presence_event', pubkey: new Uint8Array(32), status: 1 },
    { type: 'error', code: 'x', message: '' },
    { type: 'accepted', ref: 1n },
  ])('$type is ignored', async (frame) => {
    scene = await RelayScene.open();
    const { peer } = await scene.agent();
    peer.send(frame);
    await ignored(peer);
  });

  it('text is ignored', async () => {
    scene = await RelayScene.open();
    const { peer } = await scene.agent();
    peer.sendBytes('hello');
    await ignored(peer);
  });
});

describe('a frame that cannot be read', () => {
  it('undecodable: bad_request, then 1008', async () => {
    scene = await RelayScene.open();
    const { peer } = await scene.agent();
    peer.sendBytes(new Uint8Array(40).fill(0xff));
    expect(await errorOf(peer)).toBe('bad_request');
    expect((await peer.whenClosed()).code).toBe(1008);
  });

  it('a queued message over 64 KiB: payload_too_large, then 1009', async () => {
    scene = await RelayScene.open();
    const { agent, device } = await scene.couple();
    agent.peer.send(sealed(device.keys.publicKey, false, 64 * 1024));
    expect(await errorOf(agent.peer)).toBe('payload_too_large');
    expect((await agent.peer.whenClosed()).code).toBe(1009);
  });

  it('anything over 512 KiB: 1009', async () => {
    scene = await RelayScene.open();
    const { agent, device } = await scene.couple();
    agent.peer.send(sealed(device.keys.publicKey, true, 512 * 1024));
    expect((await agent.peer.whenClosed()).code).toBe(1009);
  });

  it('a command over 64 KiB: payload_too_large, then 1009', async () => {
    scene = await RelayScene.open();
    const { peer } = await scene.agent();
    peer.send({ type: 'authorize', clients: Array.from({ length: 2000 }, () => new Uint8Array(32)) });
    expect(await errorOf(peer)).toBe('payload_too_large');
    expect((await peer.whenClosed()).code).toBe(1009);
  });
});

describe('presence', () => {
  it('lists who is online, the asker included', async () => {
    scene = await RelayScene.open();
    const { agent, device } = await scene.couple();
    device.peer.send({ type: 'presence_request' });
    const { online } = await device.peer.next('presence_list');
    expect(online).toHaveLength(2);
    expect(online).toEqual(expect.arrayContaining([agent.keys.publicKey, device.keys.publicKey]));
  });

  it('tells the others of a login and of its end', async () => {
    scene = await RelayScene.open();
    const agent = await scene.agent();
    const [one, two] = (await scene.pair(agent, 2)) as [Keys, Keys];
    const first = await scene.client(agent.namespaceId, one);
    const second = await scene.client(agent.namespaceId, two);
    const online = { type: 'presence_event', pubkey: two.publicKey, status: PRESENCE.online };
    expect(await first.peer.next('presence_event')).toEqual(online);
    second.peer.close();
    expect(await first.peer.next('presence_event')).toEqual({ ...online, status: PRESENCE.offline });
  });

  it('says nothing to another namespace', async () => {
    scene = await RelayScene.open();
    const stranger = await scene.agent();
    await scene.couple();
    await ignored(stranger.peer);
  });
});

describe('a newer login of the same peer', () => {
  it('closes the older connection with 4001, without an OFFLINE', async () => {
    scene = await RelayScene.open();
    const { agent, device } = await scene.couple();
    const again = await scene.client(agent.namespaceId, device.keys);
    expect((await device.peer.whenClosed()).code).toBe(4001);
    expect((await agent.peer.next('presence_event')).status).toBe(PRESENCE.online);
    await ignored(agent.peer);
    again.peer.close();
    expect((await agent.peer.next('presence_event')).status).toBe(PRESENCE.offline);
  });

  it('of an agent takes over', async () => {
    scene = await RelayScene.open();
    const { agent, device } = await scene.couple();
    const again = await scene.agent(agent.keys);
    expect((await agent.peer.whenClosed()).code).toBe(4001);
    const message = sealed(agent.keys.publicKey, true);
    device.peer.send(message);
    expect((await again.peer.next('message')).ciphertext).toEqual(message.ciphertext);
  });
});

describe('keepalive', () => {
  it('pings every 30 s', async () => {
    const clock = new RelayClock();
    scene = await RelayScene.open({}, { clock });
    const { peer } = await scene.agent();
    await peer.until(() => peer.pings.length === 1);
    clock.advance(30_000);
    await peer.until(() => peer.pings.length === 2);
  });

  it('closes with 4003 after 120 s without a message', async () => {
    const clock = new RelayClock();
    scene = await RelayScene.open({}, { clock });
    const { peer } = await scene.agent();
    peer.answersPings = false;
    clock.advance(119_999);
    await peer.until(() => peer.pings.length === 4);
    expect(peer.closed).toBeUndefined();
    clock.advance(1);
    expect((await peer.whenClosed()).code).toBe(4003);
  });

  it('counts a pong as a message', async () => {
    const clock = new RelayClock();
    scene = await RelayScene.open({}, { clock });
    const { peer } = await scene.agent();
    for (let i = 1; i <= 6; i++) {
      clock.advance(30_000);
      await peer.until(() => peer.pings.length === i + 1);
      await peer.settled();
    }
    expect(peer.closed).toBeUndefined();
  });
});

describe('a relay that stops', () => {
  it('closes every connection with 1001', async () => {
    scene = await RelayScene.open();
    const { agent, device } = await scene.couple();
    const waiting = scene.connect();
    await waiting.next('challenge');
    await scene.relay.close();
    for (const peer of [agent.peer, device.peer, waiting]) expect((await peer.whenClosed()).code).toBe(1001);
  });
});

describe('a device revoked while it logs in', () => {
  it('is unauthorized', async () => {
    scene = await RelayScene.open();
    const agent = await scene.agent();
    const [keys] = (await scene.pair(agent)) as [Keys];
    const peer = scene.connect();
    const auth = await authFrame(peer, keys, clientRole(keys, agent));
    await scene.authorize(agent, []);
    peer.sendBytes(encodeFrame(auth));
    expect(await refusal(peer)).toEqual({ error: 'unauthorized', close: 1008 });
  });
});

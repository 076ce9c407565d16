/** 01 §3, column pairing, and the windows of §4. */
import { windowOf } from '@countersign/protocol/auth';
import { afterEach, describe, expect, it } from 'vitest';
import { authFrame, type Keys, newKeys, pairingRole, refusal } from '../support/relay/raw-peer.js';
import { RelayClock } from '../support/relay/relay-clock.js';
import { type Agent, RelayScene } from '../support/relay/relay-scene.js';

let scene: RelayScene;
afterEach(() => scene.close());

const short = new Uint8Array(31);
const PAIRING_CLOSED = { error: 'pairing_closed', close: 1008 };

async function attempt(agent: Agent, keys: Keys, token: Uint8Array, x25519 = keys.publicKey) {
  const peer = scene.connect();
  peer.send(
    await authFrame(peer, keys, pairingRole(keys, { namespaceId: agent.namespaceId, token, x25519 })),
  );
  return peer;
}

describe('a pairing', () => {
  it('reaches the agent before the device hears of it, and closes with 1000', async () => {
    scene = await RelayScene.open();
    const agent = await scene.agent();
    const token = await scene.window(agent);
    const keys = newKeys();
    const x25519 = newKeys().publicKey;
    const peer = await attempt(agent, keys, token, x25519);
    await peer.next('auth_ok');
    // The agent's frame was written first; on one machine it is there by now.
    await agent.peer.settled();
    expect(await agent.peer.next('client_paired')).toEqual({
      type: 'client_paired',
      clientEd25519Pub: keys.publicKey,
      clientX25519Pub: x25519,
      platform: 3,
      window: await windowOf(token),
    });
    expect((await peer.whenClosed()).code).toBe(1000);
  });

  it('names the window only to an agent that asked for it', async () => {
    scene = await RelayScene.open();
    const agent = await scene.agent(newKeys(), { capabilities: [] });
    const token = await scene.window(agent);
    await attempt(agent, newKeys(), token);
    expect((await agent.peer.next('client_paired')).window).toBeUndefined();
  });

  it.each([
    ['namespace_id', { namespaceId: short }],
    ['X25519 key', { clientX25519Pub: short }],
    ['token', { pairingToken: short }],
    ['platform', { platform: 0 }],
  ])('is a bad request with a wrong %s', async (_, change) => {
    scene = await RelayScene.open();
    const agent = await scene.agent();
    const token = await scene.window(agent);
    const keys = newKeys();
    const role = pairingRole(keys, { namespaceId: agent.namespaceId, token });
    const peer = scene.connect();
    peer.send(await authFrame(peer, keys, { ...role, ...change } as typeof role));
    expect(await refusal(peer)).toEqual({ error: 'bad_request', close: 1008 });
  });

  it('is not_found in a namespace nobody knows', async () => {
    scene = await RelayScene.open();
    const agent = await scene.agent();
    const peer = await attempt({ ...agent, namespaceId: new Uint8Array(32) }, newKeys(), new Uint8Array(32));
    expect(await refusal(peer)).toEqual({ error: 'not_found', close: 1008 });
  });

  it('is closed without a window, after pairing_stop and once another window replaced it', async () => {
    scene = await RelayScene.open();
    const agent = await scene.agent();
    expect(await refusal(await attempt(agent, newKeys(), new Uint8Array(32)))).toEqual(PAIRING_CLOSED);
    const stopped = await scene.window(agent);
    agent.peer.send({ type: 'pairing_stop' });
    await agent.peer.next('pairing_stop_ok');
    expect(await refusal(await attempt(agent, newKeys(), stopped))).toEqual(PAIRING_CLOSED);
    const replaced = await scene.window(agent);
    await scene.window(agent);
    expect(await refusal(await attempt(agent, newKeys(), replaced))).toEqual(PAIRING_CLOSED);
  });

  it('is closed once the window has expired', async () => {
    const clock = new RelayClock();
    scene = await RelayScene.open({}, { clock });
    const agent = await scene.agent();
    const token = await scene.window(agent, 5);
    clock.advance(5_000);
    expect(await refusal(await attempt(agent, newKeys(), token))).toEqual(PAIRING_CLOSED);
  });

  it('succeeds again with the same keys and token, not with others', async () => {
    scene = await RelayScene.open();
    const agent = await scene.agent();
    const token = await scene.window(agent);
    const keys = newKeys();
    for (let i = 0; i < 2; i++) {
      const peer = await attempt(agent, keys, token);
      await peer.next('auth_ok');
      expect((await peer.whenClosed()).code).toBe(1000);
    }
    expect(await refusal(await attempt(agent, keys, token, newKeys().publicKey))).toEqual(PAIRING_CLOSED);
    expect(await refusal(await attempt(agent, newKeys(), token))).toEqual(PAIRING_CLOSED);
  });

  it('survives a wrong guess', async () => {
    scene = await RelayScene.open();
    const agent = await scene.agent();
    const token = await scene.window(agent);
    expect(await refusal(await attempt(agent, newKeys(), new Uint8Array(32)))).toEqual(PAIRING_CLOSED);
    const peer = await attempt(agent, newKeys(), token);
    await peer.next('auth_ok');
  });

  it('is rate limited after ten wrong guesses a minute from one address', async () => {
    const clock = new RelayClock();
    scene = await RelayScene.open({}, { clock });
    const agent = await scene.agent();
    const token = await scene.window(agent);
    for (let i = 0; i < 10; i++) {
      expect(await refusal(await attempt(agent, newKeys(), new Uint8Array(32).fill(i)))).toEqual(
        PAIRING_CLOSED,
      );
    }
    expect(await refusal(await attempt(agent, newKeys(), token))).toEqual({
      error: 'rate_limited',
      close: 1013,
    });
    clock.advance(60_000);
    await (await attempt(agent, newKeys(), token)).next('auth_ok');
  });
});

describe('pairing_start', () => {
  it.each([
    [0, 300],
    [1, 1],
    [600, 600],
    [601, 600],
    [2 ** 32 - 1, 600],
  ])('with ttl %d opens a window of %d s', async (ttl, expected) => {
    scene = await RelayScene.open();
    const { peer } = await scene.agent();
    peer.send({ type: 'pairing_start', pairingToken: new Uint8Array(32), ttl });
    expect((await peer.next('pairing_ready')).ttl).toBe(expected);
  });

  it('is a bad request with a token of another length', async () => {
    scene = await RelayScene.open();
    const { peer } = await scene.agent();
    peer.send({ type: 'pairing_start', pairingToken: short, ttl: 0 });
    expect((await peer.next('error')).code).toBe('bad_request');
    await peer.settled();
  });
});

describe('pending devices', () => {
  async function pending(agent: Agent): Promise<Keys> {
    const keys = newKeys();
    const peer = await attempt(agent, keys, await scene.window(agent));
    await peer.next('auth_ok');
    return keys;
  }

  it('are told to an agent that logs in, oldest first, right after auth_ok', async () => {
    scene = await RelayScene.open();
    const agent = await scene.agent();
    const devices = [await pending(agent), await pending(agent)];
    const again = await scene.agent(agent.keys);
    await again.peer.settled();
    expect(again.peer.heard.slice(0, 4)).toEqual(['challenge', 'auth_ok', 'client_paired', 'client_paired']);
    for (const device of devices) {
      const { clientEd25519Pub, window } = await again.peer.next('client_paired');
      expect(clientEd25519Pub).toEqual(device.publicKey);
      expect(window?.length).toBe(16);
    }
  });

  it('are not touched by an authorize that leaves them out', async () => {
    scene = await RelayScene.open();
    const agent = await scene.agent();
    const device = await pending(agent);
    expect(await scene.authorize(agent, [])).toBe(0);
    expect(await scene.authorize(agent, [device])).toBe(1);
  });

  it('are forgotten after 24 h', async () => {
    const clock = new RelayClock();
    scene = await RelayScene.open({}, { clock });
    const agent = await scene.agent();
    await pending(agent);
    // Kept alive on the way: a peer that sends nothing is closed after 120 s.
    agent.peer.close();
    clock.advance(24 * 3_600_000 + 1);
    const again = await scene.agent(agent.keys);
    await again.peer.settled();
    expect(again.peer.heard).not.toContain('client_paired');
  });

  it('are 16 at most: the oldest goes', async () => {
    scene = await RelayScene.open();
    const agent = await scene.agent();
    const devices: Keys[] = [];
    for (let i = 0; i < 17; i++) devices.push(await pending(agent));
    expect(await scene.authorize(agent, devices)).toBe(16);
  });
});

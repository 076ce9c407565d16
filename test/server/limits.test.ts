/** 01 §6: what the relay lets anyone take. */
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import type { ClientOptions } from 'ws';
import {
  agentRole,
  authFrame,
  type Keys,
  newKeys,
  pairingRole,
  type RawPeer,
  refusal,
} from '../support/relay/raw-peer.js';
import { RelayClock } from '../support/relay/relay-clock.js';
import { type Agent, RelayScene, sealed } from '../support/relay/relay-scene.js';

let scene: RelayScene;
afterEach(() => scene.close());

/** How an upgrade is refused, or undefined when it is let in. */
async function knock(options: ClientOptions = {}) {
  const peer = scene.connect(options);
  const refused = once(peer.ws, 'unexpected-response').then(([, response]) => ({
    status: response.statusCode as number,
    retryAfter: response.headers['retry-after'] as string | undefined,
  }));
  return Promise.race([refused, once(peer.ws, 'open').then(() => undefined)]);
}

describe('new connections of one address', () => {
  it('are 120 a minute, then 429 with Retry-After', async () => {
    const clock = new RelayClock();
    scene = await RelayScene.open({ openBeforeLoginPerAddress: 1000 }, { clock });
    for (let i = 0; i < 120; i++) expect(await knock()).toBeUndefined();
    clock.advance(10_000);
    expect(await knock()).toEqual({ status: 429, retryAfter: '50' });
    clock.advance(50_000);
    expect(await knock()).toBeUndefined();
  });

  it('are 64 before their login', async () => {
    scene = await RelayScene.open();
    for (let i = 0; i < 64; i++) expect(await knock()).toBeUndefined();
    expect(await knock()).toMatchObject({ status: 429 });
  });

  it('cost nothing once they logged in', async () => {
    scene = await RelayScene.open({ newConnectionsPerAddressPerMinute: 2, openBeforeLoginPerAddress: 1 });
    for (let i = 0; i < 4; i++) await scene.agent();
    expect(await knock()).toBeUndefined();
    expect(await knock()).toMatchObject({ status: 429 });
  });

  it('stay charged when the login failed', async () => {
    scene = await RelayScene.open({ newConnectionsPerAddressPerMinute: 2 });
    for (let i = 0; i < 2; i++) {
      const peer = scene.connect();
      await peer.next('challenge');
      peer.sendBytes('no');
      await peer.whenClosed();
    }
    expect(await knock()).toMatchObject({ status: 429 });
  });
});

describe('behind a proxy', () => {
  const from = (address: string): ClientOptions => ({ headers: { 'x-forwarded-for': address } });

  it('the address comes from the forwarded header of a configured one', async () => {
    scene = await RelayScene.open({ trustedProxies: ['127.0.0.1'], newConnectionsPerAddressPerMinute: 1 });
    expect(await knock(from('192.0.2.1'))).toBeUndefined();
    expect(await knock(from('192.0.2.2'))).toBeUndefined();
    expect(await knock(from('192.0.2.1'))).toMatchObject({ status: 429 });
    expect(await knock(from('198.51.100.1, 192.0.2.2'))).toMatchObject({ status: 429 });
  });

  it('the forwarded header of anyone else is ignored and told on once', async () => {
    const lines: string[] = [];
    scene = await RelayScene.open(
      { newConnectionsPerAddressPerMinute: 1 },
      { log: { write: (line) => lines.push(line) } },
    );
    await knock(from('192.0.2.1'));
    expect(await knock(from('192.0.2.2'))).toMatchObject({ status: 429 });
    expect(lines.filter((line) => line.includes('forwarded_header_ignored'))).toHaveLength(1);
  });

  it('IPv6 addresses count per /64, /56 and /48', async () => {
    scene = await RelayScene.open({ trustedProxies: ['127.0.0.1'], newConnectionsPerAddressPerMinute: 1 });
    expect(await knock(from('2001:db8:1:0::1'))).toBeUndefined();
    expect(await knock(from('2001:db8:1:0::2'))).toMatchObject({ status: 429 });
    expect(await knock(from('2001:db8:1:1::1'))).toBeUndefined();
    expect(await knock(from('2001:db8:1:2::1'))).toMatchObject({ status: 429 });
    expect(await knock(from('2001:db8:1:100::1'))).toBeUndefined();
    expect(await knock(from('2001:db8:1:200::1'))).toBeUndefined();
    expect(await knock(from('2001:db8:1:300::1'))).toMatchObject({ status: 429 });
    expect(await knock(from('2001:db8:2::1'))).toBeUndefined();
  });
});

describe('connections in all', () => {
  it('are at most maxConnections', async () => {
    scene = await RelayScene.open({ maxConnections: 2 });
    await scene.agent();
    const second = await scene.agent();
    expect(await knock()).toMatchObject({ status: 429 });
    second.peer.close();
    let refused = await knock();
    // The relay hears of the end a moment later.
    while (refused) refused = await knock();
  });

  it('without a login: the oldest makes room', async () => {
    scene = await RelayScene.open({ maxConnectionsBeforeLogin: 2 });
    const oldest = scene.connect();
    await oldest.next('challenge');
    await scene.connect().next('challenge');
    await scene.connect().next('challenge');
    expect(await refusal(oldest)).toEqual({ error: 'unavailable', close: 1013 });
  });

  it('without a login have 5 s when more than half of the places are taken', async () => {
    const clock = new RelayClock();
    scene = await RelayScene.open({ maxConnectionsBeforeLogin: 4 }, { clock });
    const peers = [scene.connect(), scene.connect()];
    for (const peer of peers) await peer.next('challenge');
    clock.advance(5_000);
    const third = scene.connect();
    await third.next('challenge');
    clock.advance(0);
    // With the first gone it is no longer crowded.
    expect((await refusal(peers[0] as RawPeer)).error).toBe('challenge_timeout');
    clock.advance(24_999);
    await peers[1]?.settled();
    clock.advance(1);
    expect((await refusal(peers[1] as RawPeer)).error).toBe('challenge_timeout');
    await third.settled();
  });
});

describe('messages of one connection', () => {
  it('above 120 at once are read only as fast as 10 a second', async () => {
    const clock = new RelayClock();
    scene = await RelayScene.open({}, { clock });
    const { agent, device } = await scene.couple();
    const count = 1000;
    for (let i = 0; i < count; i++) device.peer.send(sealed(agent.keys.publicKey, true, 4096));
    await agent.peer.until(() => agent.peer.frames.length >= 121);
    const settled = device.peer.settled().then(() => 'settled');
    expect(await Promise.race([settled, agent.peer.settled().then(() => 'waiting')])).toBe('waiting');
    expect(agent.peer.frames.length).toBeLessThan(count);
    while (agent.peer.frames.length < count) {
      clock.advance(1_000);
      await agent.peer.settled();
      if (agent.peer.closed || device.peer.closed) break;
    }
    expect((await device.peer.whenClosed()).code).toBe(1013);
    expect((await device.peer.next('error')).code).toBe('rate_limited');
  });

  it('may exceed the rate for a while without harm', async () => {
    const clock = new RelayClock();
    scene = await RelayScene.open({}, { clock });
    const { agent, device } = await scene.couple();
    for (let i = 0; i < 200; i++) device.peer.send(sealed(agent.keys.publicKey, true));
    while (agent.peer.frames.length < 200) {
      clock.advance(500);
      await agent.peer.settled();
    }
    clock.advance(10_000);
    await device.peer.settled();
  });

  it('may be more for an agent with devices', async () => {
    const clock = new RelayClock();
    scene = await RelayScene.open({}, { clock });
    const { agent, device } = await scene.couple();
    for (let i = 0; i < 150; i++) agent.peer.send(sealed(device.keys.publicKey, true, 4096));
    await agent.peer.settled();
    expect(device.peer.frames.length).toBe(150);
  });

  it('a paused connection is exempt from the idle deadline', async () => {
    const clock = new RelayClock();
    scene = await RelayScene.open(
      { bucketMessages: 20, bucketMessagesPerSecond: 1, excessMs: 10_000_000 },
      { clock },
    );
    const { agent, device } = await scene.couple();
    for (let i = 0; i < 400; i++) device.peer.send(sealed(agent.keys.publicKey, true));
    await agent.peer.until(() => agent.peer.frames.length > 20);
    for (let i = 0; i < 13; i++) {
      clock.advance(10_000);
      await agent.peer.settled();
    }
    expect(device.peer.closed).toBeUndefined();
  });
});

describe('devices of one namespace', () => {
  it('are 32 authorized at most', async () => {
    scene = await RelayScene.open();
    const agent = await scene.agent();
    const devices: Keys[] = [];
    while (devices.length < 32) devices.push(...(await scene.pair(agent, 1, {}, devices)));
    expect(await scene.authorize(agent, devices)).toBe(32);
  });
});

describe('registration', () => {
  async function login(keys: Keys, invite?: string): Promise<RawPeer> {
    const peer = scene.connect();
    peer.send(await authFrame(peer, keys, agentRole(keys), invite === undefined ? {} : { invite }));
    return peer;
  }
  const UNAUTHORIZED = { error: 'unauthorized', close: 1008 };

  it('by invite lets in only who shows it, and later without', async () => {
    scene = await RelayScene.open({ registration: 'invite' });
    const keys = newKeys();
    expect(scene.relay.invite).toMatch(/^[\w-]{22}$/);
    expect(await refusal(await login(keys))).toEqual(UNAUTHORIZED);
    expect(await refusal(await login(keys, 'not the invite at all'))).toEqual(UNAUTHORIZED);
    await (await login(keys, scene.relay.invite)).next('auth_ok');
    await (await login(keys)).next('auth_ok');
  });

  it('says which command prints the invite', async () => {
    scene = await RelayScene.open({ registration: 'invite' });
    const { message } = await (await login(newKeys())).next('auth_error');
    expect(message).toContain('countersign-relay invite');
  });

  it('by allowlist lets in only listed keys', async () => {
    const keys = newKeys();
    scene = await RelayScene.open({
      registration: 'allowlist',
      allowedAgents: [Buffer.from(keys.publicKey).toString('hex')],
    });
    await (await login(keys)).next('auth_ok');
    expect(await refusal(await login(newKeys()))).toEqual(UNAUTHORIZED);
  });

  it('is open on loopback unless configured', async () => {
    scene = await RelayScene.open();
    expect(scene.relay.invite).toBeUndefined();
    for (let i = 0; i < 12; i++) await (await login(newKeys())).next('auth_ok');
  });

  it('open elsewhere takes ten new agents a day from one address, known ones always', async () => {
    const clock = new RelayClock();
    scene = await RelayScene.open({ publicHosts: ['relay.example'], registration: 'open' }, { clock });
    const known: Agent[] = [];
    for (let i = 0; i < 10; i++) known.push(await scene.agent());
    expect(await refusal(await login(newKeys()))).toEqual({ error: 'rate_limited', close: 1013 });
    await scene.agent(known[0]?.keys);
    clock.advance(24 * 3_600_000);
    await scene.agent();
  });

  it('open elsewhere stores an agent only with its first pairing window', async () => {
    scene = await RelayScene.open({ publicHosts: ['relay.example'], registration: 'open' });
    const namespaces = async () =>
      (await (await fetch(`${scene.relay.opsUrl}/readyz`)).json()).namespaces as number;
    const agent = await scene.agent();
    expect(await scene.authorize(agent, [])).toBe(0);
    agent.peer.send({ type: 'pairing_stop' });
    await agent.peer.next('pairing_stop_ok');
    expect(await namespaces()).toBe(0);
    const device = newKeys();
    const early = scene.connect();
    const token = new Uint8Array(32);
    early.send(await authFrame(early, device, pairingRole(device, { ...agent, token })));
    expect((await refusal(early)).error).toBe('not_found');
    await scene.pair(agent);
    expect(await namespaces()).toBe(1);
  });
});

describe('the store', () => {
  it('above 80 % refuses new agents only, above 100 % messages too', async () => {
    scene = await RelayScene.open({ maxStoreBytes: 1024 * 1024, bucketMessages: 10_000 });
    const agent = await scene.agent();
    const [keys] = (await scene.pair(agent)) as [Keys];
    for (let i = 0; i < 14; i++) agent.peer.send(sealed(keys.publicKey, false, 60_000));
    await agent.peer.settled();
    const fresh = newKeys();
    const peer = scene.connect();
    peer.send(await authFrame(peer, fresh, agentRole(fresh)));
    expect(await refusal(peer)).toEqual({ error: 'unavailable', close: 1013 });
    expect(agent.peer.frames).toEqual([]);
    for (let i = 0; i < 4; i++) agent.peer.send(sealed(keys.publicKey, false, 60_000));
    expect((await agent.peer.next('error')).code).toBe('unavailable');
  });
});

describe('an invite', () => {
  it('is kept with the data', async () => {
    const dir = mkdtempSync(join(tmpdir(), 'countersign-invite-'));
    const config = { store: join(dir, 'relay.sqlite'), registration: 'invite' } as const;
    scene = await RelayScene.open(config);
    const { invite } = scene.relay;
    await scene.close();
    scene = await RelayScene.open(config);
    expect(scene.relay.invite).toBe(invite);
    await scene.close();
    rmSync(dir, { recursive: true });
  });
});

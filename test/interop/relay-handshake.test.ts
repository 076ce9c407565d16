/** The table of 01 §3: what is checked in which order, and what follows a login. */
import { randomBytes } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { IndependentAgent } from './peer/agent.js';
import { challengeText, identityOf, namespaceOf, sha256 } from './peer/crypto.js';
import { IndependentDevice } from './peer/device.js';
import type { Members } from './peer/frames.js';
import { pairAnother, pairedPeers, relayForTest } from './peer/scene.js';
import { Wire } from './peer/wire.js';

const someone = identityOf(randomBytes(32));
const bad = Buffer.alloc(31, 1);
const signature = Buffer.alloc(64);

/** Sends `auth` with the right signature unless one is given; code and close code of the refusal. */
async function refused(relayUrl: string, members: Members, who = someone) {
  const wire = await Wire.open(relayUrl);
  const nonce = await wire.challenge();
  wire.send('auth', { signature: who.sign(challengeText(nonce)), ...members });
  const { code } = await wire.take('auth_error');
  return [code, (await wire.ended).code];
}

describe('an agent', () => {
  it('is checked for lengths, then for the signature', async () => {
    const { url } = await relayForTest();
    const agent = { ed25519: someone.ed25519 };
    expect(await refused(url, { agent: { ed25519: bad } })).toEqual(['bad_request', 1008]);
    expect(await refused(url, { agent, signature: bad })).toEqual(['bad_request', 1008]);
    expect(await refused(url, { agent, signature })).toEqual(['invalid_signature', 1008]);
  });

  it('may not use a small-order key or a signature of another challenge', async () => {
    const { url } = await relayForTest();
    const identityPoint = Buffer.concat([Buffer.from([1]), Buffer.alloc(31)]);
    const forged = Buffer.concat([identityPoint, Buffer.alloc(32)]);
    expect(await refused(url, { agent: { ed25519: identityPoint }, signature: forged })).toEqual([
      'invalid_signature',
      1008,
    ]);
    const old = someone.sign(challengeText(randomBytes(32)));
    expect((await refused(url, { agent: { ed25519: someone.ed25519 }, signature: old }))[0]).toBe(
      'invalid_signature',
    );
  });

  it('may not add the group order to S', async () => {
    const { url } = await relayForTest();
    const wire = await Wire.open(url);
    const honest = someone.sign(challengeText(await wire.challenge()));
    const order = 2n ** 252n + 27742317777372353535851937790883648493n;
    let s = BigInt(`0x${Buffer.from(honest.subarray(32)).reverse().toString('hex')}`) + order;
    const raised = Buffer.alloc(32);
    for (let i = 0; i < 32; i++, s >>= 8n) raised[i] = Number(s & 255n);
    wire.send('auth', {
      agent: { ed25519: someone.ed25519 },
      signature: Buffer.concat([honest.subarray(0, 32), raised]),
    });
    expect((await wire.take('auth_error')).code).toBe('invalid_signature');
  });

  it('needs the invite to register, and afterwards not', async () => {
    const { url, invite } = await relayForTest({ registration: 'invite' });
    const agent = { ed25519: someone.ed25519 };
    expect(await refused(url, { agent })).toEqual(['unauthorized', 1008]);
    expect(await refused(url, { agent, invite: 'wrong wrong wrong' })).toEqual(['unauthorized', 1008]);
    expect((await refused(url, { agent, signature, invite }))[0]).toBe('invalid_signature');
    const seed = randomBytes(32);
    await new IndependentAgent(url, 'ours', seed).login({ invite });
    await new IndependentAgent(url, 'ours', seed).login();
  });

  it('is told the capabilities in force only if it asked for some', async () => {
    const { url } = await relayForTest();
    const ours = new IndependentAgent(url);
    await ours.login({ capabilities: ['window', 'levitation'] });
    expect(ours.authOk.capabilities).toEqual(['window']);
    expect(ours.authOk.namespaceId).toEqual(ours.namespaceId);
    const original = new IndependentAgent(url, 'original');
    await original.login();
    expect(Object.keys(original.authOk)).toEqual(['namespaceId']);
  });

  it('gets auth_ok, then who paired, then its queue, then the others learn of it', async () => {
    const { url } = await relayForTest();
    const { agent, device } = await pairedPeers(url);
    const window = await agent.openWindow();
    await agent.wire.close();
    await device.login();
    device.hello();
    await device.wire.settled();
    const late = new IndependentDevice(agent.invitation(window));
    expect(await late.pair()).toEqual({ name: 'auth_ok', closed: 1000 });
    await agent.login();
    await agent.wire.settled();
    expect(agent.wire.waiting().slice(0, 2)).toEqual(['client_paired', 'message']);
    await device.wire.until(
      () => device.wire.history.find(({ frame }) => frame.is.status === 1),
      'the agent to be online',
    );
  });
});

describe('a client', () => {
  it('is checked in the order of the table', async () => {
    const { url } = await relayForTest();
    const { agent, device } = await pairedPeers(url);
    const who = device.identity;
    const client = { namespaceId: agent.namespaceId, ed25519: who.ed25519, platform: 1 };
    const code = async (change: Members, more: Members = {}) =>
      (await refused(url, { client: { ...client, ...change }, ...more }, who))[0];
    expect(await code({ ed25519: bad }, { signature })).toBe('bad_request');
    expect(await code({}, { signature: bad })).toBe('bad_request');
    expect(await code({ namespaceId: bad, platform: 9 }, { signature })).toBe('invalid_signature');
    expect(await code({ namespaceId: bad })).toBe('bad_request');
    expect(await code({ namespaceId: randomBytes(32), platform: 0 })).toBe('bad_request');
    expect(await code({ namespaceId: randomBytes(32), platform: 4 })).toBe('bad_request');
    expect(await code({ namespaceId: randomBytes(32) })).toBe('not_found');
    const stranger = { client: { ...client, ed25519: someone.ed25519 } };
    expect(await refused(url, stranger)).toEqual(['unauthorized', 1008]);
    for (const platform of [1, 2, 3]) expect(await device.tryLogin({ platform })).toBeUndefined();
  });

  it('gets auth_ok, its queue oldest first, and only then do the others learn of it', async () => {
    const { url } = await relayForTest();
    const { agent, device } = await pairedPeers(url);
    for (const body of ['one', 'two', 'three']) agent.notify(device.identity.ed25519, { title: 'a', body });
    await agent.wire.settled();
    expect(agent.wire.waiting()).toEqual([]);
    await device.login();
    const bodies = [];
    for (let i = 0; i < 3; i++) bodies.push((await device.receive('notification')).body);
    expect(bodies).toEqual(['one', 'two', 'three']);
    expect(await agent.wire.take('presence_event')).toEqual({ pubkey: device.identity.ed25519, status: 1 });
    expect(device.wire.waiting()).toEqual([]);
  });

  it('without capabilities sees none in auth_ok', async () => {
    const { url } = await relayForTest();
    const { device } = await pairedPeers(url, { device: 'original' });
    await device.login();
    expect(Object.keys(device.authOk)).toEqual(['namespaceId']);
  });
});

describe('a pairing', () => {
  it('is checked in the order of the table', async () => {
    const { url } = await relayForTest();
    const agent = new IndependentAgent(url);
    await agent.login();
    const window = await agent.openWindow();
    const good = {
      namespaceId: agent.namespaceId,
      ed25519: someone.ed25519,
      x25519: someone.x25519,
      token: window.token,
      platform: 1,
    };
    const code = async (change: Members, more: Members = {}) =>
      (await refused(url, { pairing: { ...good, ...change }, ...more }))[0];
    expect(await code({ ed25519: bad }, { signature })).toBe('bad_request');
    expect(await code({}, { signature: bad })).toBe('bad_request');
    expect(await code({ namespaceId: bad }, { signature })).toBe('invalid_signature');
    for (const change of [
      { namespaceId: bad },
      { x25519: bad },
      { token: bad },
      { platform: 0 },
      { platform: 4 },
    ])
      expect(await code({ ...change })).toBe('bad_request');
    expect(await code({ namespaceId: namespaceOf(someone.ed25519), token: bad })).toBe('bad_request');
    expect(await code({ namespaceId: namespaceOf(someone.ed25519) })).toBe('not_found');
    expect(await code({ token: randomBytes(32) })).toBe('pairing_closed');
    const device = new IndependentDevice(agent.invitation(window));
    expect(await device.pair()).toEqual({ name: 'auth_ok', closed: 1000 });
  });

  it('reaches the agent with the window it came through, an original one without', async () => {
    const { url } = await relayForTest();
    for (const style of ['ours', 'original'] as const) {
      const agent = new IndependentAgent(url, style);
      await agent.login();
      const window = await agent.openWindow();
      const device = new IndependentDevice(agent.invitation(window));
      await device.pair();
      const { ed25519, x25519 } = device.identity;
      const base = { ed25519, x25519, platform: 1 };
      const expected = style === 'ours' ? { ...base, window: sha256(window.token).subarray(0, 16) } : base;
      expect(await agent.wire.take('client_paired')).toEqual(expected);
    }
  });

  it('may be repeated by the same two keys, and by no others', async () => {
    const { url } = await relayForTest();
    const agent = new IndependentAgent(url);
    await agent.login();
    const window = await agent.openWindow();
    const device = new IndependentDevice(agent.invitation(window));
    expect((await device.pair()).name).toBe('auth_ok');
    expect((await device.pair()).name).toBe('auth_ok');
    expect(await device.pair({ x25519: someone.x25519 })).toMatchObject({
      code: 'pairing_closed',
      closed: 1008,
    });
    const another = new IndependentDevice(agent.invitation(window));
    expect((await another.pair()).code).toBe('pairing_closed');
  });

  it('is charged for wrong tokens, which never close the window', async () => {
    const { url } = await relayForTest({ wrongTokensPerAddressPerMinute: 3 });
    const agent = new IndependentAgent(url);
    await agent.login();
    const window = await agent.openWindow();
    const guess = () => new IndependentDevice({ ...agent.invitation(window), token: randomBytes(32) }).pair();
    const codes = [];
    for (let i = 0; i < 4; i++) codes.push((await guess()).code);
    expect(codes).toEqual(['pairing_closed', 'pairing_closed', 'pairing_closed', 'rate_limited']);
  });

  it('ends with its window: replaced, stopped or over', async () => {
    const { url } = await relayForTest();
    const agent = new IndependentAgent(url);
    await agent.login();
    const first = await agent.openWindow();
    const second = await agent.openWindow();
    expect((await new IndependentDevice(agent.invitation(first)).pair()).code).toBe('pairing_closed');
    agent.wire.send('pairing_stop');
    await agent.wire.take('pairing_stop_ok');
    expect((await new IndependentDevice(agent.invitation(second)).pair()).code).toBe('pairing_closed');
  });

  it('of an authorized key changes nothing about it', async () => {
    const { url } = await relayForTest();
    const { agent, device } = await pairedPeers(url);
    const window = await agent.openWindow();
    const again = new IndependentDevice(agent.invitation(window), 'ours');
    const wire = await Wire.open(url);
    await wire.authenticate(device.identity, {
      pairing: {
        namespaceId: agent.namespaceId,
        ed25519: device.identity.ed25519,
        x25519: again.identity.x25519,
        token: window.token,
        platform: 1,
      },
    });
    await wire.take('auth_ok');
    expect(await device.tryLogin()).toBeUndefined();
  });

  it('waits for the agent, and a device is not in before it is authorized', async () => {
    const { url } = await relayForTest();
    const agent = new IndependentAgent(url);
    await agent.login();
    const device = await pairAnother(agent);
    expect(await device.tryLogin()).toBe('unauthorized');
    expect(await agent.authorize(device.identity.ed25519)).toBe(1);
    expect(await device.tryLogin()).toBeUndefined();
  });
});

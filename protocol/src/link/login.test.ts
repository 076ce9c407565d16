import { afterEach, describe, expect, it } from 'vitest';
import { FakeRelay } from '../../../test/support/link/fake-relay.js';
import { makePeers } from '../../../test/support/link/peers.js';
import { type TestLink, type TestLinkOptions, testLink } from '../../../test/support/link/test-link.js';
import { challengeText, verifyEd25519 } from '../auth/index.js';
import { openLink } from './link.js';
import { pairAtRelay } from './pairing-login.js';

const open: TestLink[] = [];

async function started(options: TestLinkOptions = {}): Promise<TestLink> {
  const test = await testLink(options);
  open.push(test);
  test.link.start();
  return test;
}

afterEach(async () => {
  await Promise.all(open.splice(0).map((test) => test.stop()));
});

describe('what a peer says when it logs in', () => {
  it('an agent signs the challenge, announces what it understands and hands in its invite', async () => {
    const { relay, peers } = await started({ invite: 'code-1' });
    const side = await relay.connection();
    const nonce = await relay.nonce();
    side.send({ type: 'challenge', nonce });
    const auth = await side.take('auth');
    expect(auth.role).toEqual({ kind: 'agent', agentEd25519Pub: peers.agent.keys.ed25519Public });
    expect(verifyEd25519(auth.signature, challengeText(nonce), peers.agent.keys.ed25519Public)).toBe(true);
    expect(auth.capabilities).toEqual(['ref', 'received', 'window', 'push-hints', 'push-report']);
    expect(auth.invite).toBe('code-1');
  });

  it('a device names its namespace, platform, app and push token, and no invite', async () => {
    const { relay, peers } = await started({
      role: 'client',
      pushTarget: () => ({ deviceToken: 'token', app: 'com.example' }),
      platform: 1,
      invite: 'code-1',
    });
    const auth = await (await relay.challenged()).take('auth');
    expect(auth.role).toEqual({
      kind: 'client',
      namespaceId: peers.namespaceId,
      clientEd25519Pub: peers.device.keys.ed25519Public,
      deviceToken: 'token',
      platform: 1,
      app: 'com.example',
    });
    expect(auth.invite).toBeUndefined();
  });

  it('is online with the capabilities both know, and with no others', async () => {
    const { relay, link, phase } = await started();
    await relay.loggedIn(['window', 'push-handle', '__proto__']);
    await phase('online');
    expect([...link.capabilities]).toEqual(['window']);
  });

  it('has no capabilities at an original relay, nor while offline', async () => {
    const { relay, link, phase } = await started();
    expect(link.capabilities.size).toBe(0);
    await relay.loggedIn([]);
    await phase('online');
    expect(link.capabilities.size).toBe(0);
  });

  it('refuses an address that is no ws URL before anything is dialled', async () => {
    await expect(testLink({ relayUrl: 'https://relay.example' })).rejects.toMatchObject({
      code: 'invalid_request',
    });
    expect(() => openLink({ relayUrl: 'nonsense' } as never)).toThrow(/ws:\/\//);
  });
});

describe('whom a peer signs for', () => {
  it('nothing is signed for a challenge bound to another relay, and the error names both', async () => {
    const { relay, phase } = await started();
    relay.boundTo = `localhost:${relay.authority.split(':')[1]}`;
    const side = await relay.challenged();
    const { problem } = await phase('waiting');
    expect(problem.code).toBe('relay_binding');
    expect(problem.message).toContain(relay.authority);
    expect(problem.message).toContain(relay.boundTo);
    await side.closed;
    expect(side.untaken).toEqual([]);
  });

  it('a name nobody could guess is said to be another one', async () => {
    const { relay, phase } = await started();
    relay.boundTo = 'elsewhere.example';
    await relay.challenged();
    expect((await phase('waiting')).problem.message).toContain(relay.authority);
  });

  it('an unbound challenge is signed only where an original relay is expected', async () => {
    const strict = await started();
    strict.relay.boundTo = undefined;
    await strict.relay.challenged();
    expect((await strict.phase('waiting')).problem.code).toBe('relay_binding');

    const lenient = await started({ binding: 'unless_original' });
    lenient.relay.boundTo = undefined;
    await lenient.relay.loggedIn();
    await lenient.phase('online');
  });

  it('once a challenge was bound, an unbound one is refused', async () => {
    const seen: string[] = [];
    const { relay, phase, link } = await started({
      binding: 'unless_original',
      handler: { onRelayBindingSeen: () => void seen.push('bound') },
    });
    const side = await relay.loggedIn();
    await phase('online');
    expect(seen).toEqual(['bound']);
    side.close();
    await phase('waiting');
    relay.boundTo = undefined;
    link.retryNow();
    await relay.challenged();
    expect((await phase('waiting')).problem.code).toBe('relay_binding');
    expect(seen).toEqual(['bound']);
  });

  it('signs nothing before it is durable that the challenge was bound', async () => {
    const { relay, phase } = await started({
      binding: 'unless_original',
      handler: { onRelayBindingSeen: () => Promise.reject(new Error('disk')) },
    });
    const side = await relay.challenged();
    expect((await phase('waiting')).problem.code).toBe('local_failure');
    await side.closed;
    expect(side.untaken).toEqual([]);
  });

  it('an original relay is never asked for a binding', async () => {
    const { relay, phase } = await started({ binding: 'original' });
    relay.boundTo = 'elsewhere.example';
    await relay.loggedIn();
    await phase('online');
  });
});

describe('logins that fail', () => {
  it.each([
    ['agent', 'unauthorized', /invite/],
    ['client', 'unauthorized', /confirm it at the agent/],
    ['client', 'not_found', /pair this device again/],
    ['agent', 'invalid_signature', /keys/],
    ['client', 'bad_request', /too old for web devices/],
    ['agent', 'rate_limited', /wait/],
    ['agent', 'unavailable', /tried again/],
    ['agent', 'challenge_timeout', /network/],
  ] as const)('%s: %s says what to do', async (role, code, advice) => {
    const { relay, phase } = await started({ role });
    const side = await relay.challenged();
    await side.take('auth');
    side.send({ type: 'auth_error', code, message: 'text of the relay' });
    const { problem } = await phase('waiting');
    expect(problem.code).toBe(code);
    expect(problem.message).toMatch(advice);
    expect(problem.message).not.toContain('text of the relay');
  });

  it('an error nobody knows is a relay that is none', async () => {
    const { relay, phase } = await started();
    const side = await relay.challenged();
    side.send({ type: 'auth_error', code: 'constructor', message: '' });
    expect((await phase('waiting')).problem.code).toBe('protocol');
  });

  it.each([
    ['a text', 'hello'],
    ['garbage', Uint8Array.of(0xff, 0xff, 0xff)],
    ['an empty frame', new Uint8Array()],
  ])('%s before the login ends it', async (_, bytes) => {
    const { relay, phase } = await started();
    (await relay.connection()).sendBytes(bytes);
    expect((await phase('waiting')).problem.code).toBe('protocol');
  });

  it.each([0, 31, 33])('a challenge of %i bytes ends it unsigned', async (length) => {
    const { relay, phase } = await started({ binding: 'original' });
    const side = await relay.connection();
    side.send({ type: 'challenge', nonce: new Uint8Array(length) });
    expect((await phase('waiting')).problem.code).toBe('protocol');
    await side.closed;
    expect(side.untaken).toEqual([]);
  });

  it('a second challenge, a login without one and one for another namespace end it', async () => {
    const twice = await started();
    const side = await twice.relay.challenged();
    side.send({ type: 'challenge', nonce: await twice.relay.nonce() });
    expect((await twice.phase('waiting')).problem.code).toBe('protocol');

    const early = await started();
    (await early.relay.connection()).send({
      type: 'auth_ok',
      namespaceId: early.peers.namespaceId,
      capabilities: [],
    });
    expect((await early.phase('waiting')).problem.code).toBe('protocol');

    const foreign = await started();
    const other = await foreign.relay.challenged();
    await other.take('auth');
    other.send({ type: 'auth_ok', namespaceId: new Uint8Array(32), capabilities: [] });
    expect((await foreign.phase('waiting')).problem.code).toBe('protocol');
  });

  it('a login that is not done in 30 s is given up', async () => {
    const { relay, link, phase, time } = await started();
    await (await relay.challenged()).take('auth');
    time.advance(29_999);
    expect(link.state.phase).toBe('connecting');
    time.advance(1);
    expect((await phase('waiting')).problem.code).toBe('challenge_timeout');
  });

  it('a relay that is not there is unreachable', async () => {
    const gone = await FakeRelay.start();
    const { url } = gone;
    await gone.close();
    const { phase } = await started({ relayUrl: url });
    expect((await phase('waiting')).problem.code).toBe('unreachable');
  });
});

describe('pairing at a relay', () => {
  async function loginOf(relay: FakeRelay) {
    const { device, namespaceId } = await makePeers();
    return {
      relayUrl: relay.url,
      binding: 'required' as const,
      namespaceId,
      deviceEd25519: device.keys.ed25519Public,
      deviceX25519: device.keys.x25519Public,
      pairingToken: new Uint8Array(32).fill(9),
      platform: 3,
      sign: device.identity.sign,
    };
  }

  it('hands in keys and token, resolves on auth_ok and closes', async () => {
    const relay = await FakeRelay.start();
    const login = await loginOf(relay);
    const pairing = pairAtRelay(login);
    const side = await relay.challenged();
    const auth = await side.take('auth');
    expect(auth.role).toEqual({
      kind: 'pairing',
      namespaceId: login.namespaceId,
      clientEd25519Pub: login.deviceEd25519,
      clientX25519Pub: login.deviceX25519,
      pairingToken: login.pairingToken,
      deviceToken: '',
      platform: 3,
    });
    await side.acceptLogin(auth, []);
    expect(await pairing).toEqual({ relayBound: true });
    expect((await side.closed).code).toBe(1000);
    await relay.close();
  });

  it.each(['pairing_closed', 'not_found', 'bad_request', 'unauthorized'])('rejects with %s', async (code) => {
    const relay = await FakeRelay.start();
    const pairing = pairAtRelay(await loginOf(relay));
    const side = await relay.challenged();
    await side.take('auth');
    side.send({ type: 'auth_error', code, message: '' });
    await expect(pairing).rejects.toMatchObject({ name: 'CountersignError', code });
    await relay.close();
  });

  it('signs for no other relay, and says of an original one that it was not bound', async () => {
    const relay = await FakeRelay.start();
    relay.boundTo = undefined;
    const login = await loginOf(relay);
    const strict = pairAtRelay(login);
    const [refused] = await Promise.allSettled([strict, relay.challenged()]);
    expect(refused).toMatchObject({ reason: { code: 'relay_binding' } });

    const lenient = pairAtRelay({ ...login, binding: 'unless_original' });
    await relay.loggedIn([]);
    expect(await lenient).toEqual({ relayBound: false });
    await relay.close();
  });

  it('is unavailable without a relay, and stops when told to', async () => {
    const relay = await FakeRelay.start();
    const login = await loginOf(relay);
    const abort = new AbortController();
    const pairing = pairAtRelay({ ...login, signal: abort.signal });
    const side = await relay.connection();
    abort.abort(new Error('no longer wanted'));
    await expect(pairing).rejects.toThrow('no longer wanted');
    await side.closed;
    await relay.close();
    await expect(pairAtRelay(login)).rejects.toMatchObject({ code: 'unavailable' });
  });
});

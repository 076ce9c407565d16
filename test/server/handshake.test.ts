/** 01 §3, row by row. */
import { bytesEqual, encodeFrame, type RelayFrame } from '@countersign/protocol';
import { challengeText, isBoundTo, namespaceIdOf, signEd25519 } from '@countersign/protocol/auth';
import { afterEach, describe, expect, it } from 'vitest';
import {
  agentRole,
  authFrame,
  clientRole,
  newKeys,
  pairingRole,
  type RawPeer,
  refusal,
} from '../support/relay/raw-peer.js';
import { RelayClock } from '../support/relay/relay-clock.js';
import { RelayScene } from '../support/relay/relay-scene.js';

let scene: RelayScene;
afterEach(() => scene.close());

const short = new Uint8Array(31);
const BAD_REQUEST = { error: 'bad_request', close: 1008 };

/** Sends `auth` changed by `change` and returns how it was refused. */
async function refusedAfter(
  role: 'agent' | 'client' | 'pairing',
  change: (auth: Extract<RelayFrame, { type: 'auth' }>) => void,
) {
  scene = await RelayScene.open();
  const keys = newKeys();
  const fields = { namespaceId: await namespaceIdOf(newKeys().publicKey), token: new Uint8Array(32) };
  const roles = {
    agent: agentRole(keys),
    client: clientRole(keys, fields),
    pairing: pairingRole(keys, fields),
  };
  const peer = scene.connect();
  const auth = await authFrame(peer, keys, roles[role]);
  change(auth);
  peer.send(auth);
  return refusal(peer);
}

describe('the challenge', () => {
  it('is bound to the name the peer dialled', async () => {
    scene = await RelayScene.open();
    const { nonce } = await scene.connect().next('challenge');
    expect(nonce.length).toBe(32);
    expect(await isBoundTo(nonce, `127.0.0.1:${scene.relay.port}`)).toBe(true);
  });

  it('is bound to the public host that the Host header names', async () => {
    scene = await RelayScene.open({ publicHosts: ['relay.example', 'other.example:8443'] });
    const named = async (host: string) =>
      (await scene.connect({ headers: { host } }).next('challenge')).nonce;
    expect(await isBoundTo(await named('relay.example'), 'relay.example')).toBe(true);
    expect(await isBoundTo(await named('OTHER.example:8443'), 'other.example:8443')).toBe(true);
    expect(await isBoundTo(await named('relay.example:443'), 'relay.example')).toBe(true);
    expect(await isBoundTo(await named('evil.example'), 'evil.example')).toBe(false);
    expect(await isBoundTo(await named('evil.example'), 'relay.example')).toBe(true);
  });

  it('allows a loopback name only with the port it listens on', async () => {
    scene = await RelayScene.open();
    const { port } = scene.relay;
    const named = async (host: string) =>
      (await scene.connect({ headers: { host } }).next('challenge')).nonce;
    expect(await isBoundTo(await named(`localhost:${port}`), `localhost:${port}`)).toBe(true);
    expect(await isBoundTo(await named('localhost:1'), 'localhost:1')).toBe(false);
  });

  it('differs each time', async () => {
    scene = await RelayScene.open();
    const [one, two] = await Promise.all([
      scene.connect().next('challenge'),
      scene.connect().next('challenge'),
    ]);
    expect(bytesEqual(one.nonce, two.nonce)).toBe(false);
  });
});

describe('the first frame', () => {
  const firstFrame = async (send: (peer: RawPeer) => void) => {
    scene = await RelayScene.open();
    const peer = scene.connect();
    await peer.next('challenge');
    send(peer);
    return refusal(peer);
  };

  it('must not be garbage', async () => {
    expect(await firstFrame((peer) => peer.sendBytes(new Uint8Array(40).fill(0xff)))).toEqual(BAD_REQUEST);
  });

  it('must not be truncated', async () => {
    const auth: RelayFrame = {
      type: 'auth',
      role: agentRole(newKeys()),
      signature: new Uint8Array(64),
      capabilities: [],
    };
    expect(await firstFrame((peer) => peer.sendBytes(encodeFrame(auth).subarray(0, 50)))).toEqual(
      BAD_REQUEST,
    );
  });

  it('must not be text', async () => {
    expect(await firstFrame((peer) => peer.sendBytes('hello'))).toEqual(BAD_REQUEST);
  });

  it('must not be empty', async () => {
    expect(await firstFrame((peer) => peer.sendBytes(new Uint8Array(0)))).toEqual(BAD_REQUEST);
  });

  it('must be auth', async () => {
    expect(await firstFrame((peer) => peer.send({ type: 'presence_request' }))).toEqual(BAD_REQUEST);
  });

  it('must name a role', async () => {
    const signature = new Uint8Array(64);
    expect(
      await firstFrame((peer) =>
        peer.send({ type: 'auth', role: { kind: 'none' }, signature, capabilities: [] }),
      ),
    ).toEqual(BAD_REQUEST);
  });

  it('must not be over 64 KiB', async () => {
    expect(await firstFrame((peer) => peer.sendBytes(new Uint8Array(64 * 1024 + 1)))).toEqual(BAD_REQUEST);
  });

  it('is refused before a large one is there whole', async () => {
    expect(await firstFrame((peer) => peer.sendBytes(new Uint8Array(500 * 1024)))).toEqual(BAD_REQUEST);
  });

  it('of more than 512 KiB is closed by the library', async () => {
    scene = await RelayScene.open();
    const peer = scene.connect();
    await peer.next('challenge');
    peer.sendBytes(new Uint8Array(512 * 1024 + 1));
    expect((await peer.whenClosed()).code).toBe(1009);
  });

  it('must come within 30 s', async () => {
    const clock = new RelayClock();
    scene = await RelayScene.open({}, { clock });
    const peer = scene.connect();
    await peer.next('challenge');
    clock.advance(29_999);
    expect(peer.closed).toBeUndefined();
    clock.advance(1);
    expect(await refusal(peer)).toEqual({ error: 'challenge_timeout', close: 1008 });
  });
});

describe.each(['agent', 'client', 'pairing'] as const)('a login as %s', (kind) => {
  it('needs a key of 32 bytes', async () => {
    expect(
      await refusedAfter(kind, ({ role }) => {
        Object.assign(role, kind === 'agent' ? { agentEd25519Pub: short } : { clientEd25519Pub: short });
      }),
    ).toEqual(BAD_REQUEST);
  });

  it('needs a signature of 64 bytes', async () => {
    expect(
      await refusedAfter(kind, (auth) => {
        auth.signature = auth.signature.slice(0, 63);
      }),
    ).toEqual(BAD_REQUEST);
  });

  it('needs a valid signature', async () => {
    expect(
      await refusedAfter(kind, (auth) => {
        auth.signature = auth.signature.slice();
        auth.signature[0] = (auth.signature[0] ?? 0) ^ 1;
      }),
    ).toEqual({ error: 'invalid_signature', close: 1008 });
  });

  it('is refused with a small-order key', async () => {
    const identity = new Uint8Array(32);
    identity[0] = 1;
    const signature = new Uint8Array(64);
    signature[0] = 1;
    expect(
      await refusedAfter(kind, (auth) => {
        auth.signature = signature;
        Object.assign(
          auth.role,
          kind === 'agent' ? { agentEd25519Pub: identity } : { clientEd25519Pub: identity },
        );
      }),
    ).toEqual({ error: 'invalid_signature', close: 1008 });
  });

  it('is refused with a signature over another challenge', async () => {
    expect(
      await refusedAfter(kind, (auth) => {
        auth.signature = signEd25519(challengeText(new Uint8Array(32)), newKeys().secretKey);
      }),
    ).toEqual({ error: 'invalid_signature', close: 1008 });
  });

  it('is refused with too many or too long capabilities', async () => {
    expect(
      await refusedAfter(kind, (auth) => {
        auth.capabilities = Array.from({ length: 17 }, (_, i) => `c${i}`);
      }),
    ).toEqual(BAD_REQUEST);
    await scene.close();
    expect(
      await refusedAfter(kind, (auth) => {
        auth.capabilities = ['x'.repeat(33)];
      }),
    ).toEqual(BAD_REQUEST);
  });
});

describe('a replayed login', () => {
  it('is refused on another connection', async () => {
    scene = await RelayScene.open();
    const keys = newKeys();
    const first = scene.connect();
    const auth = await authFrame(first, keys, agentRole(keys));
    first.send(auth);
    await first.next('auth_ok');
    const second = scene.connect();
    await second.next('challenge');
    second.send(auth);
    expect(await refusal(second)).toEqual({ error: 'invalid_signature', close: 1008 });
  });
});

describe('a login as client', () => {
  it.each([
    ['namespace_id', { namespaceId: short }],
    ['platform 0', { platform: 0 }],
    ['platform 4', { platform: 4 }],
  ])('is a bad request with a wrong %s', async (_, change) => {
    expect(await refusedAfter('client', ({ role }) => void Object.assign(role, change))).toEqual(BAD_REQUEST);
  });

  it('judges the platform before the namespace', async () => {
    expect(await refusedAfter('client', ({ role }) => void Object.assign(role, { platform: 9 }))).toEqual(
      BAD_REQUEST,
    );
  });

  it('is not_found in a namespace nobody knows', async () => {
    expect(await refusedAfter('client', () => undefined)).toEqual({ error: 'not_found', close: 1008 });
  });

  it('is unauthorized while the device is unknown, pending or revoked', async () => {
    scene = await RelayScene.open();
    const agent = await scene.agent();
    const attempt = async (keys = newKeys()) => {
      const peer = scene.connect();
      peer.send(await authFrame(peer, keys, clientRole(keys, agent)));
      return refusal(peer);
    };
    expect(await attempt()).toEqual({ error: 'unauthorized', close: 1008 });
    const [device] = await scene.pair(agent);
    await scene.authorize(agent, []);
    expect(await attempt(device)).toEqual({ error: 'unauthorized', close: 1008 });
  });

  it.each([1, 2, 3])('succeeds from platform %d', async (platform) => {
    scene = await RelayScene.open();
    const agent = await scene.agent();
    const [keys] = await scene.pair(agent);
    const peer = scene.connect();
    if (!keys) throw new Error('no device');
    peer.send(await authFrame(peer, keys, clientRole(keys, { ...agent, platform })));
    expect((await peer.next('auth_ok')).namespaceId).toEqual(agent.namespaceId);
  });
});

describe('auth_ok', () => {
  it('names the namespace computed from the agent key', async () => {
    scene = await RelayScene.open();
    const keys = newKeys();
    const peer = scene.connect();
    peer.send(await authFrame(peer, keys, agentRole(keys)));
    expect((await peer.next('auth_ok')).namespaceId).toEqual(await namespaceIdOf(keys.publicKey));
  });

  it('is the first thing after auth, then comes a ping', async () => {
    scene = await RelayScene.open();
    const { peer } = await scene.agent();
    await peer.until(() => peer.pings[0]);
    expect(peer.heard).toEqual(['challenge', 'auth_ok', 'ping']);
    expect(peer.pings[0]?.length).toBe(8);
  });

  it('holds the capabilities both sides know', async () => {
    scene = await RelayScene.open();
    const keys = newKeys();
    const peer = scene.connect();
    const capabilities = ['received', 'window', 'flying', 'push-hints', 'ref', 'window'];
    peer.send(await authFrame(peer, keys, agentRole(keys), { capabilities }));
    expect((await peer.next('auth_ok')).capabilities).toEqual(['received', 'window', 'push-hints', 'ref']);
  });

  it('holds none for a peer that announced none', async () => {
    scene = await RelayScene.open();
    const keys = newKeys();
    const peer = scene.connect();
    peer.send(await authFrame(peer, keys, agentRole(keys), { capabilities: [] }));
    expect((await peer.next('auth_ok')).capabilities).toEqual([]);
  });
});

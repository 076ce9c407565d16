import { afterEach, describe, expect, it } from 'vitest';
import type { RelaySide } from '../../../test/support/link/fake-relay.js';
import { sealedBy, type TestPeers } from '../../../test/support/link/peers.js';
import { type TestLink, type TestLinkOptions, testLink } from '../../../test/support/link/test-link.js';
import { counterFloor, frameBody } from '../e2e/index.js';
import { CountersignError, utf8 } from '../frames/index.js';
import { deferred } from './async-tools.js';
import { LINK } from './link-limits.js';

const open: TestLink[] = [];

async function online(options: TestLinkOptions = {}): Promise<TestLink & { side: RelaySide }> {
  const test = await testLink(options);
  open.push(test);
  test.link.start();
  const side = await test.relay.loggedIn();
  await test.phase('online');
  return { ...test, side };
}

/** The same link at its next connection. */
async function again({ relay, link, phase }: TestLink): Promise<RelaySide> {
  await phase('waiting');
  link.retryNow();
  const side = await relay.loggedIn();
  await phase('online');
  return side;
}

afterEach(async () => {
  await Promise.all(open.splice(0).map((test) => test.stop()));
});

const fromDevice = ({ atDevice, device }: TestPeers, counter: number, payload: unknown, live = false) =>
  sealedBy(atDevice, device, counter, payload, live);

/** A message whose framed plaintext is exactly this. */
async function sealedRaw({ atDevice, device }: TestPeers, counter: number, framed: Uint8Array) {
  const { nonce, ciphertext } = await atDevice.sealed.seal(counter, framed);
  return { type: 'message', nonce, ciphertext, peer: device.keys.ed25519Public, live: false } as const;
}

describe('what arrives', () => {
  it('is opened, parsed and applied in order, with where it came from', async () => {
    const { side, peers, received, store } = await online();
    side.send(await fromDevice(peers, 7, { n: 1 }));
    side.send(await fromDevice(peers, 8, { n: 2 }, true));
    await side.proof();
    expect(store.applied).toEqual([{ n: 1 }, { n: 2 }]);
    expect(received.map(({ counter, live, channel }) => [counter, live, channel.id])).toEqual([
      [7, false, peers.atAgent.id],
      [8, true, peers.atAgent.id],
    ]);
  });

  it('goes to the first channel that opens it', async () => {
    const other = await import('../../../test/support/link/peers.js').then(({ makePeers }) => makePeers(3));
    const { side, peers, received } = await online({
      handler: { channelsOf: (): TestPeers['atAgent'][] => [other.atAgent, channels.right] },
    });
    const channels = { right: peers.atAgent };
    side.send(await fromDevice(peers, 1, { n: 1 }));
    await side.proof();
    expect(received[0]?.channel).toBe(peers.atAgent);
  });

  it('is confirmed only when durable: the pong waits behind the transaction and what follows it', async () => {
    const steps: string[] = [];
    const durable = deferred();
    const shown = deferred();
    const test = await online({
      handler: {
        onPayload: () => ({
          apply: () => void steps.push('applied'),
          after: async (verdict) => {
            steps.push(`after ${verdict}`);
            await shown.promise;
          },
        }),
      },
    });
    test.store.before = (operation) => (operation === 'receive' ? durable.promise : undefined);
    test.side.send(await fromDevice(test.peers, 1, {}));
    const proof = test.side.proof().then(() => steps.push('pong'));
    test.side.send({ type: 'presence_list', online: [] });
    await test.side.pings.take();
    expect(steps).toEqual([]);
    durable.resolve();
    await new Promise<void>((resolve) => setImmediate(resolve));
    shown.resolve();
    await proof;
    expect(steps).toEqual(['applied', 'after new', 'pong']);
  });

  it('twice applies once, and tells the effect so', async () => {
    const verdicts: string[] = [];
    const { side, peers, link } = await online({
      handler: {
        onPayload: () => ({ apply: (_, v) => void verdicts.push(v), after: (v) => void verdicts.push(v) }),
      },
    });
    const message = await fromDevice(peers, 5, {});
    side.send(message);
    side.send(message);
    await side.proof();
    expect(verdicts).toEqual(['new', 'new', 'duplicate', 'duplicate']);
    expect(link.dropped).toEqual({ duplicate: 1 });
  });

  it('is marked as seen even when the handler wants nothing of it', async () => {
    const { side, peers, link } = await online({ handler: { onPayload: () => undefined } });
    const message = await fromDevice(peers, 5, {});
    side.send(message);
    side.send(message);
    await side.proof();
    expect(link.dropped).toEqual({ duplicate: 1 });
  });
});

describe('what has no effect is counted and confirmed', () => {
  it.each([
    ['no JSON', utf8('\u0001\u0000{nonsense'), 'malformed'],
    ['JSON that is no object', frameBody('[1]', 'none'), 'malformed'],
    ['a duplicate key', frameBody('{"a":1,"a":2}', 'none'), 'malformed'],
    ['a __proto__ key', frameBody('{"__proto__":{}}', 'none'), 'malformed'],
    ['nothing at all', new Uint8Array(), 'malformed'],
    ['another version', Uint8Array.of(2, 0, 123, 125), 'version'],
    ['another compression', Uint8Array.of(1, 9, 123, 125), 'compression'],
    ['a broken stream', Uint8Array.of(1, 1, 0xff, 0xff), 'malformed'],
  ])('%s', async (_, framed, reason) => {
    const { side, peers, link, received } = await online();
    side.send(await sealedRaw(peers, 1, framed));
    await side.proof();
    expect(link.dropped).toEqual({ [reason]: 1 });
    expect(received).toEqual([]);
  });

  it('a changed byte, a nonce of the wrong direction, a stranger, wrong lengths', async () => {
    const { side, peers, link, received } = await online();
    const message = await fromDevice(peers, 1, {});
    const changed = message.ciphertext.slice();
    changed[0] = (changed[0] ?? 0) ^ 1;
    side.send({ ...message, ciphertext: changed });
    const own = await peers.atAgent.sealed.seal(1, frameBody('{}', 'none'));
    side.send({ ...message, ...own });
    side.send({ ...message, peer: new Uint8Array(32).fill(7) });
    side.send({ ...message, peer: new Uint8Array(31) });
    side.send({ ...message, nonce: new Uint8Array(11) });
    side.send({ ...message, ciphertext: new Uint8Array(15) });
    await side.proof();
    expect(link.dropped).toEqual({ undecryptable: 2, unknown_peer: 1, malformed: 3 });
    expect(received).toEqual([]);
  });

  it('a counter that fell out of the window, and its effect does not run', async () => {
    const { side, peers, link, received } = await online();
    const epoch = counterFloor(1_800_000_000_000);
    side.send(await fromDevice(peers, epoch + 5000, {}));
    side.send(await fromDevice(peers, epoch + 1, {}));
    await side.proof();
    expect(received.map(({ counter }) => counter)).toEqual([epoch + 5000]);
    expect(link.dropped).toEqual({ outside_window: 1 });
  });
});

describe('a handler that fails', () => {
  it('leaves the message unconfirmed: the connection ends and it comes again', async () => {
    let failures = 1;
    const test = await online({
      handler: {
        onPayload: (incoming) => ({
          apply(tx) {
            tx.applied.push(incoming.payload);
            if (failures-- > 0) throw new Error('bug');
          },
        }),
      },
    });
    const message = await fromDevice(test.peers, 1, { n: 1 });
    test.side.send(message);
    test.side.send(await fromDevice(test.peers, 2, { n: 2 }));
    expect((await test.phase('waiting')).problem.code).toBe('local_failure');
    expect(test.store.applied).toEqual([]);
    const side = await again(test);
    side.send(message);
    await side.proof();
    expect(test.store.applied).toEqual([{ n: 1 }]);
    expect(test.warnings).toEqual(['handler_failed']);
  });

  it('drops a poisonous message after five attempts and goes on', async () => {
    const test = await online({
      handler: {
        onPayload: ({ payload }) => {
          if (payload.poison) throw new Error('bug');
          return { apply: (tx) => void tx.applied.push(payload) };
        },
      },
    });
    const message = await fromDevice(test.peers, 1, { poison: true });
    let { side } = test;
    for (let attempt = 1; attempt < LINK.maxHandlerAttempts; attempt++) {
      side.send(message);
      side = await again(test);
    }
    side.send(message);
    side.send(await fromDevice(test.peers, 2, { n: 2 }));
    await side.proof();
    expect(test.store.applied).toEqual([{ n: 2 }]);
    expect(test.link.dropped).toEqual({ handler_failed: 1 });
    expect(test.warnings).toContain('message_given_up');
  });

  it.each([
    ['a store that throws anything', new Error('anything'), 'store'],
    ['a full disk', new CountersignError('storage_full', 'full'), 'handler'],
    ['a busy database', Object.assign(new Error('busy'), { code: 'SQLITE_BUSY' }), 'handler'],
    ['a quota', Object.assign(new Error('quota'), { name: 'QuotaExceededError' }), 'handler'],
  ])('never costs a message for %s', async (_, error, where) => {
    let broken = true;
    const failing = () => {
      if (broken) throw error;
      return undefined;
    };
    const test = await online(where === 'handler' ? { handler: { onPayload: failing } } : {});
    if (where === 'store')
      test.store.before = (operation) => (operation === 'receive' ? failing() : undefined);
    const message = await fromDevice(test.peers, 1, { n: 1 });
    let { side } = test;
    for (let attempt = 0; attempt < LINK.maxHandlerAttempts + 2; attempt++) {
      side.send(message);
      side = await again(test);
    }
    broken = false;
    side.send(message);
    await side.proof();
    expect(test.link.dropped).toEqual({});
  });

  it('costs a live message at once, which nobody would deliver again, and no connection', async () => {
    const { side, peers, link } = await online({
      handler: {
        onPayload: () => {
          throw new Error('bug');
        },
      },
    });
    side.send(await fromDevice(peers, 1, {}, true));
    await side.proof();
    expect(link.state.phase).toBe('online');
    expect(link.dropped).toEqual({ handler_failed: 1 });
  });

  it('where pongs go out by themselves, what arrived behind the failure is still dealt with', async () => {
    const test = await online({
      cannotPing: true,
      handler: {
        onPayload: ({ payload }) => {
          if (payload.n === 1) throw new Error('bug');
          return { apply: (tx) => void tx.applied.push(payload) };
        },
      },
    });
    const first = deferred();
    test.store.before = (operation) => (operation === 'receive' ? first.resolve() : undefined);
    test.side.send(await fromDevice(test.peers, 1, { n: 1 }));
    test.side.send(await fromDevice(test.peers, 2, { n: 2 }));
    await first.promise;
    await test.phase('waiting');
    await new Promise<void>((resolve) => setImmediate(resolve));
    expect(test.store.applied).toEqual([{ n: 2 }]);
  });
});

describe('what waits', () => {
  it('is bounded: a flood ends the connection instead of filling memory', async () => {
    const stuck = deferred();
    const test = await online({ handler: { channelsOf: () => stuck.promise.then(() => []) } });
    const message = await fromDevice(test.peers, 1, {});
    for (let i = 0; i < LINK.maxInboundItems + 2; i++) test.side.send(message);
    expect((await test.phase('waiting')).problem.code).toBe('too_slow');
    stuck.resolve();
  });

  it('is bounded in bytes too', async () => {
    const stuck = deferred();
    const test = await online({ handler: { channelsOf: () => stuck.promise.then(() => []) } });
    const message = { ...(await fromDevice(test.peers, 1, {}, true)), ciphertext: new Uint8Array(523_264) };
    const fits = Math.floor(LINK.maxInboundBytes / 523_264);
    for (let i = 0; i < fits + 2; i++) test.side.send(message);
    expect((await test.phase('waiting')).problem.code).toBe('too_slow');
    stuck.resolve();
  });

  it('a message above the size of a live frame ends the connection', async () => {
    const test = await online();
    test.side.sendBytes(new Uint8Array(512 * 1024 + LINK.inboundFrameSlackBytes + 1));
    expect((await test.phase('waiting')).problem.code).toBe('payload_too_large');
  });
});

describe('news of the relay', () => {
  it('pairings and presence reach the handler in order, with only what is well-formed', async () => {
    const news: unknown[] = [];
    const key = new Uint8Array(32).fill(5);
    const { side } = await online({
      handler: {
        onClientPaired: (paired) => void news.push(paired),
        onPresence: (peer, isOnline) => void news.push([peer, isOnline]),
        onPeerOffline: (peer) => void news.push(peer),
      },
    });
    const paired = {
      type: 'client_paired',
      clientEd25519Pub: key,
      clientX25519Pub: key,
      platform: 3,
    } as const;
    side.send({ ...paired, window: new Uint8Array(16) });
    side.send({ ...paired, window: new Uint8Array(15) });
    side.send({ ...paired, clientX25519Pub: new Uint8Array(31) });
    side.send({ type: 'presence_event', pubkey: key, status: 1 });
    side.send({ type: 'presence_event', pubkey: key, status: 2 });
    side.send({ type: 'presence_event', pubkey: key, status: 9 });
    side.send({ type: 'peer_offline', peer: key });
    side.send({ type: 'peer_offline', peer: new Uint8Array(3) });
    await side.proof();
    const device = { deviceEd25519: key, deviceX25519: key, platform: 3 };
    expect(news).toEqual([
      { ...device, window: new Uint8Array(16) },
      { ...device, window: undefined },
      ['05'.repeat(32), true],
      ['05'.repeat(32), false],
      '05'.repeat(32),
    ]);
  });

  it('a pairing that could not be stored comes again; one that never can is given up', async () => {
    const test = await online({ handler: { onClientPaired: () => Promise.reject(new Error('bug')) } });
    const key = new Uint8Array(32).fill(5);
    const paired = {
      type: 'client_paired',
      clientEd25519Pub: key,
      clientX25519Pub: key,
      platform: 3,
    } as const;
    let { side } = test;
    for (let attempt = 1; attempt < LINK.maxHandlerAttempts; attempt++) {
      side.send(paired);
      side = await again(test);
    }
    side.send(paired);
    await side.proof();
    expect(test.warnings).toContain('pairing_given_up');
  });

  it('a handler of presence that throws costs nothing', async () => {
    const { side, link } = await online({
      handler: {
        onPresence: () => {
          throw new Error('bug');
        },
      },
    });
    side.send({ type: 'presence_event', pubkey: new Uint8Array(32), status: 1 });
    await side.proof();
    expect(link.state.phase).toBe('online');
  });

  it('frames a peer has no use for are ignored, garbage ends the connection', async () => {
    const { side, link, phase } = await online();
    side.send({ type: 'empty' });
    side.send({ type: 'accepted', ref: 1n });
    side.send({ type: 'received', seq: 1n });
    side.send({ type: 'authorize_ok', authorized: 3 });
    side.send({ type: 'auth_ok', namespaceId: new Uint8Array(32), capabilities: ['ref'] });
    side.send({ type: 'challenge', nonce: new Uint8Array(32) });
    side.sendBytes('a text');
    await side.proof();
    expect(link.state.phase).toBe('online');
    expect([...link.capabilities]).toEqual(['window']);
    side.sendBytes(Uint8Array.of(0xff));
    expect((await phase('waiting')).problem.code).toBe('protocol');
  });
});

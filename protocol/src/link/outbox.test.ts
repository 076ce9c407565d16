import fc from 'fast-check';
import { afterEach, describe, expect, it } from 'vitest';
import type { RelaySide } from '../../../test/support/link/fake-relay.js';
import { makePeers, type TestPeers } from '../../../test/support/link/peers.js';
import { type TestLink, type TestLinkOptions, testLink } from '../../../test/support/link/test-link.js';
import { counterFloor, unframe } from '../e2e/index.js';
import { CLOSE, type FrameOf, toHex, WIRE } from '../frames/index.js';
import { LINK, OUTBOX_LIMIT } from './link-limits.js';
import type { PeerChannel } from './ports.js';
import { type LinkRuntime, platformRuntime } from './runtime.js';

const open: TestLink[] = [];

async function made(options: TestLinkOptions = {}): Promise<TestLink> {
  const test = await testLink(options);
  open.push(test);
  return test;
}

async function online(options: TestLinkOptions = {}, capabilities?: string[]) {
  const test = await made(options);
  test.link.start();
  const side = await test.relay.loggedIn(capabilities);
  await test.phase('online');
  return { ...test, side };
}

/** Sockets that say their buffer is full. */
function stuckSockets(): Pick<LinkRuntime, 'openSocket'> {
  return {
    openSocket: (...args) => {
      const socket = platformRuntime.openSocket(...args);
      return {
        canPing: true,
        bufferedBytes: LINK.maxSocketBufferBytes + 1,
        send: (data) => socket.send(data),
        ping: (data) => socket.ping(data),
        pong: (data) => socket.pong(data),
        close: (code, reason) => socket.close(code, reason),
        terminate: () => socket.terminate(),
      };
    },
  };
}

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

async function opened({ atDevice }: TestPeers, message: FrameOf<'message'>): Promise<unknown> {
  const plain = await atDevice.sealed.open(message.nonce, message.ciphertext);
  const body = await unframe(plain?.framed ?? new Uint8Array());
  return JSON.parse(new TextDecoder().decode(body.ok));
}

const counterOf = ({ nonce }: { nonce: Uint8Array }) =>
  Number(new DataView(nonce.buffer, nonce.byteOffset).getBigUint64(4));

/** A second device of the same agent, as the agent sees it. */
async function anotherChannel(): Promise<PeerChannel> {
  return (await makePeers(3)).atAgent;
}

describe('a queued message', () => {
  it('is sealed, padded and stored at once, with or without a connection', async () => {
    const { link, peers, store, time } = await made();
    const id = await link.queue(peers.atAgent, { n: 1 }, { push: Uint8Array.of(1), ttlMs: 5000 });
    const [row] = store.rows;
    expect(row).toMatchObject({
      id,
      peer: peers.device.hex,
      push: Uint8Array.of(1),
      expiresAt: time.now() + 5000,
    });
    expect(row?.ciphertext.length).toBe(512 + 16);
  });

  it('is kept seven days unless it says otherwise', async () => {
    const { link, peers, store, time } = await made();
    await link.queue(peers.atAgent, {});
    expect(store.rows[0]?.expiresAt).toBe(time.now() + 7 * 86_400_000);
  });

  it('goes out in order behind onOnline, live false, with neither ref nor push, and leaves once a ping proved it', async () => {
    const order: string[] = [];
    const test = await made({
      handler: { onOnline: async () => void order.push(`authorized ${await test.link.authorize([])}`) },
    });
    const { link, peers, store, relay } = test;
    await link.queue(peers.atAgent, { n: 1 }, { push: Uint8Array.of(1) });
    await link.queue(peers.atAgent, { n: 2 });
    link.start();
    const side = await relay.loggedIn();
    await side.take('authorize');
    side.send({ type: 'authorize_ok', authorized: 1 });
    const first = await side.take('message');
    order.push('first');
    expect(first).toMatchObject({ live: false, peer: peers.device.keys.ed25519Public });
    expect(first.ref ?? first.push).toBeUndefined();
    expect(await opened(peers, first)).toEqual({ n: 1 });
    expect(await opened(peers, await side.take('message'))).toEqual({ n: 2 });
    await link.flushed();
    expect(store.rows).toEqual([]);
    expect(order).toEqual(['authorized 1', 'first']);
  });

  it('one at a time per peer: the next waits for the proof of the one before', async () => {
    const { link, peers, side, store } = await online();
    await side.pings.take();
    side.answersPings = false;
    const second = await anotherChannel();
    await link.queue(peers.atAgent, { n: 1 });
    await link.queue(peers.atAgent, { n: 2 });
    await link.queue(second, { n: 3 });
    await side.take('message');
    const ping = await side.pings.take();
    await side.proof();
    expect(side.untaken).toEqual([]);
    expect(store.rows).toHaveLength(3);
    side.socket.pong(ping);
    const next = await Promise.all([side.take('message'), side.take('message')]);
    expect(next.map(({ peer }) => toHex(peer)).sort()).toEqual([peers.device.hex, second.peer].sort());
  });

  it('a pong to an older ping proves nothing', async () => {
    const { link, peers, side, store } = await online();
    side.answersPings = false;
    const early = await side.pings.take();
    await link.queue(peers.atAgent, { n: 1 });
    await side.take('message');
    await side.pings.take();
    side.socket.pong(early);
    await side.proof();
    expect(store.rows).toHaveLength(1);
  });

  it('lost with its connection goes again, byte for byte, before anything new', async () => {
    const test = await online();
    const { link, peers } = test;
    test.side.answersPings = false;
    await link.queue(peers.atAgent, { n: 1 });
    const lost = await test.side.take('message');
    await link.queue(peers.atAgent, { n: 2 });
    test.side.close();
    const side = await again(test);
    expect(await side.take('message')).toEqual(lost);
    expect(await opened(peers, await side.take('message'))).toEqual({ n: 2 });
  });

  it('left by an earlier process goes too, and flushed waits for it', async () => {
    const test = await made();
    const { nonce, ciphertext } = await test.peers.atAgent.sealed.seal(1, new Uint8Array(16));
    await test.store.enqueue({
      peer: test.peers.device.hex,
      nonce,
      ciphertext,
      expiresAt: test.time.now() + 1,
    });
    const flushed = test.link.flushed();
    test.link.start();
    const side = await test.relay.loggedIn();
    await side.take('message');
    await flushed;
    expect(test.store.rows).toEqual([]);
  });

  it('at most sixteen are on their way at once, however many peers there are', async () => {
    const test = await made();
    const { nonce, ciphertext } = await test.peers.atAgent.sealed.seal(1, new Uint8Array(16));
    for (let peer = 0; peer <= LINK.maxRowsInFlight; peer++) {
      const name = toHex(new Uint8Array(32).fill(peer));
      await test.store.enqueue({ peer: name, nonce, ciphertext, expiresAt: test.time.now() + 1000 });
    }
    test.link.start();
    const side = await test.relay.loggedIn();
    await side.pings.take();
    side.answersPings = false;
    for (let i = 0; i < LINK.maxRowsInFlight; i++) await side.take('message');
    const ping = await side.pings.take();
    await side.proof();
    expect(side.untaken).toEqual([]);
    side.socket.pong(ping);
    await side.take('message');
  });

  it('more than a page of them left by an earlier process go all the same', async () => {
    const test = await made();
    const { nonce, ciphertext } = await test.peers.atAgent.sealed.seal(1, new Uint8Array(16));
    for (let i = 0; i <= LINK.outboxPageRows; i++) {
      await test.store.enqueue({
        peer: test.peers.device.hex,
        nonce,
        ciphertext,
        expiresAt: test.time.now() + 1,
      });
    }
    test.link.start();
    await test.relay.loggedIn();
    await test.link.flushed();
    expect(test.store.rows).toEqual([]);
  });

  it('that expired is dropped unsent, as is one for no peer at all', async () => {
    const { link, peers, store, time, relay } = await made();
    const { nonce, ciphertext } = await peers.atAgent.sealed.seal(1, new Uint8Array(16));
    await store.enqueue({ peer: 'nobody', nonce, ciphertext, expiresAt: time.now() + 5000 });
    await link.queue(peers.atAgent, { n: 1 }, { ttlMs: 1000 });
    time.advance(1000);
    await link.queue(peers.atAgent, { n: 2 });
    link.start();
    const side = await relay.loggedIn();
    expect(await opened(peers, await side.take('message'))).toEqual({ n: 2 });
    await link.flushed();
    expect(side.untaken).toEqual([]);
    expect(store.rows).toEqual([]);
  });

  it('removed from the store by its owner is not sent', async () => {
    const { link, peers, store, relay } = await made();
    const id = await link.queue(peers.atAgent, { n: 1 });
    await link.queue(peers.atAgent, { n: 2 });
    await store.outboxRemove([id]);
    link.start();
    const side = await relay.loggedIn();
    expect(await opened(peers, await side.take('message'))).toEqual({ n: 2 });
  });

  it('too large is refused before a counter is spent', async () => {
    const { link, peers, store } = await made();
    const text = 'x'.repeat(WIRE.maxQueuedCiphertextBytes);
    await expect(link.queue(peers.atAgent, { text })).rejects.toMatchObject({ code: 'payload_too_large' });
    expect(store.reservations).toEqual([]);
    await link.queue(peers.atAgent, { text: 'x'.repeat(61_440 - 2 - '{"text":""}'.length) });
    expect(store.rows[0]?.ciphertext.length).toBe(WIRE.maxQueuedCiphertextBytes);
  });

  it('beyond what the outbox may hold is refused', async () => {
    const { link, peers, store } = await made();
    const { nonce, ciphertext } = await peers.atAgent.sealed.seal(1, new Uint8Array(16));
    store.rows = Array.from({ length: OUTBOX_LIMIT }, (_, id) => ({
      id,
      peer: '',
      nonce,
      ciphertext,
      expiresAt: 0,
    }));
    await expect(link.queue(peers.atAgent, {})).rejects.toMatchObject({ code: 'queue_full' });
  });

  it('that is no JSON, or for no peer, is a bug of the host', async () => {
    const { link, peers } = await made();
    await expect(link.queue(peers.atAgent, { n: 1n })).rejects.toMatchObject({ code: 'invalid_request' });
    await expect(link.queue({ ...peers.atAgent, peer: 'x' }, {})).rejects.toMatchObject({
      code: 'invalid_request',
    });
  });
});

describe('send counters', () => {
  it('begin at the clock, come in blocks of 64, and are never used twice, live and queued together', async () => {
    const { link, peers, side, store, time } = await online();
    const work = Array.from({ length: 70 }, (_, i) =>
      i % 2 ? link.sendLive(peers.atAgent, { i }) : link.queue(peers.atAgent, { i }),
    );
    await Promise.all(work);
    await link.flushed();
    const counters = new Set<number>();
    for (let i = 0; i < 70; i++) counters.add(counterOf(await side.take('message')));
    expect(counters.size).toBe(70);
    expect(Math.min(...counters)).toBe(counterFloor(time.now()));
    expect(store.reservations.map(({ count }) => count)).toEqual([64, 64]);
  });

  it('reserved and unused before a crash are skipped, and the clock counts at process start only', async () => {
    const { link, peers, store, time } = await made();
    const floor = counterFloor(time.now());
    store.highWater.set(peers.atAgent.id, floor + 99);
    for (let i = 0; i < 65; i++) {
      time.sleep(60_000);
      await link.queue(peers.atAgent, {});
    }
    const later = counterFloor(time.now() - 64 * 60_000);
    expect(store.reservations.map(({ first }) => first)).toEqual([later, later + 64]);
  });

  it('are high-water plus one when the clock is behind', async () => {
    const { link, peers, store } = await made();
    store.highWater.set(peers.atAgent.id, 2 ** 52);
    await link.queue(peers.atAgent, {});
    expect(counterOf(store.rows[0] as never)).toBe(2 ** 52 + 1);
  });

  it('a store that gives them out below their floor is corrupt, and nothing is sealed', async () => {
    const { link, peers, store } = await made();
    store.reserveCounters = async () => 5;
    await expect(link.queue(peers.atAgent, {})).rejects.toMatchObject({ code: 'state_corrupt' });
    expect(store.rows).toEqual([]);
  });

  it('a failed enqueue loses one counter and nothing else', async () => {
    const { link, peers, store } = await made();
    let failures = 1;
    store.before = (operation) => {
      if (operation === 'enqueue' && failures-- > 0) throw new Error('disk');
    };
    await expect(link.queue(peers.atAgent, { n: 1 })).rejects.toThrow('disk');
    await link.queue(peers.atAgent, { n: 2 });
    expect(store.rows).toHaveLength(1);
    expect(counterOf(store.rows[0] as never)).toBe((store.reservations[0]?.first ?? 0) + 1);
  });
});

describe('a relay that refuses', () => {
  /** Answers the next message with this error, in its place. */
  async function refuse(side: RelaySide, code: string): Promise<FrameOf<'message'>> {
    const message = await side.take('message');
    side.send({ type: 'error', code, message: '' });
    return message;
  }

  /** Holds pongs back until the message behind them is answered. */
  function pongsByHand(side: RelaySide): () => Promise<void> {
    side.answersPings = false;
    return async () => void side.socket.pong(await side.pings.take());
  }

  it.each(['queue_full', 'not_found', 'unavailable', 'rate_limited'])(
    'with %s: the message is kept and sent again until it is taken',
    async (code) => {
      const { link, peers, side, store, time } = await online();
      await side.pings.take();
      const pong = pongsByHand(side);
      await link.queue(peers.atAgent, { n: 1 });
      const first = await refuse(side, code);
      await pong();
      if (code === 'unavailable' || code === 'rate_limited') {
        await time.untilDueIn(2000);
        time.advance(2000);
      }
      await pong();
      const alone = await refuse(side, code);
      await pong();
      await time.untilDueIn(code === 'queue_full' || code === 'not_found' ? 2000 : 4000);
      expect(store.rows).toHaveLength(1);
      time.advance(4000);
      await pong();
      const last = await side.take('message');
      await pong();
      await link.flushed();
      expect([alone, last]).toEqual([first, first]);
    },
  );

  it('one of several: each goes again alone, the refused one waits, the others do not', async () => {
    const { link, peers, side, store, time } = await online();
    await side.pings.take();
    const pong = pongsByHand(side);
    const second = await anotherChannel();
    await link.queue(peers.atAgent, { n: 0 });
    await side.take('message');
    await link.queue(peers.atAgent, { n: 1 });
    await link.queue(second, { n: 2 });
    await pong();
    await side.take('message');
    await refuse(side, 'queue_full');
    await pong();
    for (let alone = 0; alone < 2; alone++) {
      await pong();
      const message = await side.take('message');
      if (toHex(message.peer) === second.peer) side.send({ type: 'error', code: 'queue_full', message: '' });
      await pong();
    }
    await time.untilDueIn(2000);
    expect(store.rows.map(({ peer }) => peer)).toEqual([second.peer]);
  });

  it('a full queue is tried again as soon as its peer shows itself', async () => {
    const { link, peers, side, time } = await online();
    await side.pings.take();
    const pong = pongsByHand(side);
    await link.queue(peers.atAgent, { n: 1 });
    await refuse(side, 'queue_full');
    await pong();
    await pong();
    await refuse(side, 'queue_full');
    await pong();
    await time.untilDueIn(2000);
    side.send({ type: 'presence_event', pubkey: peers.device.keys.ed25519Public, status: 1 });
    await pong();
    await side.take('message');
  });

  it('what it can never accept is given up after three exact refusals, with a warning', async () => {
    const { link, peers, side, store, time, warnings } = await online();
    await side.pings.take();
    const pong = pongsByHand(side);
    await link.queue(peers.atAgent, { n: 1 });
    await refuse(side, 'bad_request');
    await pong();
    for (const wait of [2000, 4000, 0]) {
      await pong();
      await refuse(side, 'bad_request');
      await pong();
      if (wait === 0) break;
      await time.untilDueIn(wait);
      time.advance(wait);
    }
    await link.flushed();
    expect(store.rows).toEqual([]);
    expect(warnings).toEqual(['outbox_dropped']);
  });

  it('live messages wait while one goes alone, so that an error has one meaning', async () => {
    const { link, peers, side } = await online();
    await side.pings.take();
    const pong = pongsByHand(side);
    await link.queue(peers.atAgent, { n: 1 });
    await refuse(side, 'queue_full');
    await pong();
    const alonePing = await side.pings.take();
    const live = link.sendLive(peers.atAgent, { live: true });
    side.socket.pong(alonePing);
    expect((await side.take('message')).live).toBe(false);
    await side.proof();
    expect(side.untaken).toEqual([]);
    await pong();
    expect(await live).toBe('written');
    expect((await side.take('message')).live).toBe(true);
  });

  it('a proof that never comes, while other bytes do, ends the connection', async () => {
    const { link, peers, side, time, phase } = await online();
    await side.pings.take();
    side.answersPings = false;
    await link.queue(peers.atAgent, { n: 1 });
    await side.take('message');
    await time.untilDueIn(LINK.proofTimeoutMs);
    for (let elapsed = 0; elapsed < LINK.proofTimeoutMs; elapsed += 20_000) {
      await side.proof();
      time.advance(20_000);
    }
    expect((await phase('waiting')).problem.code).toBe('unavailable');
  });

  it('a store that fails while sending is met again, nothing is lost', async () => {
    const { link, peers, side, store, time, warnings } = await online();
    let failures = 1;
    store.before = (operation) => {
      if (operation === 'outboxRemove' && failures-- > 0) throw new Error('disk');
    };
    await link.queue(peers.atAgent, { n: 1 });
    const first = await side.take('message');
    await time.untilDueIn(LINK.refusedFirstDelayMs);
    time.advance(LINK.refusedFirstDelayMs);
    expect(await side.take('message')).toEqual(first);
    await link.flushed();
    expect(warnings).toEqual(['outbox_store_failed']);
  });
});

describe('where pings are hidden', () => {
  it('the answer to a presence_request behind the message is its proof', async () => {
    const { link, peers, side, store } = await online({ cannotPing: true, role: 'client' });
    await side.take('presence_request');
    side.send({ type: 'presence_list', online: [] });
    await link.queue(peers.atDevice, { n: 1 });
    await side.take('message');
    await side.take('presence_request');
    expect(store.rows).toHaveLength(1);
    side.send({ type: 'presence_list', online: [] });
    await link.flushed();
    expect(store.rows).toEqual([]);
  });
});

describe('an original relay', () => {
  it('gets a queue at a pace, none of it dropped', async () => {
    const { link, peers, side, time } = await online({}, []);
    for (let n = 0; n < 12; n++) await link.queue(peers.atAgent, { n });
    for (let n = 0; n < 10; n++) expect(await opened(peers, await side.take('message'))).toEqual({ n });
    for (let n = 10; n < 12; n++) {
      await time.untilDue((ms) => ms > 1300 && ms <= 1334);
      expect(side.untaken).toEqual([]);
      time.advance(1334);
      expect(await opened(peers, await side.take('message'))).toEqual({ n });
    }
    await link.flushed();
  });

  it('live messages count and wait too', async () => {
    const { link, peers, side, time } = await online({}, []);
    for (let i = 0; i < 10; i++) expect(await link.sendLive(peers.atAgent, { i })).toBe('written');
    const eleventh = link.sendLive(peers.atAgent, { i: 10 });
    await time.untilDueIn(1334);
    await side.proof();
    expect(side.untaken).toHaveLength(10);
    time.advance(1334);
    expect(await eleventh).toBe('written');
  });
});

describe('a live message behind queued ones', () => {
  it('goes to the same peer only after them, and to another at once', async () => {
    const { link, peers, side } = await online();
    await side.pings.take();
    side.answersPings = false;
    const second = await anotherChannel();
    await link.queue(peers.atAgent, { n: 1 });
    await link.queue(peers.atAgent, { n: 2 });
    await side.take('message');
    const behind = link.sendLive(peers.atAgent, { live: true });
    expect(await link.sendLive(second, { live: true })).toBe('written');
    expect(toHex((await side.take('message')).peer)).toBe(second.peer);
    side.socket.pong(await side.pings.take());
    expect((await side.take('message')).live).toBe(false);
    expect(await behind).toBe('written');
    expect((await side.take('message')).live).toBe(true);
  });

  it('waits 2 s for them and no longer', async () => {
    const { link, peers, side, time } = await online();
    await side.pings.take();
    side.answersPings = false;
    await link.queue(peers.atAgent, { n: 1 });
    await link.queue(peers.atAgent, { n: 2 });
    await side.take('message');
    const behind = link.sendLive(peers.atAgent, { live: true });
    await time.untilDueIn(2000);
    time.advance(2000);
    expect(await behind).toBe('written');
  });

  it('does not wait in onOnline, before the queue is sent at all', async () => {
    const test = await made({
      handler: { onOnline: async () => void (await test.link.sendLive(test.peers.atAgent, { live: true })) },
    });
    await test.link.queue(test.peers.atAgent, { n: 1 });
    test.link.start();
    const side = await test.relay.loggedIn();
    expect((await side.take('message')).live).toBe(true);
    expect((await side.take('message')).live).toBe(false);
  });
});

describe('a live message', () => {
  it('is sealed without padding and written now', async () => {
    const { link, peers, side } = await online();
    expect(await link.sendLive(peers.atAgent, { n: 1 })).toBe('written');
    const message = await side.take('message');
    expect(message).toMatchObject({ live: true, peer: peers.device.keys.ed25519Public });
    expect(message.ciphertext.length).toBe(2 + '{"n":1}'.length + 16);
    expect(await opened(peers, message)).toEqual({ n: 1 });
  });

  it('without a connection spends no counter', async () => {
    const { link, peers, store } = await made();
    expect(await link.sendLive(peers.atAgent, {})).toBe('offline');
    expect(store.reservations).toEqual([]);
  });

  it('fits to the byte, or is too large', async () => {
    const { link, peers, side } = await online();
    const room = WIRE.maxLiveCiphertextBytes - 16 - 2 - '{"t":""}'.length;
    expect(await link.sendLive(peers.atAgent, { t: 'x'.repeat(room + 1) })).toBe('too_large');
    expect(await link.sendLive(peers.atAgent, { t: 'x'.repeat(room) })).toBe('written');
    expect((await side.take('message')).ciphertext.length).toBe(WIRE.maxLiveCiphertextBytes);
  });

  it('no more than 64 wait for room', async () => {
    const { link, peers } = await online({}, []);
    const sent = Array.from({ length: 10 + LINK.maxWaitingLive + 1 }, (_, i) =>
      link.sendLive(peers.atAgent, { i }),
    );
    expect(await sent.at(-1)).toBe('offline');
    await link.close();
    expect((await Promise.all(sent)).filter((result) => result === 'offline').length).toBeGreaterThan(0);
  });

  it('does not pile up behind a socket that takes nothing', async () => {
    const { link, peers, time } = await online({
      runtime: stuckSockets(),
    });
    const sent = link.sendLive(peers.atAgent, {});
    for (let waited = 0; waited < LINK.liveWaitMs; waited += LINK.socketBufferPollMs) {
      await time.untilDueIn(LINK.socketBufferPollMs);
      time.advance(LINK.socketBufferPollMs);
      await Promise.resolve();
    }
    expect(await sent).toBe('offline');
  });
});

describe('whatever the relay does', () => {
  it('every queued message arrives, in order for its peer', async () => {
    const step = fc.constantFrom('take', 'refuse', 'lose');
    await fc.assert(
      fc.asyncProperty(fc.array(step, { maxLength: 12 }), async (script) => {
        const test = await made();
        const { link, peers, relay, time, store } = test;
        for (let n = 0; n < 4; n++) await link.queue(peers.atAgent, { n });
        const stored: unknown[] = [];
        const ticking = setInterval(() => time.advance(1000), 1);
        link.start();
        const serve = async () => {
          for (;;) {
            const side = await relay.loggedIn();
            for (;;) {
              const message = await Promise.race([side.take('message'), side.closed]);
              if ('code' in message) break;
              const next = script.shift() ?? 'take';
              if (next === 'refuse') side.send({ type: 'error', code: 'queue_full', message: '' });
              else stored.push(await opened(peers, message));
              if (next === 'lose') side.close(CLOSE.goingAway);
            }
          }
        };
        void serve();
        await link.flushed();
        clearInterval(ticking);
        const first = [...new Map(stored.map((value) => [JSON.stringify(value), value])).values()];
        expect(first).toEqual([0, 1, 2, 3].map((n) => ({ n })));
        expect(store.rows).toEqual([]);
      }),
      { numRuns: 15 },
    );
  });
});

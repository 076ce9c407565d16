import { describe, expect, it } from 'vitest';
import type { RelaySide } from '../../../test/support/link/fake-relay.js';
import {
  anotherChannel,
  closeLinksAfterEach,
  made,
  online,
  opened,
} from '../../../test/support/link/online-links.js';
import { type FrameOf, toHex } from '../frames/index.js';
import { LINK } from './link-limits.js';

closeLinksAfterEach();

describe('a queued message towards a relay that names none', () => {
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

import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { RelaySide } from '../../../test/support/link/fake-relay.js';
import {
  again,
  anotherChannel,
  closeLinksAfterEach,
  made,
  type OnlineLink,
  online,
  opened,
} from '../../../test/support/link/online-links.js';
import type { TestLink } from '../../../test/support/link/test-link.js';
import { CLOSE, type FrameOf, toHex } from '../frames/index.js';
import { LINK } from './link-limits.js';
import type { GivenUp } from './ports.js';

closeLinksAfterEach();

const NAMES = ['ref', 'window'];

async function take(side: RelaySide, count: number): Promise<FrameOf<'message'>[]> {
  const messages: FrameOf<'message'>[] = [];
  while (messages.length < count) messages.push(await side.take('message'));
  return messages;
}

function accept(side: RelaySide, ...messages: FrameOf<'message'>[]): void {
  for (const { ref } of messages) side.send({ type: 'accepted', ref: ref ?? 0n });
}

function refuse(side: RelaySide, code: string, { ref }: FrameOf<'message'>): void {
  side.send({ type: 'error', code, message: '', ref });
}

async function queueMany({ link, peers }: TestLink, count: number, from = 0): Promise<void> {
  for (let n = from; n < from + count; n++) await link.queue(peers.atAgent, { n });
}

/** So many accepted one after another that as many as ever may be under way. Gives the number. */
async function grown(test: OnlineLink): Promise<number> {
  const count = LINK.maxInFlightPerPeer - LINK.firstInFlightPerPeer;
  await queueMany(test, count);
  for (let n = 0; n < count; n++) accept(test.side, await test.side.take('message'));
  await test.link.flushed();
  return count;
}

/** Everything the relay sent has been dealt with, and what that set off is written. */
async function settled(side: RelaySide): Promise<void> {
  for (let round = 0; round < 3; round++) await side.proof();
}

describe('a queued message towards a relay that names it', () => {
  it('carries its outbox id, and is kept until that is accepted, whatever pongs say', async () => {
    const { link, peers, side, store } = await online({}, NAMES);
    const id = await link.queue(peers.atAgent, { n: 1 });
    const message = await side.take('message');
    expect(message).toMatchObject({ ref: BigInt(id), live: false });
    await settled(side);
    expect(store.rows.map((row) => row.id)).toEqual([id]);
    accept(side, message);
    await link.flushed();
    expect(store.rows).toEqual([]);
  });

  it('at most 32 of one peer are under way, each accepted one makes room, another peer has its own', async () => {
    const test = await online({}, NAMES);
    const { link, side } = test;
    await grown(test);
    await queueMany(test, LINK.maxInFlightPerPeer + 2);
    const first = await take(side, LINK.maxInFlightPerPeer);
    await settled(side);
    expect(side.untaken).toEqual([]);
    const second = await anotherChannel();
    await link.queue(second, {});
    expect(toHex((await side.take('message')).peer)).toBe(second.peer);
    accept(side, first[5] as FrameOf<'message'>);
    expect(await opened(test.peers, await side.take('message'))).toEqual({ n: LINK.maxInFlightPerPeer });
  });

  it('few are under way at first, one more with each accepted, few again on the next connection', async () => {
    const test = await online({}, NAMES);
    await queueMany(test, 20);
    const first = await take(test.side, LINK.firstInFlightPerPeer);
    await settled(test.side);
    expect(test.side.untaken).toEqual([]);
    accept(test.side, ...first.slice(0, 2));
    await take(test.side, 4);
    await settled(test.side);
    expect(test.side.untaken).toEqual([]);
    test.side.close();
    const side = await again(test, NAMES);
    await take(side, LINK.firstInFlightPerPeer);
    await settled(side);
    expect(side.untaken).toEqual([]);
  });

  it('none begins while 256 KiB of its peer are under way', async () => {
    const test = await online({}, NAMES);
    const { link, peers, side } = test;
    await grown(test);
    const text = 'x'.repeat(61_000);
    for (let n = 0; n < 6; n++) await link.queue(peers.atAgent, { text });
    const messages = await take(side, 5);
    await settled(side);
    expect(side.untaken).toEqual([]);
    accept(side, ...messages.slice(0, 1));
    await side.take('message');
  });

  it('what was not accepted goes again at the next login, byte for byte and in order, before anything new', async () => {
    const test = await online({}, NAMES);
    await queueMany(test, 4);
    const messages = await take(test.side, 4);
    accept(test.side, messages[1] as FrameOf<'message'>);
    await settled(test.side);
    await test.link.sendLive(test.peers.atAgent, {});
    expect(test.store.rows).toHaveLength(3);
    test.side.close();
    await test.phase('waiting');
    await queueMany(test, 1, 4);
    const side = await again(test, NAMES);
    const [a, b, c, fresh] = await take(side, 4);
    expect([a, b, c]).toEqual([messages[0], messages[2], messages[3]]);
    expect(await opened(test.peers, fresh as FrameOf<'message'>)).toEqual({ n: 4 });
  });

  it('an accepted one that the store could not forget is not sent again on this connection', async () => {
    const { link, peers, side, store, time } = await online({}, NAMES);
    let failures = 1;
    store.before = (operation) => {
      if (operation === 'outboxRemove' && failures-- > 0) throw new Error('disk');
    };
    await link.queue(peers.atAgent, { n: 1 });
    accept(side, await side.take('message'));
    await time.untilDueIn(LINK.refusedFirstDelayMs);
    expect(store.rows).toHaveLength(1);
    time.advance(LINK.refusedFirstDelayMs);
    await link.flushed();
    await settled(side);
    expect(side.untaken).toEqual([]);
  });

  it('one that is never answered, while other bytes come, ends the connection', async () => {
    const test = await online({}, NAMES);
    await queueMany(test, 2);
    const [, other] = await take(test.side, 2);
    accept(test.side, other as FrameOf<'message'>);
    for (let elapsed = 0; elapsed < LINK.proofTimeoutMs; elapsed += 20_000) {
      await settled(test.side);
      test.time.advance(20_000);
    }
    expect((await test.phase('waiting')).problem.code).toBe('unavailable');
    expect(test.store.rows).toHaveLength(1);
  });

  it('a closing link waits for what is under way', async () => {
    const test = await online({}, NAMES);
    await queueMany(test, 1);
    const message = await test.side.take('message');
    const closed = test.link.close();
    accept(test.side, message);
    await closed;
    expect(test.store.rows).toEqual([]);
  });

  it('requests go meanwhile, and an error without ref is theirs', async () => {
    const test = await online({}, NAMES);
    await queueMany(test, 1);
    const message = await test.side.take('message');
    const asked = test.link.authorize([]);
    await test.side.take('authorize');
    test.side.send({ type: 'error', code: 'bad_request', message: '' });
    await expect(asked).rejects.toMatchObject({ code: 'bad_request' });
    expect(test.store.rows).toHaveLength(1);
    accept(test.side, message);
    await test.link.flushed();
  });
});

describe('a refusal that names its message', () => {
  it.each(['queue_full', 'not_found', 'unavailable', 'rate_limited', 'unheard_of'])(
    '%s: goes again after 2 s, then 4 s, the very bytes',
    async (code) => {
      const test = await online({}, NAMES);
      await queueMany(test, 1);
      const first = await test.side.take('message');
      refuse(test.side, code, first);
      await test.time.untilDueIn(2000);
      test.time.advance(2000);
      const second = await test.side.take('message');
      refuse(test.side, code, second);
      await test.time.untilDueIn(4000);
      test.time.advance(4000);
      const third = await test.side.take('message');
      expect([second, third]).toEqual([first, first]);
      accept(test.side, third);
      await test.link.flushed();
    },
  );

  it('many at once are one reason to wait, and then go one at a time until one is accepted', async () => {
    const test = await online({}, NAMES);
    await queueMany(test, 5);
    for (const message of await take(test.side, LINK.firstInFlightPerPeer))
      refuse(test.side, 'queue_full', message);
    await settled(test.side);
    await test.time.untilDueIn(2000);
    test.time.advance(2000);
    const alone = await test.side.take('message');
    expect(await opened(test.peers, alone)).toEqual({ n: 0 });
    await settled(test.side);
    expect(test.side.untaken).toEqual([]);
    accept(test.side, alone);
    for (let n = 1; n < 5; n++) {
      const next = await test.side.take('message');
      expect(await opened(test.peers, next)).toEqual({ n });
      accept(test.side, next);
    }
  });

  it('another peer is not held up by a full queue', async () => {
    const test = await online({}, NAMES);
    await queueMany(test, 1);
    refuse(test.side, 'queue_full', await test.side.take('message'));
    await test.time.untilDueIn(2000);
    const second = await anotherChannel();
    await test.link.queue(second, {});
    expect(toHex((await test.side.take('message')).peer)).toBe(second.peer);
  });

  it('a full queue is tried again as soon as its peer shows itself', async () => {
    const test = await online({}, NAMES);
    await queueMany(test, 1);
    refuse(test.side, 'queue_full', await test.side.take('message'));
    await test.time.untilDueIn(2000);
    const pubkey = test.peers.device.keys.ed25519Public;
    test.side.send({ type: 'presence_event', pubkey, status: 1 });
    await test.side.take('message');
  });

  it.each(['bad_request', 'payload_too_large'])(
    '%s gives that one up, tells its owner so before it is gone, and goes on',
    async (code) => {
      const given: GivenUp[] = [];
      const rowsThen: number[] = [];
      const test = await made({
        handler: {
          onGivenUp: (message) => {
            given.push(message);
            rowsThen.push(...test.store.rows.map(({ id }) => id));
            throw new Error('the owner failed');
          },
        },
      });
      test.link.start();
      const side = await test.relay.loggedIn(NAMES);
      await queueMany(test, 2);
      const [bad, good] = await take(side, 2);
      refuse(side, code, bad as FrameOf<'message'>);
      accept(side, good as FrameOf<'message'>);
      await test.link.flushed();
      expect(given).toMatchObject([{ id: Number(bad?.ref), peer: test.peers.device.hex, reason: { code } }]);
      expect(rowsThen).toContain(Number(bad?.ref));
      expect(test.store.rows).toEqual([]);
      expect(test.warnings).toEqual(['outbox_dropped', 'handler_failed']);
    },
  );
});

describe('a relay whose word is wrong', () => {
  it('accepting what is not under way, or was never sent, costs nothing, however often', async () => {
    const test = await online({}, NAMES);
    const before = await grown(test);
    await queueMany(test, LINK.maxInFlightPerPeer + 1);
    const messages = await take(test.side, LINK.maxInFlightPerPeer);
    const waiting = BigInt(before + LINK.maxInFlightPerPeer + 1);
    for (const ref of [0n, waiting, 2n ** 53n, 2n ** 63n, 2n ** 64n - 1n]) {
      for (let n = 0; n < 200; n++) test.side.send({ type: 'accepted', ref });
      test.side.send({ type: 'error', code: 'bad_request', message: '', ref });
    }
    await settled(test.side);
    expect(test.store.rows).toHaveLength(LINK.maxInFlightPerPeer + 1);
    expect(test.warnings).toEqual([]);
    expect(test.link.state.phase).toBe('online');
    accept(test.side, ...messages, ...messages);
    accept(test.side, await test.side.take('message'));
    await test.link.flushed();
  });

  it('an accepted of the connection before does not count on the next', async () => {
    const test = await online({}, NAMES);
    await test.link.queue(test.peers.atAgent, { n: 1 });
    const message = await test.side.take('message');
    test.side.close();
    await test.phase('waiting');
    test.link.retryNow();
    const side = await test.relay.loggedIn(NAMES);
    const resent = await side.take('message');
    expect(resent).toEqual(message);
    accept(side, message);
    await test.link.flushed();
  });

  it('a ref in an error of a relay that never granted it names nothing', async () => {
    const test = await online();
    await test.side.pings.take();
    test.side.answersPings = false;
    await queueMany(test, 1);
    const message = await test.side.take('message');
    expect(message.ref).toBeUndefined();
    test.side.send({ type: 'accepted', ref: 1n });
    await settled(test.side);
    expect(test.store.rows).toHaveLength(1);
    test.side.socket.pong(await test.side.pings.take());
    await test.link.flushed();
  });

  it('received and push_report arriving here are ignored', async () => {
    const { side, peers, link } = await online({}, [...NAMES, 'received']);
    side.send({ type: 'received', seq: 2n ** 64n - 1n });
    const peer = peers.device.keys.ed25519Public;
    side.send({ type: 'push_report', ref: 1n, peer, outcome: 'accepted', detail: '' });
    await settled(side);
    expect(link.state.phase).toBe('online');
  });
});

describe('whatever a relay with ref does', () => {
  it('every queued message is accepted in the end, and none leaves before', async () => {
    const step = fc.constantFrom('accept', 'accept', 'refuse', 'unknown', 'lose');
    await fc.assert(
      fc.asyncProperty(fc.array(step, { maxLength: 16 }), async (script) => {
        const test = await made();
        const { link, peers, relay, time, store } = test;
        for (let n = 0; n < 6; n++) await link.queue(peers.atAgent, { n });
        const stored = new Set<string>();
        const ticking = setInterval(() => time.advance(1000), 1);
        link.start();
        const serve = async () => {
          for (;;) {
            const side = await relay.loggedIn(NAMES);
            for (;;) {
              const message = await Promise.race([side.take('message'), side.closed]);
              if ('code' in message) break;
              const next = script.shift() ?? 'accept';
              if (next === 'refuse') refuse(side, 'queue_full', message);
              else stored.add(JSON.stringify(await opened(peers, message)));
              if (next === 'accept') accept(side, message);
              if (next === 'unknown') side.send({ type: 'accepted', ref: 99n });
              // Stored, and nobody heard: it goes again with the next connection.
              if (next === 'lose' || next === 'unknown') side.close(CLOSE.goingAway);
            }
          }
        };
        void serve();
        await link.flushed();
        clearInterval(ticking);
        expect(stored.size).toBe(6);
        expect(store.rows).toEqual([]);
      }),
      { numRuns: 15 },
    );
  });
});

import { describe, expect, it } from 'vitest';
import { again, closeLinksAfterEach, online } from '../../../test/support/link/online-links.js';
import { sealedBy, type TestPeers } from '../../../test/support/link/peers.js';
import { VirtualTime } from '../../../test/support/link/virtual-time.js';
import { deferred } from './async-tools.js';
import { LINK } from './link-limits.js';
import { Receipts } from './receipts.js';
import type { LinkRuntime } from './runtime.js';

closeLinksAfterEach();

const CONFIRMS = ['received', 'window'];

const queued = async ({ atDevice, device }: TestPeers, counter: number, seq: bigint) => ({
  ...(await sealedBy(atDevice, device, counter, { counter })),
  seq,
});

function receiptsAt(time = new VirtualTime()) {
  const told: bigint[] = [];
  const runtime = { now: time.now, setTimer: time.setTimer } as LinkRuntime;
  return { time, told, receipts: new Receipts(runtime, (seq) => told.push(seq)) };
}

describe('what the relay is told of what arrived', () => {
  it('goes at once when nothing else waits, then together for a moment', () => {
    const { time, told, receipts } = receiptsAt();
    for (let seq = 1n; seq <= 4n; seq++) receipts.done(receipts.arrived(seq, 100));
    expect(told).toEqual([1n]);
    time.advance(LINK.receivedDelayMs);
    expect(told).toEqual([1n, 4n]);
    time.advance(LINK.receivedDelayMs);
    receipts.done(receipts.arrived(5n, 100));
    expect(told).toEqual([1n, 4n, 5n]);
    expect(time.due).toEqual([]);
  });

  it('goes for every 32 messages or 64 KiB without waiting', () => {
    const { told, receipts } = receiptsAt();
    receipts.done(receipts.arrived(0n, 1));
    for (let seq = 1n; seq <= BigInt(LINK.receivedMessages); seq++) receipts.done(receipts.arrived(seq, 1));
    expect(told).toEqual([0n, BigInt(LINK.receivedMessages)]);
    receipts.done(receipts.arrived(100n, LINK.receivedBytes - 1));
    expect(told).toHaveLength(2);
    receipts.done(receipts.arrived(101n, 1));
    expect(told.at(-1)).toBe(101n);
  });

  it('while more waits to be dealt with, a moment passes all the same', () => {
    const { time, told, receipts } = receiptsAt();
    const first = receipts.arrived(1n, 1);
    receipts.arrived(2n, 1);
    receipts.done(first);
    expect(told).toEqual([]);
    time.advance(LINK.receivedDelayMs);
    expect(told).toEqual([1n]);
  });

  it('never reaches beyond something unfinished', () => {
    const { time, told, receipts } = receiptsAt();
    receipts.arrived(1n, 1);
    receipts.done(receipts.arrived(2n, 1));
    time.advance(60_000);
    expect(told).toEqual([]);
  });

  it('a sequence that goes backwards, repeats or is huge takes nothing back and echoes what came', () => {
    const { time, told, receipts } = receiptsAt();
    const huge = 2n ** 64n - 1n;
    for (const seq of [5n, 3n, 5n, 0n, huge, 7n]) {
      receipts.done(receipts.arrived(seq, 1));
      time.advance(LINK.receivedDelayMs);
    }
    expect(told).toEqual([5n, huge]);
  });

  it('a clock set back delays nothing for longer', () => {
    const { time, told, receipts } = receiptsAt();
    receipts.done(receipts.arrived(1n, 1));
    time.sleep(-3_600_000);
    receipts.done(receipts.arrived(2n, 1));
    time.advance(LINK.receivedDelayMs);
    expect(told).toEqual([1n, 2n]);
  });

  it('once the connection ended nothing is told', () => {
    const { time, told, receipts } = receiptsAt();
    const open = receipts.arrived(1n, 1);
    receipts.withhold(open, Promise.resolve());
    receipts.end();
    receipts.done(open);
    time.advance(60_000);
    expect(told).toEqual([]);
    expect(time.due).toEqual([]);
  });
});

describe('a withheld confirmation', () => {
  it('comes as soon as it was shown, with all behind it', async () => {
    const { told, receipts } = receiptsAt();
    const shown = deferred();
    receipts.withhold(receipts.arrived(1n, 1), shown.promise);
    receipts.done(receipts.arrived(2n, 1));
    expect(told).toEqual([]);
    shown.resolve();
    await shown.promise;
    expect(told).toEqual([2n]);
  });

  it('gives way once the push has begun: what came behind it must not wait for ever', () => {
    const { time, told, receipts } = receiptsAt();
    receipts.withhold(receipts.arrived(1n, 1), new Promise(() => undefined));
    receipts.done(receipts.arrived(2n, 1));
    time.advance(LINK.maxWithheldMs - 1);
    expect(told).toEqual([]);
    time.advance(1);
    expect(told).toEqual([2n]);
  });

  it('that fails to be shown is not taken for shown', async () => {
    const { time, told, receipts } = receiptsAt();
    receipts.withhold(receipts.arrived(1n, 1), Promise.reject(new Error('no')));
    await Promise.resolve();
    expect(told).toEqual([]);
    time.advance(LINK.maxWithheldMs);
    expect(told).toEqual([1n]);
  });

  it('gives way to a flood, so that what is remembered stays bounded', () => {
    const { told, receipts } = receiptsAt();
    receipts.withhold(receipts.arrived(0n, 1), new Promise(() => undefined));
    for (let seq = 1n; seq < BigInt(LINK.maxUnconfirmed); seq++) receipts.done(receipts.arrived(seq, 1));
    expect(told).toEqual([]);
    receipts.done(receipts.arrived(5000n, 1));
    expect(told.length).toBeGreaterThan(0);
  });
});

describe('a link that confirms', () => {
  it('does so only when the effect is durable, and answers pings meanwhile', async () => {
    const durable = deferred();
    const { side, peers, store } = await online({}, CONFIRMS);
    store.before = (operation) => (operation === 'receive' ? durable.promise : undefined);
    side.send(await queued(peers, 1, 41n));
    await side.proof();
    expect(side.untaken).toEqual([]);
    durable.resolve();
    expect(await side.take('received')).toEqual({ type: 'received', seq: 41n });
    expect(store.applied).toEqual([{ counter: 1 }]);
  });

  it('confirms what it drops: unknown, undecryptable, twice', async () => {
    const { side, peers, link, time } = await online({}, CONFIRMS);
    const message = await queued(peers, 1, 1n);
    side.send({ ...message, peer: new Uint8Array(32).fill(9) });
    await side.take('received');
    side.send({ ...message, seq: 2n, ciphertext: message.ciphertext.map((byte) => byte ^ 1) });
    side.send({ ...message, seq: 3n });
    side.send({ ...message, seq: 4n });
    await time.untilDueIn(LINK.receivedDelayMs);
    await side.proof();
    time.advance(LINK.receivedDelayMs);
    expect((await side.take('received')).seq).toBe(4n);
    expect(link.dropped).toEqual({ unknown_peer: 1, undecryptable: 1, duplicate: 1 });
  });

  it('confirms nothing that failed, nor what came behind it, also where pings are hidden', async () => {
    let failures = 1;
    const test = await online({ cannotPing: true, role: 'client' }, CONFIRMS);
    const { atAgent, agent } = test.peers;
    const from = async (n: number) => ({ ...(await sealedBy(atAgent, agent, n, { n })), seq: BigInt(n) });
    test.store.before = (operation) => {
      if (operation === 'receive' && failures-- > 0) throw new Error('disk');
    };
    test.side.send(await from(1));
    test.side.send(await from(2));
    expect((await test.phase('waiting')).problem.code).toBe('local_failure');
    expect(test.store.applied).toEqual([]);
    const side = await again(test, CONFIRMS);
    side.send(await from(1));
    side.send(await from(2));
    await side.take('received');
    test.time.advance(LINK.receivedDelayMs);
    expect(test.store.applied).toEqual([{ n: 1 }, { n: 2 }]);
  });

  it('withholds what its owner says, and not what came before it', async () => {
    const shown = deferred();
    const test = await online(
      {
        handler: {
          onPayload: ({ counter }) => ({
            apply: () => undefined,
            withheld: () => (counter === 2 ? { until: shown.promise } : undefined),
          }),
        },
      },
      CONFIRMS,
    );
    test.side.send(await queued(test.peers, 1, 1n));
    expect((await test.side.take('received')).seq).toBe(1n);
    test.time.advance(LINK.receivedDelayMs);
    test.side.send(await queued(test.peers, 2, 2n));
    test.side.send(await queued(test.peers, 3, 3n));
    for (let round = 0; round < 3; round++) await test.side.proof();
    expect(test.side.untaken).toEqual([]);
    shown.resolve();
    expect((await test.side.take('received')).seq).toBe(3n);
  });

  it('says nothing to a relay without received', async () => {
    const { side, peers } = await online();
    side.send(await queued(peers, 1, 1n));
    await side.proof();
    expect(side.untaken).toEqual([]);
  });
});

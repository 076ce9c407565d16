import { describe, expect, it } from 'vitest';
import { RelayClock } from '../../../../test/support/relay/relay-clock.js';
import { Commits, MAX_COMMITS_UNDER_WAY } from './commits.js';
import { HeldLives } from './held-live.js';
import { Inbox, MAX_BACKLOG_BYTES, MAX_BACKLOG_ITEMS } from './inbox.js';
import { Liveness } from './liveness.js';
import { PAUSE, ReadGate } from './read-gate.js';
import { MAX_PINGS_REMEMBERED, Receipts } from './receipts.js';

/** A promise and its end. */
function deferred() {
  let resolve = (): void => undefined;
  const promise = new Promise<void>((done) => {
    resolve = done;
  });
  return { promise, resolve };
}

describe('the inbox', () => {
  function inbox(sizeOf: (item: number) => number = () => 1) {
    const handled: number[] = [];
    const backlog: boolean[] = [];
    const works = new Map<number, ReturnType<typeof deferred>>();
    const box = new Inbox<number>({
      handle: (item) => {
        handled.push(item);
        return works.get(item)?.promise;
      },
      sizeOf,
      onBacklog: (full) => backlog.push(full),
    });
    const slow = (item: number) => {
      const work = deferred();
      works.set(item, work);
      return work;
    };
    return { box, handled, backlog, slow };
  }

  it('handles at once what needs no waiting, and the rest in order', async () => {
    const { box, handled, slow } = inbox();
    const work = slow(2);
    for (const item of [1, 2, 3, 4]) box.push(item);
    expect(handled).toEqual([1, 2]);
    work.resolve();
    await work.promise;
    await Promise.resolve();
    expect(handled).toEqual([1, 2, 3, 4]);
  });

  it.each([
    [MAX_BACKLOG_ITEMS, 1],
    [4, MAX_BACKLOG_BYTES / 4],
  ])('stops reading at %d items of %d bytes, and goes on when all are handled', async (count, size) => {
    const { box, backlog, slow } = inbox(() => size);
    const work = slow(0);
    box.push(0);
    for (let i = 1; i < count; i++) box.push(i);
    expect(backlog).toEqual([]);
    box.push(count);
    expect(backlog).toEqual([true]);
    work.resolve();
    await work.promise;
    await Promise.resolve();
    expect(backlog).toEqual([true, false]);
  });

  it('handles nothing after it was stopped', async () => {
    const { box, handled, slow } = inbox();
    const work = slow(1);
    box.push(1);
    box.push(2);
    box.stop();
    work.resolve();
    await work.promise;
    box.push(3);
    expect(handled).toEqual([1]);
  });
});

describe('writes under way', () => {
  it('are waited for by what comes after, and at most so many', async () => {
    const commits = new Commits();
    expect(commits.settled()).toBeUndefined();
    const writes = Array.from({ length: MAX_COMMITS_UNDER_WAY }, deferred);
    for (const write of writes.slice(1)) commits.track(write.promise);
    expect(commits.room()).toBeUndefined();
    commits.track((writes[0] as ReturnType<typeof deferred>).promise);
    const order: string[] = [];
    const room = commits.room()?.then(() => order.push('room'));
    const settled = commits.settled()?.then(() => order.push('settled'));
    for (const write of writes) write.resolve();
    await Promise.all([room, settled]);
    expect(order).toEqual(['room', 'settled']);
  });
});

describe('receipts', () => {
  const payload = (n: number) => new Uint8Array(8).fill(n);

  it('prove all that was written before the ping that is echoed', () => {
    const receipts = new Receipts();
    for (const seq of [4, 5]) receipts.written(seq, 50, 0);
    receipts.pinged(payload(1), 1);
    receipts.written(6, 50, 2);
    expect(receipts.isUnasked).toBe(true);
    expect(receipts.ponged(payload(1))).toBe(5);
    expect(receipts.unprovenBytes).toBe(50);
  });

  it('let a later echo stand for the earlier ones', () => {
    const receipts = new Receipts();
    receipts.written(1, 10, 0);
    receipts.pinged(payload(1), 0);
    receipts.written(2, 10, 0);
    receipts.pinged(payload(2), 0);
    expect(receipts.ponged(payload(2))).toBe(2);
    expect(receipts.ponged(payload(1))).toBeUndefined();
  });

  it('ignore what echoes no ping', () => {
    const receipts = new Receipts();
    receipts.written(1, 10, 0);
    receipts.pinged(payload(1), 0);
    expect(receipts.ponged(payload(9))).toBeUndefined();
    expect(receipts.ponged(new Uint8Array(0))).toBeUndefined();
    expect(receipts.unprovenBytes).toBe(10);
  });

  it('say that an echo of a ping before everything proves nothing', () => {
    const receipts = new Receipts();
    receipts.pinged(payload(1), 0);
    receipts.written(1, 10, 0);
    expect(receipts.ponged(payload(1))).toBe(0);
    expect(receipts.unprovenBytes).toBe(10);
  });

  it('remember a bounded number of pings, the newest among them', () => {
    const receipts = new Receipts();
    receipts.written(1, 10, 0);
    for (let i = 0; i <= MAX_PINGS_REMEMBERED; i++) receipts.pinged(payload(i), 0);
    expect(receipts.mayAsk).toBe(false);
    expect(receipts.ponged(payload(0))).toBeUndefined();
    expect(receipts.ponged(payload(MAX_PINGS_REMEMBERED))).toBe(1);
    expect(receipts.mayAsk).toBe(true);
  });

  it('tell of each message once', () => {
    const receipts = new Receipts();
    for (const seq of [1, 2, 3]) receipts.written(seq, 10, 0);
    receipts.written(4, 10, 7);
    expect(receipts.oldestUnreportedAt).toBe(0);
    expect(receipts.report(6)).toEqual([1, 2, 3]);
    expect(receipts.oldestUnreportedAt).toBe(7);
    expect(receipts.report()).toEqual([4]);
    expect(receipts.report()).toEqual([]);
  });

  it('tell of later messages also once the reported ones are proved', () => {
    const receipts = new Receipts(true);
    for (const seq of [1, 2, 3]) receipts.written(seq, 10, seq);
    expect(receipts.report(2)).toEqual([1, 2]);
    expect(receipts.received(1)).toBe(1);
    expect(receipts.oldestUnreportedAt).toBe(3);
    expect(receipts.report()).toEqual([3]);
  });

  it('by frame prove up to the seq, message by message, and each only once', () => {
    const receipts = new Receipts(true);
    for (const seq of [3, 7, 9]) receipts.written(seq, 10, 0);
    expect(receipts.received(2)).toBeUndefined();
    expect(receipts.received(8)).toBe(8);
    expect(receipts.unprovenBytes).toBe(10);
    expect(receipts.received(8)).toBeUndefined();
    expect(receipts.received(9)).toBe(9);
    expect(receipts.unprovenBytes).toBe(0);
  });

  it('by frame ignore a seq above all that was written', () => {
    const receipts = new Receipts(true);
    expect(receipts.received(1)).toBeUndefined();
    receipts.written(5, 10, 0);
    expect(receipts.received(6)).toBeUndefined();
    expect(receipts.received(Number.POSITIVE_INFINITY)).toBeUndefined();
    expect(receipts.unprovenBytes).toBe(10);
  });

  it('by frame take a pong for a sign of life and nothing more', () => {
    const receipts = new Receipts(true);
    receipts.written(1, 10, 0);
    receipts.pinged(payload(1), 5);
    expect(receipts.askedSince).toBe(5);
    expect(receipts.ponged(payload(1))).toBe(0);
    expect(receipts).toMatchObject({ unprovenBytes: 10, askedSince: undefined, isUnasked: false });
  });

  it('without that capability ignore the frame', () => {
    const receipts = new Receipts();
    receipts.written(1, 10, 0);
    expect(receipts.received(1)).toBeUndefined();
  });
});

describe('liveness', () => {
  function alive() {
    const clock = new RelayClock();
    const receipts = new Receipts();
    const seen = { pings: [] as Uint8Array[], idle: 0, unproven: [] as (readonly number[])[], paused: false };
    const liveness = new Liveness({
      clock,
      receipts,
      random: { bytes: (count) => new Uint8Array(count).fill(seen.pings.length + 1) },
      socket: { ping: (bytes) => seen.pings.push(bytes) },
      limits: { pingEveryMs: 30_000, idleMs: 120_000, pingSilenceMs: 30_000, proofMs: 10_000 },
      isPaused: () => seen.paused,
      onIdle: () => seen.idle++,
      onUnproven: (seqs) => seen.unproven.push(seqs),
    });
    liveness.start();
    return { clock, receipts, seen, liveness };
  }

  it('pings at once and every 30 s', () => {
    const { clock, seen, liveness } = alive();
    expect(seen.pings).toHaveLength(1);
    clock.advance(60_000);
    expect(seen.pings).toHaveLength(3);
    liveness.stop();
    clock.advance(60_000);
    expect(seen.pings).toHaveLength(3);
  });

  it('ends after 120 s without a message', () => {
    const { clock, seen, liveness } = alive();
    clock.advance(100_000);
    liveness.heard();
    clock.advance(119_999);
    expect(seen.idle).toBe(0);
    clock.advance(1);
    expect(seen.idle).toBe(1);
  });

  it('does not count bytes as a message', () => {
    const { clock, seen, liveness } = alive();
    clock.advance(119_000);
    liveness.bytesCame();
    clock.advance(1_000);
    expect(seen.idle).toBe(1);
  });

  it('ends 30 s after the last byte when it asked for a receipt', () => {
    const { clock, receipts, seen, liveness } = alive();
    receipts.written(1, 10, clock.elapsed());
    liveness.ping();
    clock.advance(20_000);
    liveness.bytesCame();
    clock.advance(29_999);
    expect(seen.idle).toBe(0);
    clock.advance(1);
    expect(seen.idle).toBe(1);
  });

  it('tells of a missing receipt after 10 s, once', () => {
    const { clock, receipts, seen, liveness } = alive();
    for (const seq of [1, 2]) receipts.written(seq, 10, clock.elapsed());
    liveness.ping();
    clock.advance(9_999);
    expect(seen.unproven).toEqual([]);
    clock.advance(15_000);
    expect(seen.unproven).toEqual([[1, 2]]);
  });

  it('exempts a connection that is not read, and counts anew when it is', () => {
    const { clock, receipts, seen, liveness } = alive();
    receipts.written(1, 10, clock.elapsed());
    liveness.ping();
    seen.paused = true;
    clock.advance(300_000);
    expect(seen).toMatchObject({ idle: 0, unproven: [] });
    seen.paused = false;
    liveness.resumed();
    clock.advance(10_000);
    expect(seen.unproven).toEqual([[1]]);
    clock.advance(20_000);
    expect(seen.idle).toBe(1);
  });
});

describe('held live messages', () => {
  const limits = { liveWaitMessages: 3, liveWaitMs: 2_000, maxBufferedBytes: 1024 };
  const [a, b] = [Uint8Array.of(1), Uint8Array.of(2)];
  const frame = (n: number) => Uint8Array.of(n);

  it('stay behind a held one of the same sender', async () => {
    const held = new HeldLives(new RelayClock(), limits);
    const results = [held.hold(a, frame(1), 9), held.hold(a, frame(2), 1), held.hold(b, frame(3), 1)];
    const written: number[] = [];
    held.release(
      ({ afterSeq }) => afterSeq <= 1,
      ([n]) => written.push(n as number) > 0,
    );
    expect(written).toEqual([3]);
    held.refuseAll();
    expect(await Promise.all(results.map(async (result) => result))).toEqual([false, false, true]);
  });

  it('are at most so many, each for so long', async () => {
    const clock = new RelayClock();
    const held = new HeldLives(clock, limits);
    const results = [1, 2, 3].map((n) => held.hold(a, frame(n), 1));
    expect(held.hold(b, frame(4), 1)).toBe(false);
    clock.advance(2_000);
    expect(await Promise.all(results.map(async (result) => result))).toEqual([false, false, false]);
    expect(held.hold(b, frame(4), 1)).toBeInstanceOf(Promise);
    held.refuseAll();
  });
});

describe('held live messages of any size', () => {
  it('may take as much as is buffered for a peer that does not read', async () => {
    const limits = { liveWaitMessages: 64, liveWaitMs: 2_000, maxBufferedBytes: 1024 };
    const held = new HeldLives(new RelayClock(), limits);
    const sender = Uint8Array.of(1);
    const first = held.hold(sender, new Uint8Array(1000), 1);
    expect(held.hold(sender, new Uint8Array(25), 1)).toBe(false);
    expect(held.hold(sender, new Uint8Array(24), 1)).toBeInstanceOf(Promise);
    held.refuseAll();
    expect(await first).toBe(false);
    expect(held.hold(sender, new Uint8Array(1024), 1)).toBeInstanceOf(Promise);
    held.refuseAll();
  });

  it('keep nothing of what they came in', () => {
    const held = new HeldLives(new RelayClock(), {
      liveWaitMessages: 1,
      liveWaitMs: 1,
      maxBufferedBytes: 99,
    });
    void held.hold(Uint8Array.of(1), new Uint8Array(65_536).subarray(7, 17), 1);
    const sizes: number[] = [];
    held.release(
      () => true,
      (frame) => sizes.push(frame.buffer.byteLength) > 0,
    );
    expect(sizes).toEqual([10]);
  });
});

describe('the read gate', () => {
  function open() {
    const clock = new RelayClock();
    const seen: string[] = [];
    const gate = new ReadGate({
      clock,
      socket: { pause: () => seen.push('pause'), resume: () => seen.push('resume') },
      size: { burst: 10, perSecond: 1 },
      excessMs: 60_000,
      onResume: () => undefined,
      onExcess: () => seen.push('excess'),
    });
    const send = (count: number) => {
      for (let i = 0; i < count; i++) gate.message();
    };
    return { clock, seen, gate, send };
  }

  it('pauses in debt until one more is allowed', () => {
    const { clock, seen, gate, send } = open();
    send(10);
    expect(seen).toEqual([]);
    send(3);
    expect(gate.paused).toBe(true);
    clock.advance(3_999);
    expect(seen).toEqual(['pause']);
    clock.advance(1);
    expect(seen).toEqual(['pause', 'resume']);
  });

  it('resumes only when no reason is left', () => {
    const { clock, seen, gate, send } = open();
    gate.pause(PAUSE.login);
    send(11);
    clock.advance(2_000);
    expect(seen).toEqual(['pause']);
    gate.resume(PAUSE.login);
    expect(seen).toEqual(['pause', 'resume']);
  });

  it('ends a connection after 60 s of steady excess', () => {
    const { clock, seen, send } = open();
    send(10);
    for (let second = 0; second < 61 && !seen.includes('excess'); second++) {
      send(2);
      clock.advance(1_000);
    }
    expect(seen).toContain('excess');
  });

  it('ends at once a connection that owes more than it can pay in 60 s', () => {
    const { seen, send } = open();
    send(10 + 58);
    expect(seen).toEqual(['pause']);
    send(1);
    expect(seen).toEqual(['pause', 'excess']);
  });

  it('forgives an excess that ends', () => {
    const { clock, seen, send } = open();
    for (let minute = 0; minute < 10; minute++) {
      send(20);
      clock.advance(60_000);
    }
    expect(seen).not.toContain('excess');
  });

  it('counts pings apart from messages', () => {
    const { seen, gate, send } = open();
    send(10);
    for (let i = 0; i < 20; i++) gate.control();
    expect(seen).toEqual([]);
    gate.control();
    expect(seen).toEqual(['pause']);
  });

  it('reads on once it is stopped, whatever comes', () => {
    const { seen, gate, send } = open();
    send(11);
    gate.stop();
    send(100);
    gate.pause(PAUSE.backlog);
    expect(seen).toEqual(['pause', 'resume']);
  });
});

import { decodeFrame, encodeFrame, type FrameOf } from '@countersign/protocol';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { RelayClock } from '../../../../test/support/relay/relay-clock.js';
import { parseConfig } from '../../config/index.js';
import { createTally, type QueuedMessage, type RelayStore } from '../../ports/index.js';
import type { PeerIdentity, RelayContext } from '../context.js';
import { Outbound } from './outbound.js';
import { Receipts } from './receipts.js';

const ME = new Uint8Array(32).fill(9);
const SENDERS = [1, 2].map((n) => new Uint8Array(32).fill(n));

/** One recipient's queue, read as slowly as the test wants. */
class Queue {
  readonly messages: QueuedMessage[] = [];
  readonly asked: { afterSeq: number; enqueuedNotBefore?: number }[] = [];
  #seq = 0;
  failing = false;
  /** Holds back reads until {@link answer}. */
  isSlow = false;
  #waiting: (() => void)[] = [];

  add(sender: Uint8Array, mark: number, bytes = 16): number {
    const seq = ++this.#seq;
    const nonce = new Uint8Array(12);
    const ciphertext = new Uint8Array(bytes).fill(mark);
    this.messages.push({ seq, sender, nonce, ciphertext, enqueuedAt: 0, expiresAt: 1e15 });
    return seq;
  }

  async takeUnproven(
    _namespace: Uint8Array,
    _recipient: Uint8Array,
    options: { afterSeq: number; maxBytes: number; enqueuedNotBefore?: number },
  ): Promise<QueuedMessage[]> {
    this.asked.push(options);
    if (this.isSlow) await new Promise<void>((go) => this.#waiting.push(go));
    if (this.failing) throw new Error('gone');
    const taken: QueuedMessage[] = [];
    let bytes = 0;
    for (const message of this.messages.filter(({ seq }) => seq > options.afterSeq)) {
      bytes += message.ciphertext.length;
      if (taken.length > 0 && bytes > options.maxBytes) break;
      taken.push(message);
    }
    return taken;
  }

  answer(): void {
    for (const go of this.#waiting.splice(0)) go();
  }
}

function scene({ old = false, role = 'client' as PeerIdentity['role'], limits = {} } = {}) {
  const clock = new RelayClock();
  const queue = new Queue();
  const receipts = new Receipts();
  const seen = { sent: [] as FrameOf<'message'>[], firstBatch: 0, tooSlow: 0, failures: 0, pings: 0 };
  const socket = {
    bufferedBytes: 0,
    send: (frame: Uint8Array) => seen.sent.push(decodeFrame(frame) as FrameOf<'message'>),
  };
  const context = {
    clock,
    settings: { ...parseConfig(limits), allowedAgents: [] },
    store: queue as unknown as RelayStore,
    tally: createTally(),
  } as unknown as RelayContext;
  const peer: PeerIdentity = { role, namespaceId: ME, key: ME, agent: ME, old, capabilities: [] };
  let pings = 0;
  const outbound = new Outbound({
    context,
    peer,
    socket: socket as never,
    receipts,
    ping: () => receipts.pinged(new Uint8Array(8).fill(++pings), clock.elapsed()),
    onFirstBatch: () => seen.firstBatch++,
    onTooSlow: () => seen.tooSlow++,
    onStoreFailure: () => seen.failures++,
  });
  const prove = () => {
    for (let n = pings; n > 0 && receipts.ponged(new Uint8Array(8).fill(n)) === undefined; n--);
    outbound.proceed();
  };
  return { clock, queue, receipts, seen, socket, outbound, prove };
}

function live(sender: Uint8Array, mark: number, bytes = 16): Uint8Array {
  const ciphertext = new Uint8Array(bytes).fill(mark);
  return encodeFrame({ type: 'message', ciphertext, nonce: new Uint8Array(12), peer: sender, live: true });
}

const marks = (frames: readonly FrameOf<'message'>[]) => frames.map(({ ciphertext }) => ciphertext[0]);

/** Lets promises that are settled have their say. */
async function calm(): Promise<void> {
  for (let i = 0; i < 20; i++) await Promise.resolve();
}

const [A, B] = SENDERS as [Uint8Array, Uint8Array];

describe('the drain', () => {
  it('writes the queue in order and tells of the first batch once it is written', async () => {
    const { queue, outbound, seen } = scene();
    for (const mark of [1, 2, 3]) queue.add(A, mark);
    outbound.open(true);
    expect(seen.firstBatch).toBe(0);
    await calm();
    expect(marks(seen.sent)).toEqual([1, 2, 3]);
    expect(seen.firstBatch).toBe(1);
  });

  it('reads once per wake when all of it fits', async () => {
    const { queue, outbound } = scene();
    outbound.open(true);
    await calm();
    queue.add(A, 1);
    outbound.wake();
    await calm();
    expect(queue.asked).toHaveLength(2);
  });

  it('misses nothing that is queued while it reads', async () => {
    const { queue, outbound, seen } = scene();
    queue.isSlow = true;
    outbound.open(true);
    queue.answer();
    queue.add(A, 1);
    outbound.wake();
    queue.isSlow = false;
    queue.answer();
    await calm();
    expect(marks(seen.sent)).toEqual([1]);
  });

  it('waits for proof at 256 KiB and goes on after it', async () => {
    const { queue, outbound, seen, prove } = scene();
    for (let mark = 1; mark <= 6; mark++) queue.add(A, mark, 60_000);
    outbound.open(true);
    await calm();
    expect(marks(seen.sent)).toEqual([1, 2, 3, 4]);
    prove();
    await calm();
    expect(marks(seen.sent)).toEqual([1, 2, 3, 4, 5, 6]);
  });

  it('asks only for what an old agent may still get', async () => {
    const { queue, outbound, clock } = scene({ old: true, role: 'agent' });
    outbound.open(true);
    await calm();
    expect(queue.asked[0]?.enqueuedNotBefore).toBe(clock.now() - 120_000);
  });

  it('tells of a store that fails', async () => {
    const { queue, outbound, seen } = scene();
    queue.failing = true;
    outbound.open(true);
    await calm();
    expect(seen.failures).toBe(1);
    expect(seen.firstBatch).toBe(0);
  });

  it('writes nothing after it was stopped', async () => {
    const { queue, outbound, seen } = scene();
    queue.isSlow = true;
    queue.add(A, 1);
    outbound.open(true);
    outbound.stop();
    queue.answer();
    await calm();
    expect(seen.sent).toEqual([]);
    expect(outbound.deliverLive(A, live(A, 2), 0)).toBe(false);
  });
});

describe('a live message', () => {
  it('is written at once when the connection is drained', async () => {
    const { outbound, seen } = scene();
    outbound.open(true);
    await calm();
    expect(outbound.deliverLive(A, live(A, 1), 0)).toBe(true);
    expect(marks(seen.sent)).toEqual([1]);
  });

  it('waits for the first drain, whoever sends it', async () => {
    const { queue, outbound, seen } = scene();
    queue.add(A, 1);
    const before = outbound.deliverLive(B, live(B, 2), 0);
    outbound.open(true);
    expect(seen.sent).toEqual([]);
    expect(await before).toBe(true);
    expect(marks(seen.sent)).toEqual([1, 2]);
  });

  it('waits behind queued messages of its sender, not of another one', async () => {
    const { queue, outbound, seen, prove } = scene();
    outbound.open(true);
    await calm();
    for (let mark = 1; mark <= 5; mark++) queue.add(A, mark, 60_000);
    outbound.wake();
    await calm();
    expect(outbound.deliverLive(B, live(B, 77), 0)).toBe(true);
    const waiting = outbound.deliverLive(A, live(A, 99), 5);
    expect(marks(seen.sent)).toEqual([1, 2, 3, 4, 77]);
    prove();
    expect(await waiting).toBe(true);
    expect(marks(seen.sent)).toEqual([1, 2, 3, 4, 77, 5, 99]);
  });

  it('goes before a queued one that its sender sent later', async () => {
    const { queue, outbound, seen, prove } = scene();
    outbound.open(true);
    await calm();
    for (let mark = 1; mark <= 5; mark++) queue.add(A, mark, 60_000);
    outbound.wake();
    await calm();
    const waiting = outbound.deliverLive(A, live(A, 99), 5);
    queue.add(A, 6, 60_000);
    outbound.wake();
    prove();
    await waiting;
    await calm();
    expect(marks(seen.sent)).toEqual([1, 2, 3, 4, 5, 99, 6]);
  });

  it('is refused when it waited for 2 s', async () => {
    const { clock, outbound, seen } = scene();
    const waiting = outbound.deliverLive(A, live(A, 1), 0);
    clock.advance(2_000);
    expect(await waiting).toBe(false);
    outbound.open(true);
    await calm();
    expect(seen.sent).toEqual([]);
  });

  it('is not live for a peer without capabilities', async () => {
    const { outbound, seen } = scene({ old: true });
    outbound.open(true);
    await calm();
    void outbound.deliverLive(A, live(A, 1), 0);
    expect(seen.sent[0]).toMatchObject({ live: false, peer: A });
  });
});

describe('a reader that is too slow', () => {
  it('gets no live message beyond 1 MiB, and is told on after 10 s', async () => {
    const { clock, socket, outbound, seen } = scene();
    outbound.open(true);
    await calm();
    socket.bufferedBytes = 1024 * 1024;
    expect(outbound.deliverLive(A, live(A, 1), 0)).toBe(false);
    clock.advance(9_999);
    expect(seen.tooSlow).toBe(0);
    clock.advance(1);
    expect(seen.tooSlow).toBe(1);
  });

  it('is forgiven once it has read half of it', async () => {
    const { clock, socket, outbound, seen } = scene();
    outbound.open(true);
    await calm();
    socket.bufferedBytes = 1024 * 1024;
    void outbound.deliverLive(A, live(A, 1), 0);
    socket.bufferedBytes = 512 * 1024;
    clock.advance(10_000);
    expect(seen.tooSlow).toBe(0);
  });

  it('gets its queue once there is room', async () => {
    const { queue, socket, outbound, seen } = scene();
    outbound.open(true);
    await calm();
    socket.bufferedBytes = 1024 * 1024;
    queue.add(A, 1);
    outbound.wake();
    await calm();
    expect(seen.sent).toEqual([]);
    socket.bufferedBytes = 0;
    outbound.proceed();
    await calm();
    expect(marks(seen.sent)).toEqual([1]);
  });
});

describe('whatever comes between', () => {
  const step = fc.record({
    sender: fc.constantFrom(0, 1),
    kind: fc.constantFrom('queue', 'live', 'prove', 'calm', 'slow', 'answer'),
    bytes: fc.constantFrom(16, 60_000),
  });

  it('each sender is heard in the order it spoke', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(step, { maxLength: 60 }), async (steps) => {
        const { queue, outbound, seen, prove } = scene({ limits: { liveWaitMessages: 1000 } });
        const spoken = new Map<number, number[]>([
          [0, []],
          [1, []],
        ]);
        const lastSeq = [0, 0];
        let mark = 0;
        outbound.open(true);
        for (const { sender, kind, bytes } of steps) {
          const from = SENDERS[sender] as Uint8Array;
          if (kind === 'queue' || kind === 'live') spoken.get(sender)?.push(++mark);
          if (kind === 'queue') {
            lastSeq[sender] = queue.add(from, mark, bytes);
            outbound.wake();
          }
          if (kind === 'live') void outbound.deliverLive(from, live(from, mark, bytes), lastSeq[sender] ?? 0);
          if (kind === 'prove') prove();
          if (kind === 'calm') await calm();
          if (kind === 'slow') queue.isSlow = true;
          if (kind === 'answer') queue.answer();
        }
        queue.isSlow = false;
        for (let i = 0; i < 60; i++) {
          queue.answer();
          prove();
          await calm();
        }
        for (const [sender, expected] of spoken) {
          const heard = seen.sent.filter(({ peer }) => peer[0] === sender + 1);
          expect(marks(heard)).toEqual(expected);
        }
      }),
      { numRuns: 150 },
    );
  });
});

import { EventEmitter } from 'node:events';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { DEFAULT_STORE_LIMITS } from '../../../ports/index.js';
import type { FromThread, Outcome, ToThread } from './messages.js';
import { pack, unpack } from './packed-bytes.js';
import {
  MAX_ANSWERS_PER_TURN,
  MAX_BATCH_BYTES,
  MAX_BATCH_REQUESTS,
  MAX_WAITING_BYTES,
  MAX_WAITING_REQUESTS,
  StoreThread,
} from './store-thread.js';

/** A thread that does nothing by itself: the test answers in its place. */
class FakeWorker extends EventEmitter {
  readonly posted: ToThread[] = [];
  readonly moved: ArrayBuffer[][] = [];
  postMessage(message: ToThread, transfer: ArrayBuffer[] = []): void {
    this.posted.push(message);
    this.moved.push(transfer);
  }
  say(message: FromThread): void {
    this.emit('message', message);
  }
  /** Answers the batch under way: each request with its first argument. */
  commit(): void {
    const batch = this.posted.at(-1);
    if (batch?.type !== 'batch') return;
    const args = batch.requests.map(
      (request) => unpack(request.args, batch.bytes, request.start) as unknown[],
    );
    this.answer(args.map(([first]): Outcome => ({ ok: true, value: first })));
  }
  answer(outcomes: readonly Outcome[]): void {
    const { shape, bytes } = pack(outcomes);
    this.say({ type: 'committed', outcomes: shape, bytes });
  }
  sizes(): number[] {
    return this.posted.map((message) => (message.type === 'batch' ? message.requests.length : -1));
  }
}

const made = vi.hoisted(() => ({ workers: [] as unknown[] }));
vi.mock('node:worker_threads', () => ({
  Worker: function Worker() {
    const worker = new FakeWorker();
    made.workers.push(worker);
    return worker;
  },
}));

const OPTIONS = { database: { file: 'relay.db' }, limits: DEFAULT_STORE_LIMITS };
const turn = () => new Promise<void>((resolve) => setImmediate(resolve));

describe("the store's thread", () => {
  let thread: StoreThread;
  let worker: FakeWorker;

  beforeEach(async () => {
    const opening = StoreThread.open(OPTIONS);
    worker = made.workers.at(-1) as FakeWorker;
    worker.say({ type: 'opened' });
    thread = await opening;
  });

  afterEach(() => worker.emit('exit', 0));

  const ask = (name: string) => thread.call('getSetting', name);
  const askBytes = (bytes: number) => thread.call('agentOf', new Uint8Array(bytes));
  const codeOf = (promise: Promise<unknown>) =>
    promise.then(
      () => 'resolved',
      (error: { code: string }) => error.code,
    );

  it('gets what is asked in one turn as one batch', async () => {
    const answers = Promise.all(['a', 'b', 'c'].map(ask));
    await turn();
    expect(worker.sizes()).toEqual([3]);
    worker.commit();
    expect(await answers).toEqual(['a', 'b', 'c']);
  });

  it('gets what is asked during a commit as one batch after it, and nothing before', async () => {
    const first = ask('a');
    await turn();
    const meanwhile = [ask('b'), ask('c')];
    await turn();
    expect(worker.sizes()).toEqual([1]);
    worker.commit();
    expect(await first).toBe('a');
    expect(worker.sizes()).toEqual([1, 2]);
    worker.commit();
    expect(await Promise.all(meanwhile)).toEqual(['b', 'c']);
  });

  it('gets no more requests in a batch than the limit', async () => {
    const answers = Array.from({ length: MAX_BATCH_REQUESTS + 1 }, (_, i) => ask(`${i}`));
    await turn();
    worker.commit();
    await turn();
    worker.commit();
    expect(worker.sizes()).toEqual([MAX_BATCH_REQUESTS, 1]);
    expect(await Promise.all(answers)).toHaveLength(MAX_BATCH_REQUESTS + 1);
  });

  it('gets no more bytes in a batch than the limit, but a larger request alone', async () => {
    const answers = [MAX_BATCH_BYTES / 2, MAX_BATCH_BYTES / 2, 1, MAX_BATCH_BYTES + 1, 1].map(askBytes);
    for (let i = 0; i < 4; i++) {
      await turn();
      worker.commit();
    }
    expect(worker.sizes()).toEqual([2, 1, 1, 1]);
    await Promise.all(answers);
  });

  it('refuses at once what waits beyond the limit of requests', async () => {
    const answers = [ask('under way')];
    await turn();
    for (let i = 0; i < MAX_WAITING_REQUESTS; i++) answers.push(ask(`${i}`));
    expect(await codeOf(ask('too many'))).toBe('unavailable');
    worker.commit();
    const later = ask('room again');
    later.catch(() => {});
    for (const answer of answers) answer.catch(() => {});
    expect(worker.sizes()).toEqual([1, MAX_BATCH_REQUESTS]);
  });

  it('refuses at once what waits beyond the limit of bytes', async () => {
    const answers = [ask('under way')];
    await turn();
    const waiting = [MAX_WAITING_BYTES - 10, 10].map(askBytes);
    for (const answer of [...answers, ...waiting]) answer.catch(() => {});
    expect(await codeOf(askBytes(1))).toBe('unavailable');
    worker.commit();
    await turn();
    expect(worker.sizes()).toEqual([1, 1]);
    const fits = askBytes(1);
    fits.catch(() => {});
    await turn();
    worker.commit();
    expect(worker.sizes()).toEqual([1, 1, 2]);
  });

  it('gets bytes of its own, moved and not cloned, and the caller keeps his', async () => {
    const pool = new Uint8Array(100_000).fill(1);
    const answer = thread.call('agentOf', pool.subarray(500, 60_500));
    pool.fill(2);
    await turn();
    const batch = worker.posted[0];
    const sent = batch?.type === 'batch' ? batch.bytes : new Uint8Array(0);
    expect([sent.length, sent.buffer.byteLength, sent[0]]).toEqual([60_000, 60_000, 1]);
    expect(worker.moved[0]).toEqual([sent.buffer]);
    expect(pool.length).toBe(100_000);
    worker.commit();
    await answer;
  });

  it('passes a failure on to the one who asked', async () => {
    const [good, bad] = [ask('a'), ask('b')];
    await turn();
    const failure = { code: 'unavailable', message: 'The store is full.', cause: 'SQLITE_FULL' } as const;
    worker.answer([
      { ok: true, value: 1 },
      { ok: false, failure },
    ]);
    expect(await good).toBe(1);
    await expect(bad).rejects.toMatchObject({ code: 'unavailable', details: { cause: 'SQLITE_FULL' } });
  });

  it('that dies answers everything asked, and everything later, with unavailable', async () => {
    const underWay = codeOf(ask('a'));
    await turn();
    const waiting = codeOf(ask('b'));
    worker.emit('error', new Error('out of memory'));
    worker.emit('exit', 1);
    expect(await Promise.all([underWay, waiting, codeOf(ask('c'))])).toEqual(Array(3).fill('unavailable'));
    await thread.close();
  });

  it('answers a large batch over several turns, in order, and what is left before it ends', async () => {
    const given: string[] = [];
    const names = Array.from({ length: 3 * MAX_ANSWERS_PER_TURN }, (_, i) => `${i}`);
    const all = names.map((name) => ask(name).then((answer) => given.push(answer as string)));
    await turn();
    worker.commit();
    await Promise.resolve();
    expect(given.length).toBeLessThanOrEqual(MAX_ANSWERS_PER_TURN);
    await turn();
    expect(given.length).toBeLessThan(names.length);
    worker.emit('exit', 1);
    await Promise.all(all);
    expect(given).toEqual(names);
  });

  it('that dies is told on once, and one that was closed is not', async () => {
    let failed = 0;
    const open = async () => {
      const opening = StoreThread.open(OPTIONS, undefined, () => failed++);
      const own = made.workers.at(-1) as FakeWorker;
      own.say({ type: 'opened' });
      return { own, opened: await opening };
    };
    const dying = await open();
    dying.own.emit('error', new Error('out of memory'));
    dying.own.emit('exit', 1);
    expect(failed).toBe(1);
    const closed = await open();
    const closing = closed.opened.close();
    closed.own.emit('exit', 0);
    await closing;
    expect(failed).toBe(1);
  });

  it('is closed after what was asked before', async () => {
    const before = ask('a');
    const closing = thread.close();
    worker.commit();
    expect(await before).toBe('a');
    expect(worker.sizes()).toEqual([1, -1]);
    worker.emit('exit', 0);
    await closing;
    expect(await codeOf(ask('b'))).toBe('unavailable');
  });

  it('that cannot start is unavailable, with the reason as cause', async () => {
    const opening = StoreThread.open(OPTIONS);
    const reason = new Error('no such module');
    (made.workers.at(-1) as FakeWorker).emit('error', reason);
    await expect(opening).rejects.toMatchObject({ code: 'unavailable', cause: reason });
  });
});

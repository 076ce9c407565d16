/** When answers are sent again (03 §5), by a clock of the test's own. */
import { beforeEach, describe, expect, it } from 'vitest';
import type { ClientRuntime } from '../client/runtime.js';
import { memoryStorage } from '../storage/memory/index.js';
import { Answers, type AnswersPorts } from './answers.js';
import { listAnswers, type SnapshotRecord, type StoredItem } from './inbox-records.js';

const item: StoredItem = {
  kind: 'approval',
  requestId: 'appr_1',
  entry: { request_id: 'appr_1' },
  digest: 'ab',
  digestMatches: true,
  readable: true,
  whole: true,
  summary: 's',
  createdAt: 0,
  expiresAt: 1_000_000,
  risk: 'normal',
  choices: [],
};
const answer = { item, payload: { id: 'answer-1', ts: 5 }, fitsQueue: true, snapshotCounter: 7 };

/** Time that passes only when told, and timers that run then. */
class Hands implements ClientRuntime {
  at = 1000;
  readonly #timers = new Set<{ due: number; callback: () => void }>();
  now = () => this.at;
  randomBytes = (length: number) => new Uint8Array(length);
  fetch = () => Promise.reject(new Error('nothing is asked over HTTP here'));
  setTimer = (callback: () => void, ms: number) => {
    const timer = { due: this.at + ms, callback };
    this.#timers.add(timer);
    return { cancel: () => void this.#timers.delete(timer) };
  };
  async pass(ms: number): Promise<void> {
    await settle();
    const end = this.at + ms;
    for (;;) {
      const next = [...this.#timers].filter(({ due }) => due <= end).toSorted((a, b) => a.due - b.due)[0];
      if (next === undefined) break;
      this.#timers.delete(next);
      this.at = Math.max(this.at, next.due);
      next.callback();
      await settle();
    }
    this.at = end;
  }
}

/** Everything that can go on without time has gone on. */
async function settle(): Promise<void> {
  for (let turn = 0; turn < 20; turn += 1) await new Promise((resolve) => setImmediate(resolve));
}

let hands: Hands;
let queued: object[];
let live: object[];
let rows: Set<number>;
let liveResult: 'written' | 'offline';
let acks: boolean;
let ports: AnswersPorts;
let answers: Answers;

beforeEach(() => {
  hands = new Hands();
  queued = [];
  live = [];
  rows = new Set();
  liveResult = 'written';
  acks = true;
  ports = {
    storage: memoryStorage(),
    pairingId: 'p',
    channel: { id: 'c', peer: 'agent' } as AnswersPorts['channel'],
    store: { hasOutboxRow: async (id) => rows.has(id) },
    runtime: hands,
    link: () => ({
      queue: async (_channel, payload) => {
        queued.push(payload);
        return queued.length;
      },
      sendLive: async (_channel, payload) => {
        if (liveResult === 'written') live.push(payload);
        return liveResult;
      },
      flushed: async () => undefined,
    }),
    agentNow: () => hands.at,
    agentAcks: () => acks,
    changed: async () => undefined,
  };
  answers = new Answers(ports);
});

const stored = () => ports.storage.transaction((tx) => listAnswers(tx, 'p'));
const ack = async (members: object) => {
  const effect = await ports.storage.transaction((tx) =>
    answers.applyAck(tx, { ref_id: 'answer-1', request_id: 'appr_1', status: 'applied', ...members }),
  );
  if (effect !== undefined) answers.acked('answer-1', effect);
  return effect;
};
const snapshot = (items: StoredItem[]): SnapshotRecord => ({
  counter: 8,
  receivedAt: 0,
  badge: 0,
  items,
  bypasses: [],
});

describe('an answer nobody acks', () => {
  it('is sent again after 10 s and after 60 s more, under its id, then waits for a login', async () => {
    const sent = await answers.sendDurably(answer);
    await hands.pass(9_999);
    expect(queued).toHaveLength(1);
    expect(sent.state).toEqual({ phase: 'sent' });
    await hands.pass(1);
    expect(queued).toHaveLength(2);
    expect(sent.state).toEqual({ phase: 'not_confirmed' });
    await hands.pass(60_000);
    expect(queued).toHaveLength(3);
    await hands.pass(900_000);
    expect(queued).toEqual([answer.payload, answer.payload, answer.payload]);
    await answers.resendAll();
    expect(queued).toHaveLength(4);
    await hands.pass(0);
    await answers.resendAll();
    expect(queued).toHaveLength(5);
  });

  it('is not sealed anew while its sealed copy still waits for the relay', async () => {
    await answers.sendDurably(answer);
    await settle();
    answers.close();
    const restarted = new Answers(ports);
    rows.add(1);
    await restarted.resendAll();
    expect(queued).toHaveLength(1);
  });

  it('never counts as sent when the relay refuses it for good, and is sealed anew after 10 s', async () => {
    let left = () => {};
    const link = { ...ports.link(), flushed: () => new Promise<void>((resolve) => (left = resolve)) };
    answers = new Answers({ ...ports, link: () => link });
    const sent = await answers.sendDurably(answer);
    await answers.givenUp(99);
    expect(sent.state).toEqual({ phase: 'sending' });
    await answers.givenUp(1);
    left();
    await settle();
    expect(sent.state).toEqual({ phase: 'not_confirmed' });
    await hands.pass(10_000);
    expect(queued).toEqual([answer.payload, answer.payload]);
  });

  it('is sent when a crash came between storing and sealing it', async () => {
    const crashing = new Answers({
      ...ports,
      link: () => ({ ...ports.link(), queue: () => new Promise(() => undefined) }),
    });
    void crashing.sendDurably(answer);
    await settle();
    expect(await stored()).toMatchObject([{ state: { phase: 'sending' }, sends: 0 }]);
    await answers.resendAll();
    expect(queued).toEqual([answer.payload]);
  });

  it('is not kept when the outbox refuses it', async () => {
    const full = new Answers({
      ...ports,
      link: () => ({ ...ports.link(), queue: () => Promise.reject(new Error('full')) }),
    });
    await expect(full.sendDurably(answer)).rejects.toThrow('full');
    expect(await stored()).toEqual([]);
  });

  it('is sent no more once its item has expired by the agent', async () => {
    await answers.sendDurably(answer);
    await settle();
    hands.at = item.expiresAt;
    await answers.resendAll();
    await hands.pass(100_000);
    expect(queued).toHaveLength(1);
  });

  it('is sent no more once a snapshot lacks its item, and still takes a late ack', async () => {
    const sent = await answers.sendDurably(answer);
    await settle();
    await ports.storage.transaction((tx) => answers.applySnapshot(tx, snapshot([])));
    await answers.snapshotApplied(snapshot([]));
    await hands.pass(100_000);
    await answers.resendAll();
    expect(queued).toHaveLength(1);
    await ack({ outcome: 'approved' });
    expect(sent.state).toEqual({ phase: 'confirmed', status: 'applied', outcome: 'approved' });
  });
});

describe('an ack', () => {
  it('ends the repetition, drops the payload, and settles who waits', async () => {
    const sent = await answers.sendDurably(answer);
    await settle();
    const settled = sent.settled({ timeoutMs: 60_000 });
    await ack({});
    expect(await settled).toEqual({ phase: 'confirmed', status: 'applied' });
    await hands.pass(1_000_000);
    expect(queued).toHaveLength(1);
    expect((await stored())[0]).not.toHaveProperty('payload.id');
  });

  it('for another item than the answer was for is ignored', async () => {
    await answers.sendDurably(answer);
    expect(await ack({ request_id: 'appr_other' })).toBeUndefined();
    expect(await ack({ ref_id: 'other' })).toBeUndefined();
  });

  it('that does not come in time leaves "not confirmed"', async () => {
    const sent = await answers.sendDurably(answer);
    const settled = sent.settled();
    await hands.pass(10_000);
    expect(await settled).toEqual({ phase: 'not_confirmed' });
  });
});

describe('an answer too long for the queue', () => {
  it('waits for the agent, goes live, and counts as sent on its ack only', async () => {
    liveResult = 'offline';
    const sent = await answers.sendDurably({ ...answer, fitsQueue: false });
    expect(live).toEqual([]);
    liveResult = 'written';
    await answers.resendAll();
    expect(live).toHaveLength(1);
    expect(sent.state).toEqual({ phase: 'sending' });
    await hands.pass(10_000);
    expect(live).toHaveLength(2);
    await ack({});
    expect(sent.state.phase).toBe('confirmed');
  });
});

describe('an answer sent once', () => {
  it('is forgotten when the relay says that the agent was away', async () => {
    acks = false;
    const sent = await answers.sendOnce(answer, true);
    answers.agentOffline();
    await settle();
    expect(sent.state).toMatchObject({ phase: 'refused', status: 'offline' });
    expect(await stored()).toMatchObject([{ snapshotCounter: -1 }]);
  });

  it('keeps nothing in storage when it is secret', async () => {
    const sent = await answers.sendOnce(answer, false);
    expect(await stored()).toEqual([]);
    expect(answers.volatile).toMatchObject([{ id: 'answer-1', payload: undefined }]);
    answers.agentOffline();
    expect(sent.state).toMatchObject({ phase: 'refused', status: 'offline' });
    await ack({});
    expect(sent.state).toMatchObject({ phase: 'confirmed' });
    await answers.snapshotApplied(snapshot([]));
    expect(answers.volatile).toEqual([]);
  });
});

/**
 * 01 §5 at every gap: while the store has not answered yet, connections come, go and are displaced. Nothing accepted
 * is lost, nothing confirmed comes twice, each connection sees each sender's messages in order.
 */
import { PRESENCE } from '@countersign/protocol';
import { cryptoReady } from '@countersign/protocol/auth';
import fc from 'fast-check';
import { afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { calm, type FakePeer, type HeldScene, heldScene, numbered, numberOf } from './held-scene.fixtures.js';

beforeAll(() => cryptoReady);

let scene: HeldScene;
beforeEach(async () => {
  scene = await heldScene();
  await scene.pair();
});
afterEach(() => scene.close());

const numbers = (peer: FakePeer) => peer.all('message').map(numberOf);
const refs = (peer: FakePeer) => peer.all('accepted').map(({ ref }) => ref);
/** What a device's login asks of the store. */
const LOGIN_STEPS = ['agentOf', 'authorizedDevices', 'touchDevice'] as const;

const isIn = (peer: FakePeer) => peer.all('auth_ok').length === 1;
const confirmAll = (peer: FakePeer) => {
  const seq = peer.all('message').findLast((message) => !message.live)?.seq;
  if (seq !== undefined) peer.hear({ type: 'received', seq });
};

describe('accepted', () => {
  it('waits for the commit', async () => {
    const agent = await scene.agent();
    scene.held.isHolding = true;
    agent.hear(numbered(scene.deviceKey, 1));
    await calm();
    while (scene.held.count > 1) await scene.held.give('authorizedDevices');
    expect(refs(agent)).toEqual([]);
    await scene.held.giveAll();
    expect(refs(agent)).toEqual([1n]);
  });

  it('goes to the connection its sender has by then', async () => {
    const older = await scene.agent();
    older.hear(numbered(scene.deviceKey, 1));
    await calm();
    scene.held.isHolding = true;
    older.hear(numbered(scene.deviceKey, 2));
    await calm();
    scene.held.isHolding = false;
    const newer = await scene.agent();
    expect(older.closed).toBe(4001);
    await scene.held.giveAll();
    expect([refs(older), refs(newer)]).toEqual([[1n], [2n]]);
  });

  it('follows the auth_ok of a connection that was still logging in', async () => {
    const older = await scene.agent();
    older.hear(numbered(scene.deviceKey, 1));
    await calm();
    scene.held.isHolding = true;
    older.hear(numbered(scene.deviceKey, 2));
    await calm();
    const newer = await scene.agent();
    await scene.held.give('touchNamespace');
    expect([older.closed, isIn(newer)]).toEqual([4001, false]);
    await scene.held.give('enqueueWithinLimits');
    expect(newer.frames.map(({ type }) => type)).toEqual(['challenge']);
    await scene.held.giveAll();
    expect(newer.frames.map(({ type }) => type)).toEqual(['challenge', 'auth_ok', 'accepted']);
  });

  it('is said to nobody when the sender is gone, and again to one that sends again', async () => {
    const agent = await scene.agent();
    scene.held.isHolding = true;
    agent.hear(numbered(scene.deviceKey, 1));
    await calm();
    agent.drop();
    await scene.held.giveAll();
    const again = await scene.agent();
    expect(refs(again)).toEqual([]);
    again.hear(numbered(scene.deviceKey, 1));
    await calm();
    expect(refs(again)).toEqual([1n]);
    expect(numbers(await scene.device())).toEqual([1]);
  });
});

describe('the end of a drain', () => {
  it('strands nothing that was queued after its last read took effect', async () => {
    const agent = await scene.agent();
    const before = await scene.device();
    agent.hear(numbered(scene.deviceKey, 1));
    await calm();
    before.drop();
    scene.held.isHolding = true;
    const device = await scene.device();
    await scene.held.give('touchDevice');
    confirmAll(device);
    // Its first read found one; the answer is on its way.
    agent.hear(numbered(scene.deviceKey, 2));
    await calm();
    await scene.held.give('enqueueWithinLimits');
    expect(refs(agent)).toEqual([1n, 2n]);
    await scene.held.give('takeUnproven');
    expect(numbers(device)).toEqual([1]);
    await scene.held.give('takeUnproven');
    expect(numbers(device)).toEqual([1, 2]);
  });

  it('strands nothing that was queued after its login found nothing', async () => {
    const agent = await scene.agent();
    scene.held.isHolding = true;
    const device = await scene.device();
    // The store has looked for something queued; the answer is on its way.
    agent.hear(numbered(scene.deviceKey, 1));
    await calm();
    await scene.held.give('enqueueWithinLimits');
    expect(refs(agent)).toEqual([1n]);
    await scene.held.give('touchDevice');
    await scene.held.give('takeUnproven');
    expect(numbers(device)).toEqual([1]);
  });

  it('writes a live message behind the queued one it was sent after', async () => {
    const agent = await scene.agent();
    const device = await scene.device();
    scene.held.isHolding = true;
    agent.hear(numbered(scene.deviceKey, 1));
    agent.hear(numbered(scene.deviceKey, 2, true));
    await calm();
    expect(numbers(device)).toEqual([]);
    while (scene.held.count > 0) await scene.held.give(scene.held.count - 1);
    expect(numbers(device)).toEqual([1, 2]);
  });
});

describe('a live message of a later connection', () => {
  it('waits for what the earlier one had queued, also when nobody was woken for that yet', async () => {
    const older = await scene.agent();
    const device = await scene.device();
    older.hear(numbered(scene.deviceKey, 1));
    await calm();
    scene.held.isHolding = true;
    older.hear(numbered(scene.deviceKey, 2));
    await calm();
    scene.held.isHolding = false;
    const newer = await scene.agent();
    newer.hear(numbered(scene.deviceKey, 3, true));
    await calm();
    expect(numbers(device)).toEqual([1, 2, 3]);
    await scene.held.giveAll();
    expect(numbers(device)).toEqual([1, 2, 3]);
  });
});

describe('a displaced connection', () => {
  it('takes nothing with it that it was about to be sent', async () => {
    const agent = await scene.agent();
    const older = await scene.device();
    scene.held.isHolding = true;
    agent.hear(numbered(scene.deviceKey, 1));
    await calm();
    await scene.held.give('authorizedDevices').catch(() => undefined);
    await scene.held.give('enqueueWithinLimits');
    scene.held.isHolding = false;
    const newer = await scene.device();
    await scene.held.giveAll();
    expect([numbers(older), numbers(newer)]).toEqual([[], [1]]);
  });

  it('confirms nothing any more, and is told on only by the one that took its place', async () => {
    const agent = await scene.agent();
    agent.hear(numbered(scene.deviceKey, 1));
    await calm();
    const older = await scene.device();
    const newer = await scene.device();
    confirmAll(older);
    await calm();
    expect(scene.unproven).toEqual([]);
    expect(numbers(newer)).toEqual([1]);
    scene.clock.advance(10_000);
    expect(scene.unproven).toEqual([[expect.any(Number)]]);
    newer.drop();
    expect(scene.unproven).toHaveLength(1);
  });

  it('leaves its peer online', async () => {
    const agent = await scene.agent();
    const older = await scene.device();
    scene.held.isHolding = true;
    const newer = await scene.device();
    await scene.held.give('touchDevice');
    older.drop();
    await scene.held.giveAll();
    expect([isIn(newer), older.closed]).toEqual([true, 4001]);
    expect(agent.all('presence_event').map(({ status }) => status)).toEqual([
      PRESENCE.online,
      PRESENCE.online,
    ]);
  });

  it('is not executed any more', async () => {
    const older = await scene.agent();
    const device = await scene.device();
    scene.held.isHolding = true;
    older.hear(numbered(scene.deviceKey, 1));
    older.hear({ type: 'authorize', clients: [] });
    await calm();
    scene.held.isHolding = false;
    await scene.agent();
    await scene.held.giveAll();
    expect(device.closed).toBeUndefined();
    expect(await scene.store.authorizedDevices(scene.namespaceId)).toHaveLength(1);
  });
});

describe('a connection that ends with messages unproved', () => {
  it('is told on at once, and not for what it had confirmed', async () => {
    const agent = await scene.agent();
    const device = await scene.device();
    agent.hear(numbered(scene.deviceKey, 1));
    await calm();
    confirmAll(device);
    for (const number of [2, 3]) agent.hear(numbered(scene.deviceKey, number));
    await calm();
    const [, two, three] = device.all('message').map(({ seq }) => Number(seq));
    device.drop();
    expect(scene.unproven).toEqual([[two, three]]);
  });
});

describe('a device revoked while it logs in', () => {
  it.each(LOGIN_STEPS)('at %s never gets in, or is closed', async (step) => {
    const agent = await scene.agent();
    // Whom it may write to is not known any more.
    agent.hear({ type: 'authorize', clients: [scene.deviceKey] });
    await calm();
    scene.held.isHolding = true;
    const device = await scene.device();
    for (const each of LOGIN_STEPS) {
      if (each === step) break;
      await scene.held.give(each);
    }
    scene.held.isHolding = false;
    agent.hear({ type: 'authorize', clients: [] });
    await calm();
    expect(agent.all('authorize_ok').at(-1)).toEqual({ type: 'authorize_ok', authorized: 0 });
    await scene.held.giveAll();
    expect([1008, 4002]).toContain(device.closed);
    expect(await scene.bus.isOnline(scene.namespaceId, scene.deviceKey)).toBe(false);
  });
});

type Step = 'queue' | 'live' | 'device' | 'drop device' | 'confirm' | 'agent' | 'answer' | 'tick';

/** What happened, as the peers saw it. */
class History {
  readonly connections: FakePeer[] = [];
  readonly agents: FakePeer[] = [];
  /** Live messages by number, with the connection they were sent on. */
  readonly lives = new Map<number, FakePeer>();
  /** Queued messages by number, with the connection that confirmed them. */
  readonly confirmed = new Map<number, FakePeer>();
  next = 1;
}

async function take(step: Step, pick: number, history: History): Promise<void> {
  const device = history.connections.at(-1);
  const agent = history.agents.at(-1) as FakePeer;
  switch (step) {
    case 'queue':
    case 'live': {
      const number = history.next++;
      if (step === 'live') history.lives.set(number, agent);
      agent.hear(numbered(scene.deviceKey, number, step === 'live'));
      return calm();
    }
    case 'device':
      history.connections.push(await scene.device());
      return;
    case 'agent':
      // In at once: of two logins under way nobody could say which will be the later one.
      scene.held.isHolding = false;
      history.agents.push(await scene.agent());
      scene.held.isHolding = true;
      return;
    case 'drop device':
      device?.drop();
      return calm();
    case 'confirm': {
      if (device === undefined || device.closed !== undefined) return;
      for (const message of device.all('message')) {
        if (!message.live) history.confirmed.set(numberOf(message), device);
      }
      confirmAll(device);
      return calm();
    }
    case 'tick':
      scene.clock.advance(700);
      return calm();
    default:
      if (scene.held.count > 0) await scene.held.give(pick % scene.held.count);
  }
}

describe('any order of events and answers', () => {
  const step = fc.record({
    step: fc.constantFrom<Step>(
      'queue',
      'queue',
      'live',
      'device',
      'drop device',
      'confirm',
      'agent',
      'answer',
      'answer',
      'answer',
      'answer',
      'tick',
    ),
    pick: fc.nat(20),
  });

  it('keeps the order, loses nothing accepted, repeats nothing confirmed, answers each live message once', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(step, { minLength: 10, maxLength: 40 }), async (steps) => {
        await scene.close();
        scene = await heldScene();
        await scene.pair();
        const history = new History();
        history.agents.push(await scene.agent());
        scene.held.isHolding = true;
        for (const { step: each, pick } of steps) await take(each, pick, history);
        await scene.held.giveAll();
        scene.clock.advance(3_000);
        await calm();
        const last = await scene.device();
        history.connections.push(last);
        confirmAll(last);
        await calm();

        const accepted = history.agents.flatMap(refs).map(Number);
        const delivered = new Set(history.connections.flatMap(numbers));
        expect(accepted.filter((number) => !delivered.has(number))).toEqual([]);
        for (const each of history.connections) {
          const seen = numbers(each);
          expect(seen).toEqual([...new Set(seen)].sort((a, b) => a - b));
        }
        for (const [number, by] of history.confirmed) {
          const later = history.connections.slice(history.connections.indexOf(by) + 1);
          expect(later.map((each) => numbers(each).includes(number))).not.toContain(true);
        }
        const offline = history.agents.flatMap((each) =>
          each.all('peer_offline').map(({ ref }) => Number(ref)),
        );
        for (const [number, by] of history.lives) {
          const answers = offline.filter((each) => each === number).length;
          const arrivals = history.connections.filter((each) => numbers(each).includes(number)).length;
          if (by.closed === undefined) expect([number, answers + arrivals]).toEqual([number, 1]);
          else expect(answers + arrivals).toBeLessThanOrEqual(1);
        }
        const seen = history.agents.at(-1)?.all('presence_event').at(-1);
        expect(seen?.status).toBe(PRESENCE.online);
      }),
      { numRuns: 60 },
    );
  });
});

/** The push worker's rules of time: when what is sent, tried again, put off, given up. */
import type { PushOutcome } from '@countersign/server/ports';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { STUB_MAX_IN_FLIGHT } from '../../support/push/stub-notifier.js';
import { calm, LIFE_MS, WorkerScene } from '../../support/push/worker-scene.js';

const SECOND = 1_000;
const MINUTE = 60 * SECOND;
const DAY = 24 * 60 * MINUTE;

let push: WorkerScene;
beforeEach(async () => {
  push = await WorkerScene.open();
});
afterEach(() => push.worker.stop());

const answer = (outcome: PushOutcome, times = 1) => {
  for (let i = 0; i < times; i++) push.stub.answers.push(() => outcome);
};
const retry = (reason = 'busy', afterMs?: number): PushOutcome => ({ outcome: 'retry', reason, afterMs });
const config: PushOutcome = { outcome: 'config', reason: 'bad_key' };

/** Holds the coming sends until released. */
function hold(times = 1): () => void {
  let release = (): void => undefined;
  const held = new Promise<PushOutcome>((resolve) => {
    release = () => resolve({ outcome: 'accepted' });
  });
  for (let i = 0; i < times; i++) push.stub.answers.push(() => held);
  return release;
}

describe('a push', () => {
  it('is sent when it is due, and not before', async () => {
    const device = await push.device();
    await push.put(device, { dueAt: push.clock.now() + 10 * SECOND });
    await push.advance(10 * SECOND - 1);
    expect(push.stub.reached.count).toBe(0);
    await push.advance(1);
    expect(push.stub.accepted.count).toBe(1);
  });

  it('carries what is left of its life when it is sent, and one name for all its tries', async () => {
    const device = await push.device();
    answer(retry('busy', 20 * SECOND));
    await push.put(device, {}, 1);
    await push.advance(MINUTE);
    const [first, second] = push.stub.reached.items;
    expect([first?.ttlMs, second?.ttlMs]).toEqual([LIFE_MS, LIFE_MS - MINUTE]);
    expect(first?.collapse).toEqual(second?.collapse);
    expect(first?.collapse).toHaveLength(24);
  });

  it('has a name that differs by device, by item, and by the relay that sends it', async () => {
    const [a, b] = [await push.device(), await push.device()];
    for (const [device, item] of [
      [a, 1],
      [a, 2],
      [b, 1],
      [a, undefined],
      [a, undefined],
    ] as const)
      await push.put(device, {}, item);
    const names = push.stub.reached.items.map(({ collapse }) => Buffer.from(collapse).toString('hex'));
    expect(new Set(names).size).toBe(5);
  });

  it('whose life is over is not sent any more, and says what held it up', async () => {
    const device = await push.device();
    answer(config, 100);
    const ref = await push.put(device, { expiresAt: push.clock.now() + 3 * SECOND });
    await push.advance(3 * SECOND);
    expect(push.stub.reached.count).toBe(1);
    expect(await push.reports()).toEqual([`${ref} expired bad_key`]);
  });

  it('that would only be tried again after its life is over is over at once', async () => {
    const device = await push.device();
    answer(retry('busy', LIFE_MS));
    const ref = await push.put(device);
    expect(await push.reports()).toEqual([`${ref} expired busy`]);
  });

  it('waits at least as long as its provider asks', async () => {
    const device = await push.device();
    answer(retry('busy', 90 * SECOND));
    await push.put(device);
    await push.advance(90 * SECOND - 1);
    expect(push.stub.reached.count).toBe(1);
    await push.advance(6 * MINUTE);
    expect(push.stub.accepted.count).toBe(1);
  });

  it('is tried again sooner or later without end, at most five minutes apart', async () => {
    const device = await push.device();
    answer(retry('TooManyRequests'), 20);
    await push.put(device, { expiresAt: push.clock.now() + 10 * LIFE_MS });
    for (let i = 0; i < 20; i++) await push.advance(5 * MINUTE);
    expect(push.stub.accepted.count).toBe(1);
  });

  it('that may have gone out three times has failed', async () => {
    const device = await push.device();
    answer({ outcome: 'unknown', reason: 'timeout' }, 3);
    const ref = await push.put(device);
    for (let i = 0; i < 3; i++) await push.advance(MINUTE);
    expect(push.stub.reached.count).toBe(3);
    expect(await push.reports()).toEqual([`${ref} failed timeout`]);
  });

  it('over the limit is sent as a wake, once', async () => {
    const device = await push.device();
    answer({ outcome: 'too_large' }, 2);
    const ref = await push.put(device);
    expect(push.stub.reached.items.map(({ content }) => content.kind)).toEqual(['content', 'wake']);
    expect(await push.reports()).toEqual([`${ref} refused too_large`]);
  });

  it('with more content than any provider takes is a wake from the start', async () => {
    const device = await push.device();
    for (const size of [2_625, 2_626]) await push.put(device, {}, undefined, size);
    expect(push.stub.reached.items.map(({ content }) => content.kind)).toEqual(['content', 'wake']);
    expect(await push.reports()).toEqual(['1 accepted content', '2 accepted wake']);
  });

  it('that its provider cannot read is refused, and the next one of the device goes', async () => {
    const device = await push.device();
    answer({ outcome: 'bad_request', reason: 'BadTopic' });
    await push.put(device);
    await push.put(device);
    expect(await push.reports()).toEqual(['1 refused BadTopic', '2 accepted content']);
  });

  it('is named by its registration on a device that asked for that', async () => {
    const handle = new Uint8Array(16).fill(3);
    await push.put(await push.device({ newHandle: handle }));
    await push.put(await push.device());
    expect(push.stub.reached.items.map(({ address }) => address)).toEqual([
      { handle },
      { namespaceId: push.scene.id, sender: push.scene.agent },
    ]);
  });
});

describe('one device', () => {
  it('has one push in flight, others go on', async () => {
    const [device, other] = [await push.device(), await push.device()];
    const release = hold();
    for (let i = 0; i < 3; i++) await push.put(device);
    await push.put(other);
    expect(push.stub.reached.count).toBe(2);
    release();
    await calm();
    expect(push.stub.reached.count).toBe(4);
  });

  it('gets ten alerts a minute; later ones wait and none is lost, quiet ones never wait', async () => {
    const device = await push.device();
    for (let i = 0; i < 13; i++) await push.put(device);
    expect(push.stub.accepted.count).toBe(10);
    await push.put(device, { intent: 'replace' });
    expect(push.stub.accepted.items.at(-1)?.intent).toBe('replace');
    await push.advance(MINUTE);
    expect(push.stub.accepted.count).toBe(14);
  });

  it('that proved receipt while its push was tried is left in peace', async () => {
    const device = await push.device();
    answer(retry('busy', 5 * SECOND));
    await push.put(device);
    await push.store.ackThrough(push.scene.id, device, 99, push.clock.now());
    await push.advance(10 * MINUTE);
    expect(push.stub.reached.count).toBe(1);
    expect(await push.reports()).toEqual(['1 superseded received']);
  });
});

describe('a device that cannot be reached', () => {
  it.each([
    ['never brought a token', { deviceToken: '' }, 'never_registered'],
    ['brought one of no use', { deviceToken: '', tokenProblem: 'malformed' }, 'malformed'],
    ['belongs to a provider that is not configured', { provider: 'apns' }, 'no_provider'],
    ['belongs to an app that is not configured any more', { app: 'gone' }, 'unknown_app'],
  ])('because it %s is reported as such', async (_, over, detail) => {
    const ref = await push.put(await push.device(over));
    expect(push.stub.reached.count).toBe(0);
    expect(await push.reports()).toEqual([`${ref} no_token ${detail}`]);
  });

  it('is a browser that was not opened for sixty days: its subscription goes', async () => {
    const [web, phone] = [await push.device({ platform: 3 }), await push.device({ platform: 2 })];
    await push.advance(60 * DAY + 1);
    for (const device of [web, phone]) await push.put(device);
    expect(await push.reports()).toEqual(['1 no_token stale', '2 accepted content']);
    expect(push.removed).toEqual(['stale']);
  });
});

describe('a provider', () => {
  it('has no more in flight than it takes, and every push goes in the end', async () => {
    const release = hold(STUB_MAX_IN_FLIGHT);
    for (let i = 0; i < 3 * STUB_MAX_IN_FLIGHT; i++) await push.put(await push.device({}, i % 10));
    expect(push.stub.reached.count).toBe(STUB_MAX_IN_FLIGHT);
    expect(push.worker.load('webpush')).toEqual({ inFlight: STUB_MAX_IN_FLIGHT, paused: 0 });
    release();
    await calm();
    await push.advance(MINUTE);
    expect(push.stub.accepted.count).toBe(3 * STUB_MAX_IN_FLIGHT);
  });

  it('that refuses our credential is asked once in 5, 10, 20, 40, 60, 60 seconds, and the rows wait', async () => {
    answer(config, 7);
    for (let i = 0; i < 3; i++) await push.put(await push.device());
    expect(push.stub.reached.count).toBe(1);
    expect(push.named('push_paused')).toEqual([
      { event: 'push_paused', provider: 'webpush', reason: 'bad_key' },
    ]);
    const asked: number[] = [];
    for (let second = 1; second <= 200; second++) {
      const before = push.stub.reached.count;
      await push.advance(SECOND);
      if (push.stub.reached.count > before) asked.push(second);
    }
    const gaps = asked.map((second, at) => second - (asked[at - 1] ?? 0));
    for (const [at, least] of [5, 10, 20, 40, 60].entries()) expect(gaps[at]).toBeGreaterThanOrEqual(least);
    expect(gaps.length).toBeLessThanOrEqual(5);
    for (let i = 0; i < 10; i++) await push.advance(MINUTE);
    expect(push.stub.accepted.count).toBe(3);
    expect(push.named('push_resumed')).toHaveLength(1);
    expect(push.worker.load('webpush')).toEqual({ inFlight: 0, paused: 0 });
  });

  it('that names a time is not asked before, for anybody', async () => {
    answer({ ...config, afterMs: 20 * MINUTE });
    for (let i = 0; i < 3; i++) await push.put(await push.device());
    await push.advance(20 * MINUTE - 1);
    expect(push.stub.reached.count).toBe(1);
    for (let i = 0; i < 3; i++) await push.advance(MINUTE);
    expect(push.stub.accepted.count).toBe(3);
  });

  it('that fails five times in a row is left alone, four times not', async () => {
    answer(retry(), 4);
    for (let i = 0; i < 5; i++) await push.put(await push.device({}, 1));
    expect(push.stub.accepted.count).toBe(1);
    answer(retry(), 5);
    for (let i = 0; i < 7; i++) await push.put(await push.device({}, 2));
    expect(push.stub.reached.count).toBe(5 + 5);
    expect(push.named('push_paused')).toHaveLength(1);
  });

  it('that fails for one origin is asked for the others', async () => {
    answer(config);
    await push.put(await push.device({}, 1));
    await push.put(await push.device({}, 2));
    expect(await push.reports()).toEqual(['2 accepted content']);
  });

  it('that throttles one device is asked for the others', async () => {
    answer(retry('TooManyRequests', MINUTE), 6);
    for (let i = 0; i < 7; i++) await push.put(await push.device());
    expect(push.stub.reached.count).toBe(7);
    expect(push.named('push_paused')).toEqual([]);
  });
});

describe('dead tokens', () => {
  const dead: PushOutcome = { outcome: 'dead', reason: 'gone' };

  it('go, and are reported', async () => {
    answer(dead);
    const device = await push.device();
    await push.put(device);
    await push.put(device);
    expect(await push.reports()).toEqual(['1 no_token gone', '2 no_token gone']);
    expect(push.removed).toEqual(['gone']);
  });

  it('stay when the provider means a time before the device brought them', async () => {
    answer({ ...dead, since: push.clock.now() - 1 });
    await push.put(await push.device());
    await push.advance(10 * MINUTE);
    expect(await push.reports()).toEqual(['1 accepted content']);
    expect(push.removed).toEqual([]);
  });

  it('that stay are given up after five tries', async () => {
    answer({ ...dead, since: push.clock.now() - 1 }, 5);
    await push.put(await push.device());
    for (let i = 0; i < 10; i++) await push.advance(10 * MINUTE);
    expect(await push.reports()).toEqual(['1 failed gone']);
  });

  it('are believed up to nineteen of one group; more stay until a push is accepted, and their pushes wait', async () => {
    answer(dead, 21);
    for (let i = 0; i < 22; i++) await push.put(await push.device());
    expect(push.removed).toHaveLength(19);
    expect(push.named('push_tokens_kept')).toHaveLength(1);
    for (let i = 0; i < 10; i++) await push.advance(MINUTE);
    expect(push.removed).toHaveLength(19);
    expect(push.stub.accepted.count).toBe(3);
  });

  it('among many that live are all believed', async () => {
    for (let i = 0; i < 100; i++) await push.put(await push.device());
    answer(dead, 25);
    for (let i = 0; i < 25; i++) await push.put(await push.device());
    expect(push.removed).toHaveLength(25);
  });
});

describe('a store that fails', () => {
  it('is asked again, and the push goes', async () => {
    let fails = 2;
    push = await WorkerScene.open({
      wrap: (store) =>
        new Proxy(store, {
          get: (target, name) => {
            const method = Reflect.get(target, name) as (...args: unknown[]) => unknown;
            return (...args: unknown[]) => {
              const isAsked = name === 'takePushBatch' || name === 'settlePush';
              if (isAsked && fails-- > 0) return Promise.reject(new Error('no'));
              return method.apply(target, args);
            };
          },
        }),
    });
    const device = await push.device();
    await push.put(device);
    for (let i = 0; i < 3; i++) await push.advance(SECOND);
    expect(push.stub.accepted.count).toBe(1);
    expect(push.named('store_failed')).toHaveLength(2);
  });
});

describe('the end of the relay', () => {
  it('waits for what is in flight, and leaves what is not to the next start', async () => {
    const release = hold(STUB_MAX_IN_FLIGHT);
    for (let i = 0; i < STUB_MAX_IN_FLIGHT + 2; i++) await push.put(await push.device({}, i % 10));
    let isOver = false;
    const stopping = push.worker.stop().then(() => {
      isOver = true;
    });
    await calm();
    expect(isOver).toBe(false);
    release();
    await stopping;
    expect(push.stub.accepted.count).toBe(STUB_MAX_IN_FLIGHT);
    expect((await push.store.stats()).pushes).toBe(2);
  });

  it('comes after ten seconds, whatever is in flight', async () => {
    push.stub.answers.push(() => new Promise(() => undefined));
    push.stub.close = () => new Promise(() => undefined);
    await push.put(await push.device());
    const stopping = push.worker.stop();
    await push.advance(10 * SECOND);
    await stopping;
    expect((await push.store.stats()).pushes).toBe(1);
  });
});

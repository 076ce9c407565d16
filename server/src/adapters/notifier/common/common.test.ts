import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Clock, PushOutcome } from '../../../ports/index.js';
import { Proven, retryAfterMs, Sending } from './index.js';

/** A clock that stands still until it is moved; timers run on demand. */
function handClock(): Clock & { time: number; fire(): void } {
  const timers = new Set<() => void>();
  return {
    time: 1_000,
    now() {
      return this.time;
    },
    elapsed() {
      return this.time;
    },
    after: (_, run) => {
      timers.add(run);
      return () => timers.delete(run);
    },
    fire: () => {
      for (const run of timers) run();
    },
  };
}

describe('Retry-After', () => {
  const now = Date.UTC(2026, 5, 1);

  it.each([
    ['0', 0],
    ['90', 90_000],
    [' 3600 ', 3_600_000],
    [new Date(now + 5_000).toUTCString(), 5_000],
  ])('%j is understood', (header, ms) => {
    expect(retryAfterMs(header, now)).toBe(ms);
  });

  it.each([
    undefined,
    '',
    'soon',
    '-1',
    '1.5',
    '3601',
    '99999999999',
    new Date(now - 5_000).toUTCString(),
    ['90'],
  ])('%j is not believed', (header) => {
    expect(retryAfterMs(header, now)).toBeUndefined();
  });

  it('never asks for more than an hour, whatever it says', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), (header) => {
        expect(retryAfterMs(header, now) ?? 0).toBeLessThanOrEqual(3_600_000);
      }),
    );
  });
});

describe('sending', () => {
  const accepted: PushOutcome = { outcome: 'accepted' };
  const never = () => new Promise<PushOutcome>(() => undefined);
  const open = (change = {}) => {
    const clock = handClock();
    return { clock, sending: new Sending({ clock, maxInFlight: 2, deadlineMs: 10, ...change }) };
  };

  it('calls what throws unknown', async () => {
    const { sending } = open();
    const throwing = () => Promise.reject(new Error('a text of somebody else'));
    expect(await sending.run('group', throwing)).toEqual({ outcome: 'unknown', reason: 'failed' });
  });

  it('believes an attempt that knows its answer at the deadline', async () => {
    const { clock, sending } = open();
    const sent = sending.run(
      'group',
      (signal) => new Promise((resolve) => signal.addEventListener('abort', () => resolve(accepted))),
    );
    await new Promise((resolve) => setImmediate(resolve));
    clock.fire();
    expect(await sent).toEqual(accepted);
  });

  it('lets no full group take the places of another', async () => {
    const { clock, sending } = open({ maxPerGroup: 1 });
    const stuck = [sending.run('slow', never), sending.run('slow', never), sending.run('slow', never)];
    expect(await sending.run('fast', () => Promise.resolve(accepted))).toEqual(accepted);
    const closing = sending.close();
    await new Promise((resolve) => setImmediate(resolve));
    clock.fire();
    await closing;
    expect((await Promise.all(stuck)).map(({ outcome }) => outcome)).toEqual(['unknown', 'retry', 'retry']);
  });
});

describe('a group that works', () => {
  it('is known to for an hour', () => {
    const clock = handClock();
    const proven = new Proven(clock);
    proven.accepted('a');
    clock.time += 3_600_000;
    expect(proven.has('a')).toBe(true);
    clock.time += 1;
    expect(proven.has('a')).toBe(false);
  });

  it('is forgotten when 1,000 others came after it', () => {
    const proven = new Proven(handClock());
    for (let group = 0; group <= 1_000; group += 1) proven.accepted(String(group));
    expect([proven.has('0'), proven.has('1')]).toEqual([false, true]);
  });
});

import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { VirtualTime } from '../../../test/support/link/virtual-time.js';
import { Backoff, type Ended } from './backoff.js';
import { Failures } from './failures.js';
import { LINK, PACE } from './link-limits.js';
import { Refusals } from './refusals.js';
import type { LinkRuntime } from './runtime.js';
import { TokenBucket } from './token-bucket.js';

function world(time: VirtualTime, jitter = 0.999_999_9): LinkRuntime {
  const bytes = new Uint8Array(4);
  new DataView(bytes.buffer).setUint32(0, Math.floor(jitter * 2 ** 32));
  return {
    now: time.now,
    setTimer: time.setTimer,
    randomBytes: () => bytes,
    openSocket: () => undefined as never,
  };
}

const failed: Ended = { onlineMs: 0, code: 'unreachable' };

describe('when a link tries again', () => {
  it('waits 1, 2, 4 … 60 s, and no longer however often', () => {
    const backoff = new Backoff(world(new VirtualTime()));
    const waits = Array.from({ length: 40 }, () => Math.ceil(backoff.next(failed) / 1000));
    expect(waits.slice(0, 8)).toEqual([1, 2, 4, 8, 16, 32, 60, 60]);
    expect(Math.max(...waits)).toBe(60);
  });

  it('the jitter is full: anything from nothing to the whole delay', () => {
    const delays = [0, 0.25, 0.5].map((jitter) => {
      const backoff = new Backoff(world(new VirtualTime(), jitter));
      backoff.next(failed);
      return backoff.next(failed);
    });
    expect(delays).toEqual([0, 500, 1000]);
  });

  it('begins again after 30 s of session, not after 29', () => {
    const backoff = new Backoff(world(new VirtualTime(), 0.5));
    for (let i = 0; i < 5; i++) backoff.next(failed);
    expect(backoff.next({ ...failed, onlineMs: 29_999, code: 'idle' })).toBe(16_000);
    expect(backoff.next({ ...failed, onlineMs: 30_000 })).toBe(500);
  });

  it('a displaced one waits 60 s', () => {
    expect(new Backoff(world(new VirtualTime())).next({ onlineMs: 99_999, code: 'displaced' })).toBe(60_000);
  });

  it.each(['going_away', 'unreachable'] as const)(
    'a relay that restarts (%s) is tried within a second, however short the session was, once',
    (code) => {
      const backoff = new Backoff(world(new VirtualTime(), 0.5));
      for (let i = 0; i < 5; i++) backoff.next(failed);
      expect(backoff.next({ onlineMs: 100, code })).toBe(500);
      expect(backoff.next({ onlineMs: 100, code })).toBe(16_000);
    },
  );

  it('Retry-After is a lower bound, up to five minutes', () => {
    const backoff = new Backoff(world(new VirtualTime()));
    const limited: Ended = { onlineMs: 0, code: 'rate_limited' };
    expect(backoff.next({ ...limited, retryAfterMs: 90_000 })).toBe(90_000);
    expect(backoff.next({ ...limited, retryAfterMs: 86_400_000 })).toBe(300_000);
  });
});

describe('the rate', () => {
  it('lets a burst through, then so many a second, in order', async () => {
    const time = new VirtualTime();
    const bucket = new TokenBucket(world(time), { burst: 2, perSecond: 2 });
    const served: number[] = [];
    for (let i = 0; i < 5; i++) void bucket.take().then(() => served.push(i));
    await Promise.resolve();
    expect(served).toEqual([0, 1]);
    time.advance(500);
    await Promise.resolve();
    expect(served).toEqual([0, 1, 2]);
    time.advance(1000);
    await Promise.resolve();
    expect(served).toEqual([0, 1, 2, 3, 4]);
  });

  it('nobody overtakes those who wait', () => {
    const time = new VirtualTime();
    const bucket = new TokenBucket(world(time), { burst: 1, perSecond: 1 });
    expect(bucket.tryTake()).toBe(true);
    void bucket.take();
    time.sleep(5000);
    expect(bucket.tryTake()).toBe(false);
  });

  it('what must not wait may borrow a burst, and no more', async () => {
    const time = new VirtualTime();
    const bucket = new TokenBucket(world(time), { burst: 2, perSecond: 1 });
    for (let i = 0; i < 100; i++) bucket.force();
    time.sleep(2999);
    expect(bucket.tryTake()).toBe(false);
    time.sleep(1);
    expect(bucket.tryTake()).toBe(true);
  });

  it('whoever waits when the connection ends gets nothing', async () => {
    const bucket = new TokenBucket(world(new VirtualTime()), { burst: 1, perSecond: 1 });
    bucket.tryTake();
    const waiting = bucket.take();
    bucket.close();
    expect(await waiting).toBe(false);
    expect(await bucket.take()).toBe(false);
  });

  it('a clock set back earns nothing', () => {
    const time = new VirtualTime();
    const bucket = new TokenBucket(world(time), { burst: 1, perSecond: 1 });
    bucket.tryTake();
    time.sleep(-3_600_000);
    expect(bucket.tryTake()).toBe(false);
  });

  it('towards an original relay no minute sees 60 messages, whatever the demand', () => {
    fc.assert(
      fc.property(fc.array(fc.integer({ min: 0, max: 3000 }), { minLength: 50, maxLength: 300 }), (gaps) => {
        const time = new VirtualTime();
        const bucket = new TokenBucket(world(time), PACE.original);
        const sentAt: number[] = [];
        for (const gap of gaps) {
          time.sleep(gap);
          while (bucket.tryTake()) sentAt.push(time.now());
        }
        for (const at of sentAt)
          expect(sentAt.filter((t) => t >= at && t < at + 60_000).length).toBeLessThan(60);
      }),
      { numRuns: 30 },
    );
  });
});

describe('what failed its handler', () => {
  it('is remembered for 256 things; the oldest is forgotten and counts anew', () => {
    const failures = new Failures();
    for (let attempt = 1; attempt < LINK.maxHandlerAttempts; attempt++) failures.again('first');
    for (let n = 0; n < LINK.maxRememberedFailures; n++) failures.again(`other ${n}`);
    expect(failures.again('first')).toBe(false);
  });

  it('counts anew once it passed', () => {
    const failures = new Failures();
    for (let attempt = 1; attempt < LINK.maxHandlerAttempts; attempt++) failures.again('thing');
    failures.passed('thing');
    expect(failures.again('thing')).toBe(false);
  });
});

describe('what was refused', () => {
  const row = { id: 1, peer: 'a' };

  it('waits 2, 4, 8 … 300 s', () => {
    const time = new VirtualTime();
    const refusals = new Refusals(world(time));
    const waits = Array.from({ length: 10 }, () => {
      expect(refusals.refused(row, 'queue_full', false)).toBe('keep');
      const wait = refusals.heldUntil('a') - time.now();
      time.advance(wait);
      return wait / 1000;
    });
    expect(waits).toEqual([2, 4, 8, 16, 32, 64, 128, 256, 300, 300]);
  });

  it('waits once for all that were refused together', () => {
    const time = new VirtualTime();
    const refusals = new Refusals(world(time));
    for (let id = 0; id < 32; id++) refusals.refused({ id, peer: 'a' }, 'queue_full', true);
    expect(refusals.heldUntil('a') - time.now()).toBe(2000);
  });

  it('a full queue holds back its own peer only, a relay in trouble everyone', () => {
    const refusals = new Refusals(world(new VirtualTime()));
    refusals.refused(row, 'queue_full', false);
    expect(refusals.heldUntil('b')).toBe(0);
    refusals.refused(row, 'unavailable', false);
    expect(refusals.heldUntil('b')).toBeGreaterThan(0);
  });

  it('is released when its peer shows itself', () => {
    const refusals = new Refusals(world(new VirtualTime()));
    refusals.refused(row, 'not_found', false);
    expect(refusals.release('a')).toBe(true);
    expect(refusals.heldUntil('a')).toBe(0);
    expect(refusals.release('a')).toBe(false);
  });

  it('what can never be accepted is given up at once where the relay named it', () => {
    const refusals = new Refusals(world(new VirtualTime()));
    expect(refusals.refused(row, 'bad_request', true)).toBe('drop');
    expect(refusals.refused(row, 'payload_too_large', true)).toBe('drop');
    expect(refusals.refused(row, 'unheard_of', true)).toBe('keep');
  });

  it('what can never be accepted is given up at the third refusal where that is inferred', () => {
    const refusals = new Refusals(world(new VirtualTime()));
    const verdicts = ['bad_request', 'payload_too_large', 'bad_request'].map((code) =>
      refusals.refused(row, code, false),
    );
    expect(verdicts).toEqual(['keep', 'keep', 'drop']);
  });
});

import { describe, expect, it, vi } from 'vitest';
import type { Clock } from '../agent/core.js';
import { Idle } from './idle.js';
import { DAEMON_LIMITS } from './limits.js';

function manualClock(): Clock & { pass(ms: number): void; timers: number } {
  let now = 0;
  const timers = new Map<object, { at: number; callback: () => void }>();
  return {
    now: () => now,
    setTimer(callback, ms) {
      const key = {};
      timers.set(key, { at: now + ms, callback });
      return { cancel: () => timers.delete(key) };
    },
    pass(ms) {
      now += ms;
      for (const [key, { at, callback }] of timers) {
        if (at <= now && timers.delete(key)) callback();
      }
    },
    get timers() {
      return timers.size;
    },
  };
}

describe('a daemon without use', () => {
  it('ends after ten minutes', () => {
    const [clock, onIdle] = [manualClock(), vi.fn()];
    new Idle(clock, DAEMON_LIMITS.idleMs, onIdle);
    clock.pass(10 * 60_000 - 1);
    expect(onIdle).not.toHaveBeenCalled();
    clock.pass(1);
    expect(onIdle).toHaveBeenCalledOnce();
  });

  it('counts from when its last client went', () => {
    const [clock, onIdle] = [manualClock(), vi.fn()];
    const idle = new Idle(clock, 1_000, onIdle);
    idle.update(2);
    clock.pass(5_000);
    idle.update(1);
    clock.pass(5_000);
    idle.update(0);
    clock.pass(999);
    expect(onIdle).not.toHaveBeenCalled();
    clock.pass(1);
    expect(onIdle).toHaveBeenCalledOnce();
  });

  it('stays where the time is infinite, and after a stop', () => {
    const clock = manualClock();
    new Idle(clock, Number.POSITIVE_INFINITY, vi.fn());
    expect(clock.timers).toBe(0);
    const stopped = new Idle(clock, 1, vi.fn());
    stopped.stop();
    stopped.update(0);
    expect(clock.timers).toBe(0);
  });
});

import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  checkCounter,
  counterFloor,
  decodeWindow,
  emptyWindow,
  encodeWindow,
  markCounter,
  type WindowState,
} from './index.js';

const EPOCH = 2 ** 20;
const markAll = (counters: number[], state = emptyWindow()) => counters.reduce(markCounter, state);

/** The definition, slowly: remembers every counter it ever took. */
class NaiveWindow {
  readonly #seen = new Set<number>();

  check(counter: number): ReturnType<typeof checkCounter> {
    const epoch = Math.floor(counter / EPOCH);
    const epochs = [...new Set([...this.#seen].map((c) => Math.floor(c / EPOCH)))]
      .sort((a, b) => b - a)
      .slice(0, 8);
    if (!epochs.includes(epoch)) {
      return epochs.length < 8 || epoch > (epochs[7] as number) ? 'new' : 'outside';
    }
    const top = Math.max(...[...this.#seen].filter((c) => Math.floor(c / EPOCH) === epoch));
    if (counter <= top - 1_024) return 'outside';
    return this.#seen.has(counter) ? 'duplicate' : 'new';
  }

  mark(counter: number): void {
    if (this.check(counter) === 'new') this.#seen.add(counter);
  }
}

describe('a receive window', () => {
  test('takes every counter once', () => {
    const state = markAll([5, 7]);
    expect(checkCounter(state, 5)).toBe('duplicate');
    expect(checkCounter(state, 6)).toBe('new');
    expect(checkCounter(state, 7)).toBe('duplicate');
    expect(checkCounter(state, 8)).toBe('new');
  });

  test('is 1,024 counters wide', () => {
    const state = markAll([10, 5_000]);
    expect(checkCounter(state, 5_000 - 1_023)).toBe('new');
    expect(checkCounter(state, 5_000 - 1_024)).toBe('outside');
    expect(checkCounter(state, 10)).toBe('outside');
  });

  test('does not take the ghost of a counter 1,024 older for a duplicate', () => {
    const state = markAll([100, 1_000]);
    expect(checkCounter(state, 100 + 1_024)).toBe('new');
    expect(checkCounter(markCounter(state, 1_200), 100 + 1_024)).toBe('new');
  });

  test('keeps a window for each of the 8 newest epochs and refuses older ones', () => {
    const eight = Array.from({ length: 8 }, (_, index) => (10 + index) * EPOCH + 3);
    const state = markAll(eight);
    for (const counter of eight) expect(checkCounter(state, counter)).toBe('duplicate');
    expect(checkCounter(state, 9 * EPOCH + 3)).toBe('outside');
    const moved = markCounter(state, 30 * EPOCH);
    expect(checkCounter(moved, eight[0] as number)).toBe('outside');
    expect(checkCounter(moved, 10 * EPOCH + 4)).toBe('outside');
    expect(checkCounter(moved, eight[1] as number)).toBe('duplicate');
  });

  test('takes an older epoch while it knows fewer than 8', () => {
    const state = markAll([20 * EPOCH, 4 * EPOCH]);
    expect(checkCounter(state, 4 * EPOCH)).toBe('duplicate');
    expect(checkCounter(state, 2 * EPOCH + 9)).toBe('new');
  });

  test.each([-1, 0.5, Number.NaN, Number.POSITIVE_INFINITY, 2 ** 53])(
    'refuses %d, which is no counter',
    (counter) => {
      expect(checkCounter(emptyWindow(), counter)).toBe('outside');
      expect(markCounter(emptyWindow(), counter)).toEqual(emptyWindow());
    },
  );

  test('is a value: marking leaves the former state as it was', () => {
    const before = markAll([1, 2]);
    const after = markCounter(before, 3);
    expect(checkCounter(before, 3)).toBe('new');
    expect(checkCounter(after, 3)).toBe('duplicate');
    expect(markCounter(after, 3)).toBe(after);
  });

  test('agrees with its definition on any sequence, stored and read back at any point', () => {
    const counter = fc
      .tuple(
        fc.nat(11),
        fc.oneof(fc.nat(40), fc.integer({ min: 900, max: 1_200 }), fc.nat(5_000), fc.nat(EPOCH - 1)),
      )
      .map(([epoch, offset]) => epoch * EPOCH + offset);
    fc.assert(
      fc.property(fc.array(fc.tuple(counter, fc.boolean()), { maxLength: 120, size: 'max' }), (steps) => {
        const naive = new NaiveWindow();
        let state = emptyWindow();
        for (const [next, store] of steps) {
          expect(checkCounter(state, next)).toBe(naive.check(next));
          naive.mark(next);
          state = markCounter(state, next);
          if (store) state = decodeWindow(encodeWindow(state));
          expect(checkCounter(state, next)).not.toBe('new');
        }
      }),
      { numRuns: 300 },
    );
  });
});

describe('a stored window', () => {
  const state: WindowState = markAll(Array.from({ length: 12 }, (_, index) => index * EPOCH + index));

  test('reads back as it was and takes at most 1,089 bytes', () => {
    expect(decodeWindow(encodeWindow(state))).toEqual(state);
    expect(encodeWindow(state)).toHaveLength(1_089);
    expect(decodeWindow(encodeWindow(emptyWindow()))).toEqual(emptyWindow());
  });

  test.each([
    ['nothing', () => new Uint8Array()],
    ['another format', () => encodeWindow(state).with(0, 2)],
    ['a byte more', () => new Uint8Array([...encodeWindow(state), 0])],
    ['a byte less', () => encodeWindow(state).slice(0, -1)],
    ['nine epochs', () => new Uint8Array([...encodeWindow(state), ...encodeWindow(markAll([1])).slice(1)])],
    [
      'an epoch twice',
      () => new Uint8Array([...encodeWindow(markAll([9])), ...encodeWindow(markAll([8])).slice(1)]),
    ],
    [
      'epochs out of order',
      () => new Uint8Array([...encodeWindow(markAll([8])), ...encodeWindow(markAll([EPOCH])).slice(1)]),
    ],
    ['a top that was not seen', () => encodeWindow(markAll([8])).fill(0, 9)],
    [
      'a top above 2^53',
      () =>
        encodeWindow(markAll([8]))
          .fill(255)
          .with(0, 1),
    ],
  ])('of %s is corrupt', (_what, bytes) => {
    expect(() => decodeWindow(bytes())).toThrow(expect.objectContaining({ code: 'state_corrupt' }));
  });
});

test('the least counter of a start grows with time and stays exact until 2242', () => {
  expect(counterFloor(1_750_000_000_999)).toBe(1_750_000_000 * EPOCH);
  expect(counterFloor(0)).toBe(0);
  expect(Number.isSafeInteger(counterFloor(Date.UTC(2242, 0, 1)))).toBe(true);
});

import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { HANDLE, pushOf } from '../push.fixtures.js';
import { type ApnsTexts, apnsHeaders, apnsPayload } from './payload.js';

const EMPTY: ApnsTexts = { title: '', body: '', quietBody: '', category: '' };
const USUAL: ApnsTexts = {
  title: 'Countersign',
  body: 'Action required',
  quietBody: 'No action required any more',
  category: 'approval',
};
const NS = 'ab'.repeat(32);
const FROM = 'cd'.repeat(32);

/** As long as the settings allow, so that 2,625 bytes of ciphertext no longer fit. */
const LONG: ApnsTexts = { ...EMPTY, title: 't'.repeat(128), body: 'b'.repeat(256), category: 'c'.repeat(64) };

describe('a payload for APNs', () => {
  it('is exactly this, with content', () => {
    expect(apnsPayload(pushOf(3), USUAL)).toBe(
      '{"aps":{"alert":{"title":"Countersign","body":"Action required"},"sound":"default","mutable-content":1,' +
        `"category":"approval"},"d":{"ns":"${NS}","from":"${FROM}","n":"${'0'.repeat(24)}","c":"////"}}`,
    );
  });

  it('is exactly this as a wake, as a replacement, and under a handle', () => {
    expect(apnsPayload(pushOf('wake', { intent: 'replace' }), EMPTY)).toBe(
      '{"aps":{"alert":{"title":"","body":""},"interruption-level":"passive","mutable-content":1},' +
        `"d":{"ns":"${NS}","wake":true}}`,
    );
    expect(apnsPayload(pushOf(3, { address: HANDLE }), EMPTY)).toContain(
      `"d":{"h":"${'ef'.repeat(16)}","n":"${'0'.repeat(24)}","c":"////"}`,
    );
    expect(apnsPayload(pushOf('wake', { address: HANDLE }), EMPTY)).toContain(
      `"d":{"h":"${'ef'.repeat(16)}","wake":true}`,
    );
  });

  it.each([
    ['empty texts', EMPTY, {}, 2_625, 3_768],
    ['usual texts', USUAL, {}, 2_625, 3_816],
    ['usual texts and a handle', USUAL, { address: HANDLE }, 2_625, 3_709],
    ['the longest texts', LONG, {}, 2_523, 4_094],
    ['the longest texts and a handle', LONG, { address: HANDLE }, 2_604, 4_095],
  ] as const)('with %s holds a ciphertext up to a size', (_, texts, change, largest, bytes) => {
    expect(Buffer.byteLength(apnsPayload(pushOf(largest, change), texts) ?? '')).toBe(bytes);
    expect(apnsPayload(pushOf(largest + 1, change), texts)).toBeUndefined();
  });

  it('never exceeds 4,096 bytes, and a wake always fits', () => {
    const text = (max: number) => fc.string({ unit: 'binary', maxLength: max });
    fc.assert(
      fc.property(
        fc.record({ title: text(64), body: text(128), quietBody: text(128), category: text(32) }),
        fc.nat(4_000),
        fc.constantFrom('alert', 'replace'),
        (texts, size, intent) => {
          const payload = apnsPayload(pushOf(size, { intent }), texts);
          expect(Buffer.byteLength(payload ?? '')).toBeLessThanOrEqual(4_096);
          expect(apnsPayload(pushOf('wake', { intent }), texts)).toBeDefined();
          const wake = Buffer.byteLength(apnsPayload(pushOf('wake', { intent }), texts) ?? '');
          // 118: what `from`, `n` and `c` need more than `wake`.
          const fits = wake + 118 + 4 * Math.ceil(size / 3) <= 4_096;
          expect(payload !== undefined).toBe(fits && size <= 2_625);
        },
      ),
    );
  });

  it('goes with headers that follow the intent', () => {
    const clock = { now: () => 1_000_500, elapsed: () => 0, after: () => () => undefined };
    expect(apnsHeaders(pushOf(1), 'topic', clock)).toEqual({
      topic: 'topic',
      pushType: 'alert',
      priority: 10,
      expiry: 1_061,
      collapseId: 'A'.repeat(32),
    });
    expect(apnsHeaders(pushOf(1, { intent: 'replace' }), 'topic', clock).priority).toBe(5);
  });
});

import { describe, expect, it } from 'vitest';
import { decodePushHints, encodePushHints } from './index.js';

describe('push hints', () => {
  it('come back as they were', () => {
    const full = { collapse: new Uint8Array(16).fill(7), ttlMs: 2n ** 64n - 1n, intent: 'replace' } as const;
    for (const hints of [full, { intent: 'alert' }, { intent: 'wake', ttlMs: 0n }] as const) {
      expect(decodePushHints(encodePushHints(hints))).toEqual(hints);
    }
  });

  it('have the numbers of the schema', () => {
    const bytes = encodePushHints({ collapse: Uint8Array.of(7), ttlMs: 300n, intent: 'none' });
    expect([...bytes]).toEqual([0x0a, 1, 7, 0x10, 0xac, 2, 0x18, 4]);
  });

  it('are none when the intent is absent or unknown', () => {
    expect(decodePushHints(new Uint8Array(0))).toBeUndefined();
    expect(decodePushHints(Uint8Array.of(0x18, 5))).toBeUndefined();
  });

  it('are none when the bytes are no hints', () => {
    for (const bytes of [[0xff], [0x0a, 9, 1], [0x10], [0x10, ...Array(10).fill(0xff), 1]]) {
      expect(decodePushHints(Uint8Array.from(bytes))).toBeUndefined();
    }
  });
});

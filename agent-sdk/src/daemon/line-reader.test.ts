import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { LineReader } from './line-reader.js';

const MAX = 64;
const bytes = (text: string): Uint8Array => new TextEncoder().encode(text);

describe('lines', () => {
  it('come out whole however the bytes are cut', () => {
    const line = fc.string({ unit: 'grapheme', maxLength: 8 }).map((text) => text.replace(/\n/g, '').trim());
    fc.assert(
      fc.property(fc.array(line, { maxLength: 6 }), fc.array(fc.nat({ max: 40 })), (lines, cuts) => {
        const all = bytes(lines.map((one) => `${one}\n`).join(''));
        const reader = new LineReader(1_000);
        const edges = [0, ...cuts.filter((cut) => cut < all.length).sort((a, b) => a - b), all.length];
        const read = edges.slice(1).flatMap((edge, n) => [...reader.push(all.subarray(edges[n], edge))]);
        expect(read).toEqual(lines.filter((one) => one !== ''));
      }),
    );
  });

  it('may be as long as the limit, not longer', () => {
    expect([...new LineReader(MAX).push(bytes(`${'x'.repeat(MAX)}\n`))]).toEqual(['x'.repeat(MAX)]);
    expect(() => [...new LineReader(MAX).push(bytes('x'.repeat(MAX + 1)))]).toThrow(
      expect.objectContaining({ code: 'payload_too_large' }),
    );
  });

  it('that are never ended do not grow beyond the limit', () => {
    const reader = new LineReader(MAX);
    expect([...reader.push(bytes('x'.repeat(MAX)))]).toEqual([]);
    expect(() => [...reader.push(bytes('x'))]).toThrow(
      expect.objectContaining({ code: 'payload_too_large' }),
    );
  });

  it('that are not UTF-8 are refused', () => {
    expect(() => [...new LineReader(MAX).push(Uint8Array.of(0xc3, 0x28, 0x0a))]).toThrow(
      expect.objectContaining({ code: 'bad_request' }),
    );
  });
});

import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { bytesEqual, concatBytes, fromHex, shortId, toHex, utf8 } from './index.js';

describe('hex', () => {
  it('gives the bytes back', () => {
    fc.assert(
      fc.property(fc.uint8Array(), (bytes) => {
        expect(fromHex(toHex(bytes), bytes.length)).toEqual(bytes);
      }),
    );
  });

  it('is written in lower case and read in either', () => {
    expect(toHex(Uint8Array.of(0x0a, 0xff))).toBe('0aff');
    expect(fromHex('0AFf', 2)).toEqual(Uint8Array.of(0x0a, 0xff));
  });

  it.each([
    ['0a', 2],
    ['0a0', 1],
    ['0g', 1],
    ['-1', 1],
    [' 1', 1],
    ['1\n', 1],
    ['٠١', 1],
    [12, 1],
    [null, 0],
    [undefined, 0],
  ])('is not read from %j where it must be of %i bytes', (text, bytes) => {
    expect(fromHex(text, bytes)).toBeUndefined();
  });
});

describe('a short id', () => {
  it('is the first eight characters', () => {
    expect(shortId(new Uint8Array(32).fill(0xab))).toBe('abababab');
    expect(shortId('ABCDEF0123456789')).toBe('abcdef01');
  });

  it('never repeats text that is no id', () => {
    for (const text of ['', 'secret token', 'abc', 'abcdefg0123']) expect(shortId(text)).toBe('?');
  });
});

describe('byte strings', () => {
  it('are equal by length and content', () => {
    expect(bytesEqual(Uint8Array.of(1, 2), Uint8Array.of(1, 2))).toBe(true);
    expect(bytesEqual(Uint8Array.of(1, 2), Uint8Array.of(1, 3))).toBe(false);
    expect(bytesEqual(Uint8Array.of(1, 2), Uint8Array.of(1))).toBe(false);
  });

  it('are joined in order', () => {
    expect(concatBytes(Uint8Array.of(1), new Uint8Array(0), Uint8Array.of(2, 3))).toEqual(
      Uint8Array.of(1, 2, 3),
    );
  });

  it('hold text as UTF-8', () => {
    expect(utf8('é\ud800')).toEqual(Uint8Array.of(0xc3, 0xa9, 0xef, 0xbf, 0xbd));
  });
});

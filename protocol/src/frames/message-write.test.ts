import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { encodeFrame, encodeQueued } from './index.js';

const bytes = (maxLength: number) => fc.uint8Array({ maxLength, size: 'max' });

describe('a queued message written by hand', () => {
  it('has the bytes that the library writes', () => {
    const message = fc.record({
      ciphertext: bytes(20_000),
      nonce: bytes(16),
      peer: bytes(200),
      seq: fc.option(fc.nat(Number.MAX_SAFE_INTEGER), { nil: undefined }),
    });
    fc.assert(
      fc.property(message, ({ ciphertext, nonce, peer, seq }) => {
        const extension = seq === undefined ? {} : { seq: BigInt(seq) };
        const library = encodeFrame({ type: 'message', ciphertext, nonce, peer, live: false, ...extension });
        expect(Buffer.compare(encodeQueued({ ciphertext, nonce, peer, seq }), library)).toBe(0);
      }),
    );
  });

  it.each([0, 127, 128, 2 ** 32, Number.MAX_SAFE_INTEGER])('carries the sequence %d', (seq) => {
    const parts = { ciphertext: new Uint8Array(17), nonce: new Uint8Array(12), peer: new Uint8Array(32) };
    const library = encodeFrame({ type: 'message', ...parts, live: false, seq: BigInt(seq) });
    expect(encodeQueued({ ...parts, seq })).toEqual(library);
  });
});

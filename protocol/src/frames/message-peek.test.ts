import { describe, expect, it } from 'vitest';
import { decodeFrame, encodeFrame, encodePushHints, messageOf, peekMessage } from './index.js';

const UINT64_MAX = [...Array<number>(9).fill(0xff), 1];
const CORE = [0x0a, 3, 1, 2, 3, 0x12, 2, 4, 5, 0x1a, 2, 6, 7];

/** Member 12 with this content, of less than 128 bytes. */
function messageBytes(...content: number[][]): Uint8Array {
  const body = content.flat();
  return Uint8Array.of(0x62, body.length, ...body);
}

function agreesWithLibrary(bytes: Uint8Array): void {
  const peek = peekMessage(bytes);
  expect(peek && messageOf(bytes, peek)).toEqual(decodeFrame(bytes));
}

describe('peekMessage', () => {
  it('agrees with the library where a length needs one more byte', () => {
    for (const size of [127, 128, 16_383, 16_384, 2_097_151, 2_097_152]) {
      const frame = {
        type: 'message',
        nonce: new Uint8Array(12),
        peer: new Uint8Array(32),
        live: true,
      } as const;
      const bytes = encodeFrame({ ...frame, ciphertext: new Uint8Array(size).fill(5) });
      expect(peekMessage(bytes)?.ciphertextBytes).toBe(size);
      expect(peekMessage(bytes.subarray(0, -1))).toBeUndefined();
    }
  });

  it('says where everything is', () => {
    const bytes = messageBytes(CORE, [0x20, 1], [0x80, 1, 9]);
    expect(peekMessage(bytes)).toEqual({
      live: true,
      peer: Uint8Array.of(6, 7),
      peerOffset: 13,
      peerBytes: 2,
      nonceOffset: 9,
      nonceBytes: 2,
      ciphertextOffset: 4,
      ciphertextBytes: 3,
      tailOffset: 17,
      ref: 9n,
    });
  });

  it('takes a frame with live absent, false and true', () => {
    expect(peekMessage(messageBytes(CORE))?.live).toBe(false);
    expect(peekMessage(messageBytes(CORE, [0x20, 0]))?.live).toBe(false);
    expect(peekMessage(messageBytes(CORE, [0x20, 1]))?.live).toBe(true);
  });

  it('reads ref, push and seq, and passes over extensions it does not know', () => {
    const push = encodePushHints({ intent: 'wake' });
    const unknown = [
      0x9d, 1, 1, 2, 3, 4, 0xa1, 1, 1, 2, 3, 4, 5, 6, 7, 8, 0xaa, 1, 1, 0xff, 0xb0, 1, 0x80, 1,
    ];
    const tail = [...unknown, 0x80, 1, ...UINT64_MAX, 0x8a, 1, push.length, ...push, 0x90, 1, 3];
    const bytes = messageBytes(CORE, tail);
    expect(peekMessage(bytes)).toMatchObject({ ref: 2n ** 64n - 1n, push, seq: 3n });
    agreesWithLibrary(bytes);
  });

  it('takes the last of a repeated ref', () => {
    const bytes = messageBytes(CORE, [0x80, 1, 1, 0x80, 1, 2]);
    expect(peekMessage(bytes)?.ref).toBe(2n);
    agreesWithLibrary(bytes);
  });

  it.each<[string, Uint8Array]>([
    ['no bytes', new Uint8Array(0)],
    ['another member', Uint8Array.of(0x6a, 0)],
    ['an empty message', messageBytes()],
    ['a field missing', messageBytes(CORE.slice(0, 9))],
    ['fields out of order', messageBytes(CORE.slice(5), CORE.slice(0, 5))],
    ['a field that comes twice', messageBytes(CORE, CORE)],
    ['a live of two bytes', messageBytes(CORE, [0x20, 0x81, 0])],
    ['a live above one', messageBytes(CORE, [0x20, 2])],
    ['a live without a value', messageBytes(CORE, [0x20])],
    ['a live after an extension', messageBytes(CORE, [0x80, 1, 1], [0x20, 1])],
    ['an extension between the fields', messageBytes(CORE.slice(0, 9), [0x80, 1, 1], CORE.slice(9))],
    ['an original field after the tail began', messageBytes(CORE, [0x80, 1, 1], [0x28, 1])],
    ['an unknown field below 16', messageBytes(CORE, [0x28, 1])],
    ['a wrong wire type of ref', messageBytes(CORE, [0x82, 1, 1, 1])],
    ['a wrong wire type of push', messageBytes(CORE, [0x88, 1, 1])],
    ['two pushes', messageBytes(CORE, [0x8a, 1, 2, 0x18, 1], [0x8a, 1, 2, 0x18, 2])],
    ['a push that is no hints', messageBytes(CORE, [0x8a, 1, 1, 0xff])],
    ['a group in the tail', messageBytes(CORE, [0x83, 1, 0x84, 1])],
    ['a tail that is cut off', messageBytes(CORE, [0x8a, 1, 9, 0x18])],
    ['a fixed field that is cut off', messageBytes(CORE, [0x9d, 1, 1])],
    ['a number that is cut off', messageBytes(CORE, [0x80, 1, 0x80])],
    ['a number of 65 bits', messageBytes(CORE, [0x80, 1, ...Array(9).fill(0x80), 2])],
    ['a number of eleven bytes', messageBytes(CORE, [0x80, 1, ...Array(10).fill(0x80), 1])],
    ['a number in a longer form', messageBytes(CORE, [0x80, 1, 0x81, 0])],
    ['a tag in a longer form', messageBytes(CORE, [0x80, 0x81, 0, 1])],
    ['an inner length in a longer form', messageBytes([0x0a, 0x83, 0, 1, 2, 3], CORE.slice(5))],
    ['an outer length in a longer form', Uint8Array.of(0x62, 0x80 + CORE.length, 0, ...CORE)],
    ['an outer length too short', Uint8Array.of(0x62, CORE.length - 1, ...CORE)],
    ['an outer length too long', Uint8Array.of(0x62, CORE.length + 1, ...CORE)],
    ['an outer length of five bytes', Uint8Array.of(0x62, 0xff, 0xff, 0xff, 0xff, 0x0f, ...CORE)],
    ['bytes after the message', Uint8Array.of(...messageBytes(CORE), 0x4a, 0)],
  ])('leaves a frame with %s to the library', (_, bytes) => {
    expect(peekMessage(bytes)).toBeUndefined();
  });
});

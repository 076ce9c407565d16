/** The two ways to read and forward a message frame must agree on every byte string there is. */
import {
  decodeFrame,
  decodePushHints,
  encodeFrame,
  encodePushHints,
  type FrameOf,
  forwardDecoded,
  forwardMessage,
  messageOf,
  peekMessage,
} from '@countersign/protocol';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { anyFrame, hints, message, messageBytes, rawField } from '../support/frame-arbitraries.js';

const SENDER = new Uint8Array(32).fill(0x5e);
const CORE = [0x0a, 3, 1, 2, 3, 0x12, 2, 4, 5, 0x1a, 2, 6, 7];
const canonical = message.filter((m) => m.ciphertext.length > 0 && m.nonce.length > 0 && m.peer.length > 0);
const options = fc.record(
  { live: fc.boolean(), seq: fc.bigInt({ min: 0n, max: 2n ** 64n - 1n }) },
  { requiredKeys: ['live'] },
);

/** A message with its hints read, so that two ways to write the same hints compare equal. */
function meaning(frame: FrameOf<'message'>) {
  return { ...frame, push: frame.push && (decodePushHints(frame.push) ?? 'no intent') };
}

/** What the library says, after checking that a peek of the same bytes says it too or says nothing. */
function read(bytes: Uint8Array) {
  const peek = peekMessage(bytes);
  const decoded = decodeFrame(bytes);
  if (peek === undefined) return { decoded };
  expect(decoded?.type).toBe('message');
  const frame = decoded as FrameOf<'message'>;
  expect(meaning(messageOf(bytes, peek))).toEqual(meaning(frame));
  return { peek, decoded: frame };
}

describe('the frame codec', () => {
  it('gives every frame back as it was', () => {
    fc.assert(
      fc.property(anyFrame, (frame) => {
        expect(decodeFrame(encodeFrame(frame))).toEqual(frame);
      }),
      { numRuns: 500 },
    );
  });

  it('never throws on the bytes of a frame that were changed or cut off', () => {
    fc.assert(
      fc.property(anyFrame, fc.nat(), fc.nat({ max: 255 }), fc.nat(), (frame, at, byte, cut) => {
        const bytes = encodeFrame(frame).slice();
        if (bytes.length > 0) bytes[at % bytes.length] = byte;
        expect(() => decodeFrame(bytes.subarray(0, cut % (bytes.length + 1)))).not.toThrow();
      }),
      { numRuns: 1000 },
    );
  });

  it('gives push hints back as they were, and never throws on others', () => {
    fc.assert(
      fc.property(hints, fc.uint8Array({ maxLength: 40 }), (value, noise) => {
        expect(decodePushHints(encodePushHints(value))).toEqual(value);
        expect(() => decodePushHints(noise)).not.toThrow();
      }),
    );
  });
});

describe('a peek', () => {
  it('reads every message frame in canonical shape, as the library does', () => {
    fc.assert(
      fc.property(canonical, (frame) => {
        expect(read(encodeFrame(frame)).peek).toBeDefined();
      }),
      { numRuns: 500 },
    );
  });

  it('agrees with the library or stands back on frames with changed bytes', () => {
    const change = fc.record({
      at: fc.nat(),
      remove: fc.nat({ max: 3 }),
      insert: fc.uint8Array({ maxLength: 3 }),
    });
    fc.assert(
      fc.property(canonical, fc.array(change, { minLength: 1, maxLength: 3 }), (frame, changes) => {
        const bytes = [...encodeFrame(frame)];
        for (const { at, remove, insert } of changes) bytes.splice(at % bytes.length, remove, ...insert);
        read(Uint8Array.from(bytes));
      }),
      { numRuns: 3000 },
    );
  });

  it('agrees with the library or stands back on any sequence of fields', () => {
    const start = fc.constantFrom([], CORE, [...CORE, 0x20, 1], CORE.slice(0, 9));
    const lengthError = fc.constantFrom(0, 0, 0, 1, -1);
    fc.assert(
      fc.property(start, fc.array(rawField, { maxLength: 6 }), lengthError, (core, fields, error) => {
        const bytes = messageBytes(core, ...fields);
        bytes[1] = (bytes[1] ?? 0) + error;
        read(bytes);
      }),
      { numRuns: 5000 },
    );
  });

  it('agrees with the library or stands back on random bytes', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 100 }), (bytes) => {
        read(Uint8Array.of(0x62, bytes.length, ...bytes));
        read(bytes);
      }),
      { numRuns: 2000 },
    );
  });
});

describe('forwarding in place', () => {
  const agrees = (bytes: Uint8Array, how: { live: boolean; seq?: bigint }) => {
    const { peek, decoded } = read(bytes);
    if (peek === undefined) return false;
    const slow = forwardDecoded(decoded, SENDER, how);
    expect(Buffer.compare(forwardMessage(bytes, peek, SENDER, how), slow)).toBe(0);
    return true;
  };

  it('gives the same bytes as forwarding through the library', () => {
    const inbound = canonical.map((m) => ({ ...m, peer: new Uint8Array(32).fill(1) }));
    fc.assert(
      fc.property(inbound, options, (frame, how) => {
        expect(agrees(encodeFrame(frame), how)).toBe(true);
      }),
      { numRuns: 1000 },
    );
  });

  it('gives the same bytes whatever the tail and an explicit live were', () => {
    const peer = new Uint8Array(32);
    const core = [...CORE.slice(0, 9), 0x1a, peer.length, ...peer];
    const live = fc.constantFrom([], [0x20, 0], [0x20, 1]);
    fc.assert(
      fc.property(live, fc.array(rawField, { maxLength: 5 }), options, (flag, fields, how) => {
        agrees(messageBytes(core, flag, ...fields), how);
      }),
      { numRuns: 2000 },
    );
  });
});

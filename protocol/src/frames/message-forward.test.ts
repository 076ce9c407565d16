import { describe, expect, it } from 'vitest';
import type { FrameOf } from './frame.js';
import {
  concatBytes,
  decodeFrame,
  encodeFrame,
  encodePushHints,
  forwardMessage,
  type MessagePeek,
  peekMessage,
} from './index.js';

const SENDER = new Uint8Array(32).fill(0x5e);
const peeked = (frame: Uint8Array) => peekMessage(frame) as MessagePeek;
const sample = (more: Partial<FrameOf<'message'>> = {}) =>
  encodeFrame({
    type: 'message',
    ciphertext: new Uint8Array(20).fill(0xc1),
    nonce: new Uint8Array(12).fill(2),
    peer: new Uint8Array(32).fill(3),
    live: true,
    ...more,
  });

describe('forwarding a message', () => {
  it('names the sender and changes nothing else', () => {
    const frame = sample();
    expect(decodeFrame(forwardMessage(frame, peeked(frame), SENDER, { live: true }))).toEqual({
      type: 'message',
      ciphertext: new Uint8Array(20).fill(0xc1),
      nonce: new Uint8Array(12).fill(2),
      peer: SENDER,
      live: true,
    });
  });

  it('leaves the ciphertext where it is', () => {
    const frame = sample({ ref: 77n, push: encodePushHints({ intent: 'alert' }) });
    const peek = peeked(frame);
    const out = forwardMessage(frame, peek, SENDER, { live: true });
    expect(out.buffer).toBe(frame.buffer);
    expect(out.byteOffset + peeked(out).ciphertextOffset).toBe(frame.byteOffset + peek.ciphertextOffset);
  });

  it('hands on neither ref nor push nor anything unknown', () => {
    const tail = [0x80, 1, 9, 0x8a, 1, 2, 0x18, 1, 0xaa, 1, 2, 0xff, 0xff];
    const body = [...sample().subarray(2), ...tail];
    const frame = Uint8Array.of(0x62, body.length, ...body);
    const out = forwardMessage(frame, peeked(frame), SENDER, { live: true });
    expect(out).toEqual(sample({ peer: SENDER }));
  });

  it('moves the header when the cut makes the length shorter by a byte', () => {
    const overhead = sample({ ciphertext: new Uint8Array(1000) }).length - 1003;
    for (const border of [128, 16_384, 2_097_152]) {
      const ciphertext = new Uint8Array(border - 1 - overhead).fill(0xc1);
      const frame = sample({ ciphertext, ref: 2n ** 40n });
      const out = forwardMessage(frame, peeked(frame), SENDER, { live: true });
      expect(Buffer.compare(out, sample({ ciphertext, peer: SENDER }))).toBe(0);
      expect(out.buffer).toBe(frame.buffer);
    }
  });

  it('delivers a live message as not live where asked, and never the other way round', () => {
    const live = sample();
    expect(forwardMessage(live, peeked(live), SENDER, { live: false })).toEqual(
      sample({ live: false, peer: SENDER }),
    );
    const queued = sample({ live: false });
    expect(forwardMessage(queued, peeked(queued), SENDER, { live: true })).toEqual(
      sample({ live: false, peer: SENDER }),
    );
  });

  it('adds a seq in the room of the tail, or in a copy when there is none', () => {
    const roomy = sample({ live: false, ref: 2n ** 60n });
    const inPlace = forwardMessage(roomy, peeked(roomy), SENDER, { live: false, seq: 5n });
    expect(inPlace.buffer).toBe(roomy.buffer);
    const tight = sample({ live: false });
    const copy = forwardMessage(tight, peeked(tight), SENDER, { live: false, seq: 5n });
    expect(copy.buffer).not.toBe(tight.buffer);
    for (const out of [inPlace, copy]) expect(out).toEqual(sample({ live: false, seq: 5n, peer: SENDER }));
  });

  it('writes nothing outside the frame', () => {
    const frame = sample({ ref: 1n });
    const buffer = concatBytes(Uint8Array.of(1, 2, 3), frame, Uint8Array.of(4, 5, 6));
    const window = buffer.subarray(3, 3 + frame.length);
    forwardMessage(window, peeked(window), SENDER, { live: true, seq: 2n ** 64n - 1n });
    expect([...buffer.subarray(0, 3), ...buffer.subarray(3 + frame.length)]).toEqual([1, 2, 3, 4, 5, 6]);
  });

  it('still names the sender when the recipient had another length', () => {
    const frame = sample({ peer: Uint8Array.of(1) });
    const out = forwardMessage(frame, peeked(frame), SENDER, { live: true });
    expect(out).toEqual(sample({ peer: SENDER }));
  });
});

import { describe, expect, it } from 'vitest';
import { decodeFrame, encodeFrame, fromHex, toHex } from './index.js';

const hex = (text: string) => fromHex(text, text.length / 2) as Uint8Array;
const filled = (length: number, byte: number) => new Uint8Array(length).fill(byte);

describe('the frame codec', () => {
  it('survives groups nested as deep as a frame allows', () => {
    expect(decodeFrame(filled(512 * 1024, 0x0b))).toBeUndefined();
  });

  it('writes a device login as the compatible family does, byte for byte', () => {
    const bytes = encodeFrame({
      type: 'auth',
      role: {
        kind: 'client',
        namespaceId: filled(2, 0xaa),
        clientEd25519Pub: filled(2, 0xbb),
        deviceToken: 'tok',
        platform: 2,
      },
      signature: filled(3, 0xcc),
      capabilities: [],
    });
    expect(toHex(bytes)).toBe(
      '1216' + '120f' + '0a02aaaa' + '1202bbbb' + '1a03746f6b' + '2002' + '2203cccccc',
    );
  });

  it('writes a live message as the compatible family does, byte for byte', () => {
    const bytes = encodeFrame({
      type: 'message',
      ciphertext: filled(2, 1),
      nonce: filled(1, 2),
      peer: filled(1, 3),
      live: true,
    });
    expect(toHex(bytes)).toBe('620c' + '0a020101' + '120102' + '1a0103' + '2001');
  });

  it('leaves default values of original fields off the wire', () => {
    const bytes = encodeFrame({
      type: 'message',
      ciphertext: filled(1, 1),
      nonce: filled(1, 2),
      peer: filled(1, 3),
      live: false,
    });
    expect(toHex(bytes)).toBe('6209' + '0a0101' + '120102' + '1a0103');
  });

  it('writes extensions after everything original', () => {
    const bytes = encodeFrame({
      type: 'auth',
      role: { kind: 'agent', agentEd25519Pub: filled(1, 9) },
      signature: filled(1, 8),
      capabilities: ['window'],
      invite: 'i',
    });
    expect(toHex(bytes)).toBe(
      '1215' + '0a03' + '0a0109' + '220108' + '8201' + '0677696e646f77' + '8a01' + '0169',
    );
  });

  it('reads an absent member, an unknown one and no bytes at all as an empty frame', () => {
    for (const bytes of [hex(''), hex('9201020801'), hex('f80101')]) {
      expect(decodeFrame(bytes)).toEqual({ type: 'empty' });
    }
  });

  it('tells an absent extension from one with its default value', () => {
    expect(decodeFrame(hex('6a03800100'))).toEqual({ type: 'peer_offline', peer: hex(''), ref: 0n });
    expect(decodeFrame(hex('6a00'))).toEqual({ type: 'peer_offline', peer: hex('') });
  });

  it('takes the last member of a oneof', () => {
    expect(decodeFrame(hex('4a007200'))).toEqual({ type: 'presence_request' });
  });

  it('merges a member that comes twice', () => {
    expect(decodeFrame(hex('62030a0101' + '6203120102'))).toEqual({
      type: 'message',
      ciphertext: hex('01'),
      nonce: hex('02'),
      peer: hex(''),
      live: false,
    });
  });

  it('reads a login without a role', () => {
    expect(decodeFrame(hex('1200'))).toEqual({
      type: 'auth',
      role: { kind: 'none' },
      signature: hex(''),
      capabilities: [],
    });
  });

  it('refuses text that is not UTF-8', () => {
    expect(decodeFrame(hex('22030a01ff'))).toBeUndefined();
  });

  it('sends lone surrogates as the replacement character', () => {
    const bytes = encodeFrame({ type: 'error', code: 'bad_request', message: 'a\ud800b' });
    expect(decodeFrame(bytes)).toEqual({ type: 'error', code: 'bad_request', message: 'a\ufffdb' });
  });

  it('keeps all 64 bits of a reference', () => {
    const frame = { type: 'accepted', ref: 2n ** 64n - 1n } as const;
    expect(decodeFrame(encodeFrame(frame))).toEqual(frame);
  });

  it('reads a frame that is a window of a larger buffer', () => {
    const buffer = new Uint8Array(64).fill(0xff);
    buffer.set(hex('4a00'), 20);
    expect(decodeFrame(buffer.subarray(20, 22))).toEqual({ type: 'pairing_stop' });
  });

  it('refuses to encode a number that does not fit its field', () => {
    expect(() => encodeFrame({ type: 'pairing_ready', ttl: -1 })).toThrow();
    expect(() => encodeFrame({ type: 'accepted', ref: 2n ** 64n })).toThrow();
  });
});

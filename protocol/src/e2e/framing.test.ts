import { deflateRawSync, deflateSync } from 'node:zlib';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { parseStrict } from '../json/index.js';
import { frameBody, paddedBytes, unframe } from './index.js';

const MIB = 1024 * 1024;
const utf8 = (text: string) => new TextEncoder().encode(text);
const framed = (version: number, compression: number, body: Uint8Array) =>
  new Uint8Array(Buffer.concat([Uint8Array.of(version, compression), body]));

describe('a sender', () => {
  test.each([
    [1, 512],
    [512, 512],
    [513, 1_024],
    [1_024, 1_024],
    [1_025, 2_048],
    [2_048, 2_048],
    [2_049, 4_096],
    [4_096, 4_096],
    [4_097, 8_192],
    [61_440, 61_440],
  ])('pads %i bytes to %i', (bytes, padded) => expect(paddedBytes(bytes)).toBe(padded));

  test('pads a queued body with spaces to its class, header included', () => {
    const plaintext = frameBody('{"a":1}', 'queued');
    expect(plaintext).toHaveLength(512);
    expect(Buffer.from(plaintext).toString()).toBe(`\u0001\u0000{"a":1}${' '.repeat(503)}`);
    expect(frameBody('x'.repeat(510), 'queued')).toHaveLength(512);
    expect(frameBody('x'.repeat(511), 'queued')).toHaveLength(1_024);
  });

  test('leaves a live body as it is', () => {
    expect(frameBody('{"é":1}', 'none')).toEqual(framed(1, 0, utf8('{"é":1}')));
  });

  test('refuses more than 61,440 bytes queued and 523,248 live', () => {
    expect(frameBody('x'.repeat(61_438), 'queued')).toHaveLength(61_440);
    expect(frameBody('x'.repeat(523_246), 'none')).toHaveLength(523_248);
    for (const [length, padding] of [
      [61_439, 'queued'],
      [523_247, 'none'],
    ] as const) {
      expect(() => frameBody('x'.repeat(length), padding)).toThrow(
        expect.objectContaining({ code: 'payload_too_large' }),
      );
    }
  });
});

describe('a receiver', () => {
  const body = utf8('{"kind":"hello"}');

  test.each([
    ['an uncompressed body', framed(1, 0, body)],
    ['a zlib body', framed(1, 1, deflateSync(body))],
    ['a raw DEFLATE body', framed(1, 1, deflateRawSync(body))],
    [
      'a zlib body with zeros behind it',
      framed(1, 1, Buffer.concat([deflateSync(body), new Uint8Array(99)])),
    ],
    [
      'a raw body with zeros behind it',
      framed(1, 1, Buffer.concat([deflateRawSync(body), new Uint8Array(99)])),
    ],
  ])('reads %s', async (_what, plaintext) => expect(await unframe(plaintext)).toEqual({ ok: body }));

  test.each([
    ['nothing', new Uint8Array(), 'malformed'],
    ['half a header', Uint8Array.of(1), 'malformed'],
    ['version 0', framed(0, 0, body), 'version'],
    ['version 2', framed(2, 1, body), 'version'],
    ['compression 2', framed(1, 2, body), 'compression'],
    ['compression 255', framed(1, 255, body), 'compression'],
    ['text that claims to be compressed', framed(1, 1, body), 'malformed'],
    ['a compressed body of no bytes', framed(1, 1, new Uint8Array()), 'malformed'],
    ['junk behind a stream', framed(1, 1, Buffer.concat([deflateSync(body), Uint8Array.of(7)])), 'malformed'],
    ['a bomb', framed(1, 1, deflateSync(new Uint8Array(8 * MIB + 1))), 'malformed'],
    ['too large a body', framed(1, 0, new Uint8Array(8 * MIB + 1)), 'too_large'],
  ])('drops %s', async (_what, plaintext, dropped) => expect(await unframe(plaintext)).toEqual({ dropped }));

  test('inflates exactly 8 MiB', async () => {
    const { ok } = await unframe(framed(1, 1, deflateSync(new Uint8Array(8 * MIB))));
    expect(ok).toHaveLength(8 * MIB);
  });

  test('gives back what a sender framed, padding being JSON white space', async () => {
    const property = fc.asyncProperty(
      fc.dictionary(fc.string({ maxLength: 5 }), fc.string()).filter((o) => !Object.hasOwn(o, '__proto__')),
      fc.constantFrom('queued' as const, 'none' as const),
      async (value, padding) => {
        const { ok } = await unframe(frameBody(JSON.stringify(value), padding));
        expect(parseStrict(ok as Uint8Array)).toEqual({ ...value });
      },
    );
    await fc.assert(property);
  });

  test('never throws, whatever was authenticated', async () => {
    const property = fc.asyncProperty(fc.uint8Array({ maxLength: 60 }), async (bytes) => {
      const result = await unframe(bytes);
      expect(result.ok === undefined).toBe(result.dropped !== undefined);
    });
    await fc.assert(property, { numRuns: 300 });
  });
});

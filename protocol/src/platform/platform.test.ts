import { deflateRawSync, deflateSync } from 'node:zlib';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { platform as node } from './node.js';
import { MAX_TIMER_MS } from './platform.internals.js';
import { platform as web } from './web.js';

const MIB = 1024 * 1024;
const hex = (text: string) => new Uint8Array(Buffer.from(text, 'hex'));
const ascii = (text: string) => new TextEncoder().encode(text);
const bytes = (...parts: (Uint8Array | number[])[]) =>
  new Uint8Array(Buffer.concat(parts.map((p) => Buffer.from(p))));
const toHex = (data: Uint8Array | undefined) => data && Buffer.from(data).toString('hex');

describe.each([
  ['node', node],
  ['web', web],
])('the platform %s', (runtime, platform) => {
  test('says which it is', () => expect(platform.runtime).toBe(runtime));

  test('hashes as FIPS 180-4 does', async () => {
    expect(toHex(await platform.sha256(ascii('abc')))).toBe(
      'ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad',
    );
  });

  test('derives as RFC 5869 test case 1 does', async () => {
    const okm = await platform.hkdfSha256(
      new Uint8Array(22).fill(0x0b),
      hex('000102030405060708090a0b0c'),
      hex('f0f1f2f3f4f5f6f7f8f9'),
      42,
    );
    expect(toHex(okm)).toBe(
      '3cb25f25faacd57a90434f64d0362f2a2d2d0a90cf1a5a4c5db02d56ecc4c5bf34007208d5b887185865',
    );
  });

  test('stretches as RFC 7914 section 11 does', async () => {
    const key = await platform.pbkdf2Sha256(ascii('passwd'), ascii('salt'), 1, 64);
    expect(toHex(key)).toBe(
      '55ac046e56e3089fec1691c22544b605f94185216dde0465e68b9d57c20dacbc' +
        '49ca9cccf179b645991664b39d77ef317c71b845b1e30bd509112041d3a19783',
    );
  });

  describe('AES-256-GCM', () => {
    const key = new Uint8Array(32).fill(7);
    const nonce = new Uint8Array(12).fill(9);
    const aad = ascii('who');

    test('opens what it sealed, the empty text included', async () => {
      for (const text of [ascii('secret'), new Uint8Array()]) {
        const sealed = await platform.aesGcmSeal(key, nonce, aad, text);
        expect(sealed).toHaveLength(text.length + 16);
        expect(await platform.aesGcmOpen(key, nonce, aad, sealed)).toEqual(text);
      }
    });

    test('gives nothing when any bit of text, tag, nonce or AAD differs', async () => {
      const sealed = await platform.aesGcmSeal(key, nonce, aad, ascii('secret'));
      for (let at = 0; at < sealed.length; at++) {
        const forged = sealed.slice();
        forged[at] = (forged[at] as number) ^ 1;
        expect(await platform.aesGcmOpen(key, nonce, aad, forged)).toBeUndefined();
      }
      expect(await platform.aesGcmOpen(key, nonce, ascii('whom'), sealed)).toBeUndefined();
      expect(await platform.aesGcmOpen(key, new Uint8Array(12), aad, sealed)).toBeUndefined();
    });

    test('takes no tag shorter than 16 bytes', async () => {
      const sealed = await platform.aesGcmSeal(key, nonce, aad, new Uint8Array());
      for (let length = 0; length < 16; length++) {
        expect(await platform.aesGcmOpen(key, nonce, aad, sealed.slice(0, length))).toBeUndefined();
      }
    });
  });

  describe('inflate', () => {
    const text = ascii('to be or not to be, that is the question. '.repeat(40));
    /** A stored block of zeros: a stream that itself ends in many zero bytes. */
    const zeros = (length: number) => deflateRawSync(new Uint8Array(length), { level: 0 });
    const zlib = deflateSync(text);
    const raw = deflateRawSync(text);

    test('reads zlib and raw DEFLATE', async () => {
      expect(await platform.inflate(zlib, 'zlib', MIB)).toEqual(text);
      expect(await platform.inflate(raw, 'raw', MIB)).toEqual(text);
      expect(await platform.inflate(deflateSync(new Uint8Array()), 'zlib', MIB)).toEqual(new Uint8Array());
    });

    test('reads what it deflated', async () => {
      expect(await platform.inflate(await platform.deflate(text), 'zlib', MIB)).toEqual(text);
    });

    test.each([1, 3, 4, 5, 17, 4_095, 70_000])('ignores %i zero bytes after the stream', async (count) => {
      const padding = new Uint8Array(count);
      expect(await platform.inflate(bytes(zlib, padding), 'zlib', MIB)).toEqual(text);
      expect(await platform.inflate(bytes(raw, padding), 'raw', MIB)).toEqual(text);
    });

    test.each([1, 3, 300, 40_000])('knows the %i zeros of a stream from those after it', async (count) => {
      const expected = new Uint8Array(count);
      for (const padding of [0, 1, 5_000]) {
        const data = bytes(zeros(count), new Uint8Array(padding));
        expect(await platform.inflate(data, 'raw', MIB)).toEqual(expected);
      }
    });

    test.each([
      ['a byte', bytes(zlib, [1])],
      ['zeros and a byte', bytes(zlib, [0, 0, 0, 0, 0, 1])],
      ['many zeros and a byte', bytes(zlib, new Uint8Array(50_000), [1])],
      ['a byte and zeros', bytes(zlib, [1, 0, 0])],
      ['a second stream', bytes(zlib, zlib)],
    ])('refuses %s after the stream', async (_what, data) => {
      expect(await platform.inflate(data, 'zlib', MIB)).toBeUndefined();
    });

    test('refuses a stream that is cut off anywhere, padded or not', async () => {
      for (let length = 0; length < zlib.length; length++) {
        expect(await platform.inflate(zlib.subarray(0, length), 'zlib', MIB)).toBeUndefined();
      }
      const cut = bytes(zlib.subarray(0, zlib.length - 5), new Uint8Array(3));
      expect(await platform.inflate(cut, 'zlib', MIB)).toBeUndefined();
    });

    test.each([
      ['nothing', new Uint8Array()],
      ['zeros', new Uint8Array(100)],
      ['text', text],
      ['a wrong checksum', bytes(zlib.subarray(0, -1), [(zlib.at(-1) as number) ^ 1])],
      ['a preset dictionary', deflateSync(text, { dictionary: text.subarray(0, 20) })],
    ])('refuses %s', async (_what, data) => {
      expect(await platform.inflate(data, 'zlib', MIB)).toBeUndefined();
    });

    test('inflates to the bound and not a byte further', async () => {
      const bomb = deflateSync(new Uint8Array(8 * MIB));
      expect(await platform.inflate(bomb, 'zlib', 8 * MIB)).toHaveLength(8 * MIB);
      expect(await platform.inflate(bomb, 'zlib', 8 * MIB - 1)).toBeUndefined();
    });
  });

  test('gives as many random bytes as asked, never the same', () => {
    for (const length of [0, 1, 32, 200_000]) expect(platform.randomBytes(length)).toHaveLength(length);
    expect(platform.randomBytes(32)).not.toEqual(platform.randomBytes(32));
    expect(
      platform
        .randomBytes(200_000)
        .subarray(-32)
        .every((byte) => byte === 0),
    ).toBe(false);
  });

  test('tells the time of this machine', () => {
    expect(Math.abs(platform.now() - Date.now())).toBeLessThan(1_000);
  });

  test('runs a timer once, and not when it was cancelled or its delay is beyond the longest', async () => {
    const ran: string[] = [];
    platform.setTimer(() => ran.push('cancelled'), 0).cancel();
    const long = platform.setTimer(() => ran.push('long'), MAX_TIMER_MS + 10);
    await new Promise<void>((resolve) => platform.setTimer(resolve, 5));
    long.cancel();
    expect(ran).toEqual([]);
  });
});

test('both platforms inflate the same', async () => {
  const edit = fc.record({ at: fc.nat(), value: fc.nat(255), cut: fc.nat(12), zeros: fc.nat(12) });
  const property = fc.asyncProperty(
    fc.uint8Array({ maxLength: 80 }),
    fc.constantFrom('zlib' as const, 'raw' as const),
    fc.option(edit),
    async (plain, format, edited) => {
      const data = Uint8Array.from(format === 'zlib' ? deflateSync(plain) : deflateRawSync(plain));
      if (edited) data[edited.at % data.length] = edited.value;
      const input = bytes(
        data.subarray(0, data.length - (edited?.cut ?? 0)),
        new Uint8Array(edited?.zeros ?? 0),
      );
      expect(await web.inflate(input, format, MIB)).toEqual(await node.inflate(input, format, MIB));
    },
  );
  await fc.assert(property, { numRuns: 150 });
});

import { createHash, createPublicKey, verify } from 'node:crypto';
import { beforeAll, describe, expect, test } from 'vitest';
import { cryptoReady, isSoundEd25519Key, signEd25519, verifyEd25519 } from './index.js';

const hex = (text: string) => new Uint8Array(Buffer.from(text, 'hex'));
const message = new TextEncoder().encode('any message');
const L = 2n ** 252n + 27742317777372353535851937790883648493n;
const P = 2n ** 255n - 19n;

const SEED = hex('9d61b19deffd5a60ba844af492ec2cc44449c5697b326919703bac031cae7f60');
const KEY = hex('d75a980182b10ab7d54bfed3c964073a0ee172f3daa62325af021a68f707511a');

/** The points of order 1, 2, 4 and 8 in all their encodings of 255 bits, with either sign. */
const SMALL_ORDER = [
  '0000000000000000000000000000000000000000000000000000000000000000',
  '0100000000000000000000000000000000000000000000000000000000000000',
  'ecffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f',
  'edffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f',
  'eeffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f',
  '26e8958fc2b227b045c3f489f2ef98f0d5dfac05d3c63339b13802886d53fc05',
  'c7176a703d4dd84fba3c0b760d10670f2a2053fa2c39ccc64ec7fd7792ac037a',
].flatMap((text) => {
  const negative = hex(text);
  negative[31] = (negative[31] as number) | 0x80;
  return [hex(text), negative];
});
const IDENTITY = SMALL_ORDER[2] as Uint8Array;

function littleEndian(value: bigint): Uint8Array {
  return Uint8Array.from({ length: 32 }, (_, i) => Number((value >> BigInt(8 * i)) & 255n));
}

const toNumber = (bytes: Uint8Array) => bytes.reduceRight((sum, byte) => sum * 256n + BigInt(byte), 0n);
const sha512 = (...parts: Uint8Array[]) =>
  new Uint8Array(createHash('sha512').update(Buffer.concat(parts)).digest());
const join = (a: Uint8Array, b: Uint8Array) => new Uint8Array(Buffer.concat([a, b]));

/** The secret scalar of SEED (RFC 8032 §5.1.5). */
function secretScalar(): bigint {
  const half = sha512(SEED).subarray(0, 32);
  half[0] = (half[0] as number) & 248;
  half[31] = ((half[31] as number) & 127) | 64;
  return toNumber(half);
}

/** OpenSSL, which checks no more than RFC 8032 asks: shows that a forgery is one. */
function lenientVerify(signature: Uint8Array, key: Uint8Array): boolean {
  const der = Buffer.concat([Buffer.from('302a300506032b6570032100', 'hex'), key]);
  return verify(null, message, createPublicKey({ key: der, format: 'der', type: 'spki' }), signature);
}

test('before libsodium is ready, signing and verifying say so', async () => {
  // Whoever ran first may have made it ready; then there is nothing to see.
  const run = () => verifyEd25519(new Uint8Array(64), message, KEY);
  try {
    run();
  } catch (error) {
    expect(error).toEqual(new Error('await cryptoReady first'));
  }
  await cryptoReady;
  expect(run()).toBe(false);
});

describe('Ed25519', () => {
  beforeAll(() => cryptoReady);

  test('signs and verifies as RFC 8032 section 7.1 test 1 does', () => {
    const empty = new Uint8Array();
    const expected = hex(
      'e5564300c360ac729086e2cc806e828a84877f1eb8e5d974d873e065224901555fb8821590a33bacc61e39701cf9b46bd25bf5f0595bbe24655141438e7a100b',
    );
    expect(signEd25519(empty, SEED)).toEqual(expected);
    expect(signEd25519(empty, join(SEED, KEY))).toEqual(expected);
    expect(verifyEd25519(expected, empty, KEY)).toBe(true);
  });

  test('refuses a signature with any byte changed, of another message or another key', () => {
    const signature = signEd25519(message, SEED);
    expect(verifyEd25519(signature, message, KEY)).toBe(true);
    for (let at = 0; at < 64; at++) {
      const forged = signature.slice();
      forged[at] = (forged[at] as number) ^ 1;
      expect(verifyEd25519(forged, message, KEY)).toBe(false);
    }
    expect(verifyEd25519(signature, new Uint8Array(), KEY)).toBe(false);
    expect(verifyEd25519(signature, message, signature.subarray(0, 32))).toBe(false);
  });

  test.each([0, 31, 33, 63, 65, 128])('refuses a signature or a key of %i bytes', (length) => {
    expect(verifyEd25519(new Uint8Array(length), message, KEY)).toBe(false);
    const signature = signEd25519(message, SEED);
    expect(verifyEd25519(signature, message, new Uint8Array(length))).toBe(false);
  });

  test('refuses the signature that a small-order key gives to every message', () => {
    // S·B = R + h·A holds for every h when A is the neutral element, R = a·B and S = a.
    const forged = join(KEY, littleEndian(secretScalar() % L));
    expect(lenientVerify(forged, IDENTITY)).toBe(true);
    expect(verifyEd25519(forged, message, IDENTITY)).toBe(false);
  });

  test('refuses a small-order R even where the equation holds', () => {
    const h = toNumber(sha512(IDENTITY, KEY, message)) % L;
    const forged = join(IDENTITY, littleEndian((h * secretScalar()) % L));
    expect(lenientVerify(forged, KEY)).toBe(true);
    expect(verifyEd25519(forged, message, KEY)).toBe(false);
  });

  test.each(SMALL_ORDER.map((point) => [point]))('refuses small-order point %# as key and as R', (small) => {
    expect(isSoundEd25519Key(small)).toBe(false);
    expect(verifyEd25519(join(small, new Uint8Array(32)), message, KEY)).toBe(false);
    expect(verifyEd25519(join(KEY, littleEndian(secretScalar() % L)), message, small)).toBe(false);
  });

  test('refuses S + L in the place of S', () => {
    const signature = signEd25519(message, SEED);
    const s = toNumber(signature.subarray(32));
    expect(s < L).toBe(true);
    const forged = join(signature.subarray(0, 32), littleEndian(s + L));
    expect(verifyEd25519(forged, message, KEY)).toBe(false);
  });

  test('refuses every encoding of y that is not below 2^255 - 19', () => {
    for (let y = P; y < 2n ** 255n; y++) {
      const point = littleEndian(y);
      expect(isSoundEd25519Key(point)).toBe(false);
      point[31] = (point[31] as number) | 0x80;
      expect(isSoundEd25519Key(point)).toBe(false);
      expect(verifyEd25519(join(point, new Uint8Array(32)), message, KEY)).toBe(false);
    }
    expect(isSoundEd25519Key(littleEndian(P - 2n))).toBe(true);
    expect(isSoundEd25519Key(KEY)).toBe(true);
  });

  test('refuses to sign with a key of another length', () => {
    for (const length of [0, 31, 33, 63, 65]) {
      expect(() => signEd25519(message, new Uint8Array(length))).toThrow();
    }
  });
});

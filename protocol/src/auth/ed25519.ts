/**
 * Ed25519 (RFC 8032) by libsodium, verified strictly. Must not know what is signed.
 *
 * libsodium refuses S ≥ L, small-order points and keys that are not canonical; since 1.0.21 it verifies with the
 * cofactor and decodes R, so the check that R is canonical is ours, and so are all checks on points again,
 * because "which signatures are valid" must not change with a version of a library.
 */
import sodium from 'libsodium-wrappers';
import { fromHex } from '../frames/index.js';

export const ED25519_PUBLIC_BYTES = 32;
export const ED25519_SIGNATURE_BYTES = 64;
export const ED25519_SEED_BYTES = 32;
/** libsodium's form of a secret key: seed ‖ public key. */
export const ED25519_SECRET_BYTES = 64;

/** y of the points of order 1, 2, 4 and 8, little-endian, sign of x left out. */
const SMALL_ORDER_Y = [
  '0000000000000000000000000000000000000000000000000000000000000000',
  '0100000000000000000000000000000000000000000000000000000000000000',
  'ecffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f',
  '26e8958fc2b227b045c3f489f2ef98f0d5dfac05d3c63339b13802886d53fc05',
  'c7176a703d4dd84fba3c0b760d10670f2a2053fa2c39ccc64ec7fd7792ac037a',
].map((hex) => fromHex(hex, ED25519_PUBLIC_BYTES) as Uint8Array);

/** Whether two encodings have the same y. */
function sameY(a: Uint8Array, b: Uint8Array): boolean {
  for (let i = 0; i < 31; i++) if (a[i] !== b[i]) return false;
  return ((a[31] as number) & 0x7f) === ((b[31] as number) & 0x7f);
}

/** Whether y < p = 2^255 − 19, as RFC 8032 §5.1.3 demands of an encoding. */
function isCanonicalY(point: Uint8Array): boolean {
  if (((point[31] as number) & 0x7f) !== 0x7f) return true;
  for (let i = 30; i > 0; i--) if (point[i] !== 0xff) return true;
  return (point[0] as number) < 0xed;
}

function isSoundPoint(point: Uint8Array): boolean {
  return isCanonicalY(point) && !SMALL_ORDER_Y.some((y) => sameY(point, y));
}

/** Whether 32 bytes may serve as an Ed25519 key: canonical and not of small order. Does not decode the point. */
export function isSoundEd25519Key(publicKey: Uint8Array): boolean {
  return publicKey.length === ED25519_PUBLIC_BYTES && isSoundPoint(publicKey);
}

/**
 * Whether the signature is valid. Refuses wrong lengths, S ≥ L, small-order and non-canonical R and keys.
 * Synchronous once `cryptoReady` has resolved; before that it throws, whatever the input, and afterwards never.
 */
export function verifyEd25519(signature: Uint8Array, message: Uint8Array, publicKey: Uint8Array): boolean {
  requireReady();
  if (signature.length !== ED25519_SIGNATURE_BYTES || !isSoundEd25519Key(publicKey)) return false;
  if (!isSoundPoint(signature.subarray(0, ED25519_PUBLIC_BYTES))) return false;
  try {
    return sodium.crypto_sign_verify_detached(signature, message, publicKey);
  } catch {
    return false;
  }
}

/**
 * Signs with libsodium's 64-byte secret key or with the 32-byte seed. Synchronous once `cryptoReady` has resolved.
 * @throws Error for a key of another length.
 */
export function signEd25519(message: Uint8Array, secretKeyOrSeed: Uint8Array): Uint8Array {
  requireReady();
  const isSeed = secretKeyOrSeed.length === ED25519_SEED_BYTES;
  const secretKey = isSeed ? sodium.crypto_sign_seed_keypair(secretKeyOrSeed).privateKey : secretKeyOrSeed;
  return sodium.crypto_sign_detached(message, secretKey);
}

function requireReady(): void {
  if (typeof sodium.crypto_sign_detached !== 'function') throw new Error('await cryptoReady first');
}

/** Keys of an identity and of a pairing window (02 §1). Must not know where they are kept or whom they serve. */

import sodium from 'libsodium-wrappers';
import { platform } from '#platform';
import { cryptoReady } from '../auth/index.js';
import { CountersignError, SEAL, utf8 } from '../frames/index.js';

const KDF_SALT = utf8('skald-kdf-v1');
const X25519_INFO = utf8('x25519');
const ED25519_INFO = utf8('ed25519');

export interface KeyPair {
  /** 32 bytes each. */
  readonly publicKey: Uint8Array;
  readonly secretKey: Uint8Array;
}

export interface IdentityKeys {
  readonly ed25519Public: Uint8Array;
  /** libsodium's form: seed ‖ public key, 64 bytes. */
  readonly ed25519Secret: Uint8Array;
  readonly x25519Public: Uint8Array;
  readonly x25519Secret: Uint8Array;
}

/**
 * Both key pairs of a 32-byte seed, each from its own HKDF-SHA256 output (RFC 5869).
 * @throws CountersignError `invalid_request` for a seed of another length.
 */
export async function deriveIdentity(seed: Uint8Array): Promise<IdentityKeys> {
  if (seed.length !== SEAL.seedBytes) throw new CountersignError('invalid_request', 'A seed has 32 bytes');
  const x25519Secret = await platform.hkdfSha256(seed, KDF_SALT, X25519_INFO, SEAL.keyBytes);
  const ed25519Seed = await platform.hkdfSha256(seed, KDF_SALT, ED25519_INFO, SEAL.keyBytes);
  await cryptoReady;
  const { publicKey, privateKey } = sodium.crypto_sign_seed_keypair(ed25519Seed);
  return {
    ed25519Public: publicKey,
    ed25519Secret: privateKey,
    x25519Public: sodium.crypto_scalarmult_base(x25519Secret),
    x25519Secret,
  };
}

/** A fresh random X25519 pair (RFC 7748), as the agent makes one for every pairing window. */
export async function newX25519(): Promise<KeyPair> {
  const secretKey = platform.randomBytes(SEAL.keyBytes);
  await cryptoReady;
  return { publicKey: sodium.crypto_scalarmult_base(secretKey), secretKey };
}

/**
 * X25519 (RFC 7748 §6.1), 32 bytes.
 * @throws CountersignError `bad_request` for keys of another length and for a peer key that gives zero.
 */
export async function sharedSecret(mySecret: Uint8Array, theirPublic: Uint8Array): Promise<Uint8Array> {
  await cryptoReady;
  const shared = multiply(mySecret, theirPublic);
  if (shared === undefined || sodium.is_zero(shared)) {
    throw new CountersignError('bad_request', 'The peer offered an X25519 key nobody can agree on');
  }
  return shared;
}

/** Undefined where libsodium refuses. */
function multiply(mySecret: Uint8Array, theirPublic: Uint8Array): Uint8Array | undefined {
  try {
    return sodium.crypto_scalarmult(mySecret, theirPublic);
  } catch {
    return undefined;
  }
}

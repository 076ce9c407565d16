/** Ed25519 keys of the generator. Signs with the system's library, which is faster than what a server verifies with. */
import { createPrivateKey, createPublicKey, type KeyObject, randomBytes, sign } from 'node:crypto';

/** PKCS #8 (RFC 8410 §7) in front of a seed. */
const PRIVATE_PREFIX = Buffer.from('302e020100300506032b657004220420', 'hex');
const PUBLIC_BYTES = 32;

export interface SigningKey {
  readonly publicKey: Uint8Array;
  readonly secret: KeyObject;
}

export function newSigningKey(): SigningKey {
  const der = Buffer.concat([PRIVATE_PREFIX, randomBytes(PUBLIC_BYTES)]);
  const secret = createPrivateKey({ key: der, format: 'der', type: 'pkcs8' });
  const spki = createPublicKey(secret).export({ format: 'der', type: 'spki' });
  return { publicKey: new Uint8Array(spki.subarray(spki.length - PUBLIC_BYTES)), secret };
}

export function signWith({ secret }: SigningKey, text: Uint8Array): Uint8Array {
  return new Uint8Array(sign(null, text, secret));
}

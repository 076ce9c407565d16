/**
 * What a login signs, and how a challenge is bound to the relay that made it, so that no other relay can
 * forward it (01 §3). Must not know frames' encoding or connections.
 */
import { platform } from '#platform';
import { bytesEqual, CountersignError, concatBytes, utf8 } from '../frames/index.js';

const ZERO = new Uint8Array(1);
const AUTH_TAG = utf8('skald-relay-auth-v1');
const RELAY_TAG = utf8('countersign-relay-v1');
const NAMESPACE_TAG = utf8('skald-namespace-v1');

/** Length of a challenge nonce, and of its two halves. */
export const CHALLENGE_BYTES = 32;
const HALF_BYTES = 16;

/** Length of the short name of a pairing window. */
export const WINDOW_BYTES = 16;

/** r ‖ SHA-256("countersign-relay-v1" ‖ 0 ‖ r ‖ authority)[0..16]. `r` is 16 random bytes. */
export async function challengeNonce(r: Uint8Array, authority: string): Promise<Uint8Array> {
  if (r.length !== HALF_BYTES) throw new CountersignError('invalid_request', 'r must be 16 bytes');
  const digest = await platform.sha256(concatBytes(RELAY_TAG, ZERO, r, utf8(authority)));
  return concatBytes(r, digest.subarray(0, HALF_BYTES));
}

/** Whether the challenge was made by (or for) the relay of this authority. */
export async function isBoundTo(nonce: Uint8Array, authority: string): Promise<boolean> {
  if (nonce.length !== CHALLENGE_BYTES) return false;
  return bytesEqual(nonce, await challengeNonce(nonce.subarray(0, HALF_BYTES), authority));
}

/** The bytes a login signs: "skald-relay-auth-v1" ‖ 0 ‖ nonce. */
export function challengeText(nonce: Uint8Array): Uint8Array {
  return concatBytes(AUTH_TAG, ZERO, nonce);
}

/** SHA-256("skald-namespace-v1" ‖ 0 ‖ agent's Ed25519 key), 32 bytes. */
export function namespaceIdOf(agentEd25519: Uint8Array): Promise<Uint8Array> {
  return platform.sha256(concatBytes(NAMESPACE_TAG, ZERO, agentEd25519));
}

/** SHA-256(pairing_token)[0..16]: names a pairing window without giving its token away. */
export async function windowOf(pairingToken: Uint8Array): Promise<Uint8Array> {
  return (await platform.sha256(pairingToken)).slice(0, WINDOW_BYTES);
}

/** The checks every role shares: its key and its signature over the challenge (01 §3, rows 1–3). */
import { WIRE } from '@countersign/protocol';
import { challengeText, verifyEd25519 } from '@countersign/protocol/auth';
import type { PeerRole } from '../../ports/index.js';
import { type LoginRefusal, refusal } from './login.types.js';

export interface Proof {
  readonly role: PeerRole;
  readonly key: Uint8Array;
  readonly signature: Uint8Array;
  readonly challenge: Uint8Array;
}

/** Undefined when the peer holds the key it names. */
export function checkProof({ role, key, signature, challenge }: Proof): LoginRefusal | undefined {
  if (key.length !== WIRE.ed25519PublicBytes)
    return refusal(role, 'bad_request', 'the Ed25519 key must have 32 bytes');
  if (signature.length !== WIRE.signatureBytes) {
    return refusal(role, 'bad_request', 'the signature must have 64 bytes');
  }
  if (verifyEd25519(signature, challengeText(challenge), key)) return undefined;
  return refusal(role, 'invalid_signature', 'the signature does not match this key and this challenge');
}

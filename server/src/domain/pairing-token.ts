/** How a pairing token is kept: hashed, and not by the hash whose half names the window to the agent (01 §2). */
import { concatBytes, utf8 } from '@countersign/protocol';
import type { Hash } from '../ports/index.js';

const TAG = utf8('countersign-relay-pairing-token\0');

export function hashToken(hash: Hash, token: Uint8Array): Uint8Array {
  return hash.sha256(concatBytes(TAG, token));
}

/** From a leased row to what a provider is handed. Must not know when it is sent. */
import { concatBytes } from '@countersign/protocol';
import type { Hash, LeasedPush, Push } from '../../ports/index.js';
import { PUSH } from './push-limits.js';

/** So that a hint can never be chosen to look like the number of a message. */
const BY_HINT = Uint8Array.of(1);
const BY_SEQ = Uint8Array.of(0);

export interface PushNaming {
  readonly hash: Hash;
  /** The relay's own key; whoever does not have it cannot link names to devices or items. */
  readonly key: Uint8Array;
}

export function makePush(leased: LeasedPush, naming: PushNaming, now: number): Push {
  const { registration, content, intent, expiresAt, namespaceId, agent } = leased;
  const { handle, deviceToken: token, app, environment, vapidPublicKey } = registration;
  return {
    target: { token, app, environment, vapidPublicKey },
    address: handle === undefined ? { namespaceId, sender: agent } : { handle },
    content: content === undefined ? { kind: 'wake' } : { kind: 'content', ...content },
    intent: intent === 'replace' ? 'replace' : 'alert',
    collapse: collapseOf(leased, naming),
    ttlMs: Math.max(PUSH.minTtlMs, expiresAt - now),
  };
}

/** Provider-visible, the same for every try and for what replaces it (04 §1). */
function collapseOf({ device, collapse, seq }: LeasedPush, { hash, key }: PushNaming): Uint8Array {
  const item = collapse === undefined ? [BY_SEQ, bytesOf(seq)] : [BY_HINT, collapse];
  return hash.hmacSha256(key, concatBytes(device, ...item)).subarray(0, PUSH.collapseIdBytes);
}

function bytesOf(seq: number): Uint8Array {
  const bytes = new Uint8Array(8);
  new DataView(bytes.buffer).setBigUint64(0, BigInt(seq));
  return bytes;
}

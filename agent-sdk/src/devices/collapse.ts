/**
 * What names an item to the relay without telling it which: the `collapse` of its hints (04 §1). Must not know items.
 */
import { createHmac, hkdfSync } from 'node:crypto';
import { WIRE } from '@countersign/protocol';
import type { PairingRow } from '../store/index.js';

/** Separates this key from the one messages are sealed under, which comes from the same secret (02 §2). */
const SALT = 'countersign-push-v1';
const KEY_BYTES = 32;

/**
 * 16 bytes that are the same for the same `about` within a pairing, and say nothing to who lacks its key: the window's
 * own X25519 secret, which serves this one device (02 §1).
 */
export function collapseOf(
  { agentX25519Secret }: Pick<PairingRow, 'agentX25519Secret'>,
  about: string,
): Uint8Array {
  const key = new Uint8Array(hkdfSync('sha256', agentX25519Secret, SALT, 'collapse', KEY_BYTES));
  const mac = createHmac('sha256', key).update(about, 'utf8').digest();
  return new Uint8Array(mac.subarray(0, WIRE.pushCollapseBytes));
}

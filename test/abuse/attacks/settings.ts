/** Settings that many attacks share, so that one relay serves them all. Must not know the attacks. */
import type { AttackOptions } from '../attack.js';

/** Who may say from which address it forwards. */
export const PROXY = '127.0.0.1';

/** The limits as they are. */
export const plain = () => ({ trustedProxies: [PROXY] });

export const FAST = { bucketMessages: 1_000_000_000, bucketMessagesPerSecond: 1_000_000 };
export const UNLIMITED = { newConnectionsPerAddressPerMinute: 1_000_000, openBeforeLoginPerAddress: 10_000 };

const HURRIED_SLOW_MS = 1000;

/** For attackers whose rates and addresses are not what is tried. */
export function roomy({ hurried }: AttackOptions) {
  return { ...FAST, ...UNLIMITED, ...(hurried ? { slowReaderMs: HURRIED_SLOW_MS } : {}) };
}

/** Pushes of any size for the payload tests of the adapters. */
import type { Push } from '../../ports/index.js';

export const KEYS = { namespaceId: new Uint8Array(32).fill(0xab), sender: new Uint8Array(32).fill(0xcd) };
export const HANDLE = { handle: new Uint8Array(16).fill(0xef) };

export function pushOf(ciphertextBytes: number | 'wake', change: Partial<Push> = {}): Push {
  const ciphertext = new Uint8Array(ciphertextBytes === 'wake' ? 0 : ciphertextBytes).fill(0xff);
  return {
    target: { token: 'token' },
    address: KEYS,
    content:
      ciphertextBytes === 'wake'
        ? { kind: 'wake' }
        : { kind: 'content', nonce: new Uint8Array(12), ciphertext },
    intent: 'alert',
    collapse: new Uint8Array(24),
    ttlMs: 60_000,
    ...change,
  };
}

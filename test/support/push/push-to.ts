/** Pushes for tests. Knows no provider. */
import type { Push, PushTarget } from '@countersign/server/ports';

let collapses = 0;

/** An alert with content for a device; what is left out is ordinary. */
export function pushTo(target: PushTarget, change: Partial<Push> = {}): Push {
  collapses += 1;
  const collapse = new Uint8Array(24);
  new DataView(collapse.buffer).setUint32(0, collapses);
  return {
    target,
    address: { namespaceId: new Uint8Array(32).fill(1), sender: new Uint8Array(32).fill(2) },
    content: { kind: 'content', nonce: new Uint8Array(12).fill(3), ciphertext: new Uint8Array(500).fill(4) },
    intent: 'alert',
    collapse,
    ttlMs: 600_000,
    ...change,
  };
}

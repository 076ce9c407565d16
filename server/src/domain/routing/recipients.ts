/** Who may be written to: from a device its agent, from the agent any authorized device (01 §5). */
import { bytesEqual } from '@countersign/protocol';
import type { PeerIdentity, RelayContext } from '../context.js';
import { keyOf } from '../keys.js';

/** At once unless the authorized devices must be read first. */
export function mayWriteTo(
  { authorizations }: RelayContext,
  peer: PeerIdentity,
  recipient: Uint8Array,
): boolean | Promise<boolean> {
  if (peer.role === 'client') return bytesEqual(recipient, peer.agent);
  const devices = authorizations.devices(peer.namespaceId);
  const key = keyOf(recipient);
  return devices instanceof Promise ? devices.then((set) => set.has(key)) : devices.has(key);
}

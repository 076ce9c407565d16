/** What a login comes to. */
import type { WireCode } from '@countersign/protocol';
import type { PairedDevice, PeerRole } from '../../ports/index.js';
import type { AddressPrefix } from '../admission/address-prefix.js';
import type { PeerIdentity } from '../context.js';
import type { DeviceFields } from './device-fields.js';

/** What is known of a connection before its login. */
export interface LoginOrigin {
  readonly challenge: Uint8Array;
  readonly prefixes: readonly AddressPrefix[];
}

export interface LoginRefusal {
  readonly kind: 'refused';
  readonly role: PeerRole | 'unknown';
  readonly code: WireCode;
  readonly message: string;
}

/** Holds the namespace in `authorizations`: whoever takes it, drops it. */
export interface PeerLogin {
  readonly kind: 'peer';
  readonly identity: PeerIdentity;
  /** An agent whose namespace is stored only with its first pairing window. */
  readonly unstored: boolean;
  /** What a device told of itself. */
  readonly device?: DeviceFields | undefined;
}

export interface PairingLogin {
  readonly kind: 'pairing';
  readonly namespaceId: Uint8Array;
  readonly agent: Uint8Array;
  readonly device: PairedDevice;
  readonly capabilities: readonly string[];
  readonly again: boolean;
}

export type LoginResult = LoginRefusal | PeerLogin | PairingLogin;

export function refusal(role: LoginRefusal['role'], code: WireCode, message: string): LoginRefusal {
  return { kind: 'refused', role, code, message };
}

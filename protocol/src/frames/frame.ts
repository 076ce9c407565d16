/**
 * The frames as the rest of the house sees them: one discriminated union, free of the library's types.
 * Byte members of a decoded frame are views of the received bytes. Nothing here is validated beyond its wire
 * type: lengths, roles and limits are judged by whoever acts on a frame. Must not know any encoding.
 */

export type AuthRole =
  | { kind: 'agent'; agentEd25519Pub: Uint8Array }
  | {
      kind: 'client';
      namespaceId: Uint8Array;
      clientEd25519Pub: Uint8Array;
      deviceToken: string;
      platform: number;
      app?: string | undefined;
    }
  | {
      kind: 'pairing';
      namespaceId: Uint8Array;
      clientEd25519Pub: Uint8Array;
      clientX25519Pub: Uint8Array;
      pairingToken: Uint8Array;
      deviceToken: string;
      platform: number;
      app?: string | undefined;
    }
  | { kind: 'none' };

/** `peer` is the recipient on the way in and the authenticated sender on the way out. */
export interface MessageFrame {
  type: 'message';
  ciphertext: Uint8Array;
  nonce: Uint8Array;
  peer: Uint8Array;
  live: boolean;
  /** Inbound: the sender's own handle. */
  ref?: bigint | undefined;
  /** Inbound, from agents: serialized PushHints, see `decodePushHints`. */
  push?: Uint8Array | undefined;
  /** Outbound: the relay's sequence of a stored message. */
  seq?: bigint | undefined;
}

export type RelayFrame =
  | { type: 'challenge'; nonce: Uint8Array }
  | {
      type: 'auth';
      role: AuthRole;
      signature: Uint8Array;
      capabilities: readonly string[];
      invite?: string | undefined;
    }
  | {
      type: 'auth_ok';
      namespaceId: Uint8Array;
      capabilities: readonly string[];
      pushHandle?: Uint8Array | undefined;
    }
  | { type: 'auth_error'; code: string; message: string }
  | { type: 'authorize'; clients: readonly Uint8Array[] }
  | { type: 'authorize_ok'; authorized: number }
  /** `ttl` in seconds, as in `pairing_ready`. */
  | { type: 'pairing_start'; pairingToken: Uint8Array; ttl: number }
  | { type: 'pairing_ready'; ttl: number }
  | { type: 'pairing_stop' }
  | { type: 'pairing_stop_ok' }
  | {
      type: 'client_paired';
      clientEd25519Pub: Uint8Array;
      clientX25519Pub: Uint8Array;
      platform: number;
      window?: Uint8Array | undefined;
    }
  | MessageFrame
  | { type: 'peer_offline'; peer: Uint8Array; ref?: bigint | undefined }
  | { type: 'presence_request' }
  | { type: 'presence_list'; online: readonly Uint8Array[] }
  | { type: 'presence_event'; pubkey: Uint8Array; status: number }
  | { type: 'error'; code: string; message: string; ref?: bigint | undefined }
  | { type: 'accepted'; ref: bigint }
  | { type: 'received'; seq: bigint }
  | { type: 'push_report'; ref: bigint; peer: Uint8Array; outcome: string; detail: string }
  /** No member, or one nobody here knows. */
  | { type: 'empty' };

export type FrameType = RelayFrame['type'];
export type FrameOf<T extends FrameType> = Extract<RelayFrame, { type: T }>;

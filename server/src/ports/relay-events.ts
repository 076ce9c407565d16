/**
 * What the domain tells the outside about itself: facts for logs and counters, each with a closed list of
 * fields. Ids are raw bytes here and are shortened by whoever prints them; nothing else of a peer appears.
 */
export type RelayEvent =
  | {
      readonly event: 'login';
      readonly role: PeerRole;
      readonly namespace: Uint8Array;
      readonly peer: Uint8Array;
    }
  | { readonly event: 'login_refused'; readonly role: PeerRole | 'unknown'; readonly code: string }
  | {
      readonly event: 'closed';
      readonly role: PeerRole | 'unknown';
      readonly closeCode: number;
      /** Who ended it: the code of a peer may be any number. */
      readonly by: 'relay' | 'peer';
      readonly namespace?: Uint8Array | undefined;
      readonly peer?: Uint8Array | undefined;
    }
  | { readonly event: 'namespace_created'; readonly namespace: Uint8Array }
  | {
      readonly event: 'paired';
      readonly namespace: Uint8Array;
      readonly peer: Uint8Array;
      readonly again: boolean;
    }
  | {
      readonly event: 'authorized';
      readonly namespace: Uint8Array;
      readonly devices: number;
      readonly revoked: number;
    }
  | {
      readonly event: 'frame_refused';
      readonly code: string;
      readonly namespace: Uint8Array;
      readonly peer: Uint8Array;
    }
  /** No proof of receipt in time: the message stays queued and needs another way to its recipient (01 §5). */
  | {
      readonly event: 'unproven';
      readonly namespace: Uint8Array;
      readonly recipient: Uint8Array;
      readonly messages: number;
    }
  /** At most once a minute for each reason. */
  | { readonly event: 'connection_refused'; readonly reason: RefusalReason }
  | { readonly event: 'store_failed'; readonly operation: string; readonly code: string }
  | {
      readonly event: 'collected';
      readonly messages: number;
      readonly devices: number;
      readonly namespaces: number;
    }
  /** The upgrade's Host names no configured public host, so our SDKs will refuse to sign. Told once. */
  | { readonly event: 'host_unknown' }
  /** A forwarded header from an address that is no configured proxy was ignored. Told once. */
  | { readonly event: 'forwarded_header_ignored' };

export type PeerRole = 'agent' | 'client' | 'pairing';

/** Why a connection was turned away before the upgrade. */
export type RefusalReason = 'address_rate' | 'address_open' | 'relay_full' | 'origin' | 'stopping';

export interface RelayEvents {
  emit(event: RelayEvent): void;
}

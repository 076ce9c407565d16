/**
 * What the domain tells the outside about itself: facts for logs and counters, each with a closed list of
 * fields. Ids are raw bytes here and are shortened by whoever prints them; nothing else of a peer appears.
 */
import type { PushProvider } from './notifier.js';
import type { PushReportOutcome, TokenProblem } from './push-outbox.js';

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
  /** A token was not stored; the device is reached by WebSocket alone, or by the token it brought before. */
  | {
      readonly event: 'push_token_ignored';
      readonly namespace: Uint8Array;
      readonly peer: Uint8Array;
      readonly reason: TokenProblem;
    }
  /** What became of a push that will not be tried again. */
  | {
      readonly event: 'push_ended';
      readonly namespace: Uint8Array;
      readonly recipient: Uint8Array;
      readonly outcome: PushReportOutcome;
      readonly reason: string;
    }
  /** Pushes of one credential or origin wait; `reason` is a word of the provider's adapter. */
  | { readonly event: 'push_paused'; readonly provider: PushProvider; readonly reason: string }
  | { readonly event: 'push_resumed'; readonly provider: PushProvider }
  /** So many tokens died at once that it is probably our fault: none is removed until a push is accepted again. */
  | { readonly event: 'push_tokens_kept'; readonly provider: PushProvider; readonly reason: string }
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

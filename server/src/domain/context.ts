/** What every connection of one relay shares. */
import type {
  Clock,
  Hash,
  Random,
  RelayBus,
  RelayEvents,
  RelayStore,
  RelayTally,
  UnprovenMessages,
} from '../ports/index.js';
import type { RateWindow } from './admission/rate-window.js';
import type { WaitingRoom } from './admission/waiting-room.js';
import type { Authorizations } from './authorizations.js';
import type { Pushes, PushPorts } from './push/pushes.js';
import type { Registration } from './registration.js';
import type { RelaySettings } from './settings.js';

export interface RelayPorts {
  readonly clock: Clock;
  readonly random: Random;
  readonly hash: Hash;
  readonly store: RelayStore;
  readonly bus: RelayBus;
  readonly events: RelayEvents;
  readonly unproven: UnprovenMessages;
  /** Without it devices are reached by WebSocket alone. */
  readonly push?: PushPorts | undefined;
}

export interface RelayContext extends RelayPorts {
  readonly settings: RelaySettings;
  readonly authorizations: Authorizations;
  readonly registration: Registration;
  readonly waitingRoom: WaitingRoom;
  readonly tally: RelayTally;
  /** Wrong pairing tokens by address. */
  readonly wrongTokens: RateWindow;
  readonly pushes: Pushes;
}

/** Who a connection proved to be. */
export interface PeerIdentity {
  readonly role: 'agent' | 'client';
  readonly namespaceId: Uint8Array;
  readonly key: Uint8Array;
  /** The namespace's agent: the peer itself or the one it may talk to. */
  readonly agent: Uint8Array;
  /** Announced no capability at all (01 "old peer"). */
  readonly old: boolean;
  /** The capabilities in force. */
  readonly capabilities: readonly string[];
}

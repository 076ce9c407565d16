/** Door "./link": a peer's connection to a relay, for both SDKs. Never the server. */
export { openLink } from './link.js';
export type {
  Link,
  LinkIdentity,
  LinkLogger,
  LinkOptions,
  OpenLink,
  PairAtRelay,
  PairingLogin,
  PushTarget,
} from './link.types.js';
export { LINK, OUTBOX_LIMIT } from './link-limits.js';
export { pairAtRelay } from './pairing-login.js';
export type {
  ClientPaired,
  Effect,
  Incoming,
  LinkHandler,
  LinkProblem,
  LinkState,
  MaybePromise,
  OutboxRow,
  PeerChannel,
  PeerStore,
  PushReport,
  ReceiveVerdict,
} from './ports.js';

/**
 * Limits of one link that the wire does not fix (those are in frames/limits.ts). Each has a test that reaches
 * it. Must not know who enforces them.
 */
import { RECONNECT, ROUTING } from '../frames/index.js';

const KIB = 1024;
const SECOND = 1000;

/** Rows an outbox may hold; {@link import('./ports.js').PeerStore.enqueue} refuses the next with `queue_full`. */
export const OUTBOX_LIMIT = 1000;

export const LINK = {
  /** What arrived and is not yet dealt with. Above either, the connection is closed: the relay keeps the rest. */
  maxInboundItems: 1024,
  maxInboundBytes: 8 * 1024 * KIB,
  /** What an item counts beside its own bytes. */
  inboundItemBytes: 256,
  /** Above a whole live frame, room for what the relay adds when it forwards. */
  inboundFrameSlackBytes: KIB,
  /** A queued message whose handler failed so often is dropped; storage failures never count. */
  maxHandlerAttempts: 5,
  maxRememberedFailures: 256,
  /** A request without an answer for so long ends the connection: answers are matched by order alone. */
  requestTimeoutMs: 15 * SECOND,
  maxWaitingRequests: 64,
  /** Live messages that wait for the rate or the socket, and how long for the latter. */
  maxWaitingLive: 64,
  liveWaitMs: 10 * SECOND,
  /** Nothing more is written while the socket holds so much. */
  maxSocketBufferBytes: 1024 * KIB,
  socketBufferPollMs: 20,
  /** Answers to pings the socket may hold while nothing of it is taken. */
  maxWaitingPongs: 1024,
  /** A proof that does not come for so long, while other bytes do, ends the connection. */
  proofTimeoutMs: 60 * SECOND,
  /** Without `ref`: queued messages on their way at once, at most one per peer, so that their order is never lost. */
  maxRowsInFlight: 16,
  /** With `ref`: queued messages to one peer on their way at once: so many at first, one more with each accepted. */
  firstInFlightPerPeer: 4,
  maxInFlightPerPeer: 32,
  maxInFlightBytesPerPeer: 256 * KIB,
  /** The newest live messages whose `ref` is known, so that a refusal finds its message. */
  maxRememberedLive: 256,
  /** With `received`: nothing dealt with waits longer to be confirmed, nor for more messages or bytes than these. */
  receivedDelayMs: 50,
  receivedMessages: 32,
  receivedBytes: 64 * KIB,
  /** A withheld confirmation holds back those behind it so long (the relay's push has begun by then), or for so many. */
  maxWithheldMs: ROUTING.proofMs + 5 * SECOND,
  maxUnconfirmed: 1024,
  outboxPageRows: 64,
  /** The most a relay's `Retry-After` is followed. */
  maxRetryAfterMs: 300 * SECOND,
  /** A refused message goes again after the first, then doubling up to the second. */
  refusedFirstDelayMs: 2 * SECOND,
  refusedMaxDelayMs: 300 * SECOND,
  /** Without `ref`: refusals that can never turn (`bad_request`, `payload_too_large`) before a message is given up. */
  maxHardRefusals: 3,
  maxSilentCloseMs: 2 * SECOND,
  /** The last 2 s of a closing link: what is queued is written, what arrived is finished. */
  closeWriteMs: 2 * SECOND,
} as const;

/** Sent messages per connection: a burst and a steady rate, below what the relay enforces (01 §6). */
export const PACE = {
  /** An original relay: in no minute as many as 60, requests and probes included. */
  original: { burst: 10, perSecond: (RECONNECT.oldRelayMessagesPerMinute - 15) / 60 },
  ours: { burst: 100, perSecond: 9 },
} as const;

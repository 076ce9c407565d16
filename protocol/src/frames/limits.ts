/**
 * Every number of the wire and of the relay (01), with its unit in its name. Values of RELAY_DEFAULTS are
 * defaults an operator may change; all others are the protocol. Must not know who enforces them.
 */

const KIB = 1024;
const MIB = 1024 * KIB;
const SECOND = 1000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;

/** Sizes of frames and of their members (01 §2, §5, §6). */
export const WIRE = {
  path: '/v1/ws',
  challengeNonceBytes: 32,
  challengeRandomBytes: 16,
  challengeBindingBytes: 16,
  ed25519PublicBytes: 32,
  x25519PublicBytes: 32,
  signatureBytes: 64,
  namespaceIdBytes: 32,
  pairingTokenBytes: 32,
  windowBytes: 16,
  pushHandleBytes: 16,
  pushCollapseBytes: 16,
  messageNonceBytes: 12,
  minCiphertextBytes: 16,
  pingBytes: 8,
  maxAppChars: 64,
  maxCapabilities: 16,
  maxCapabilityBytes: 32,
  /** Before login, and every store-and-forward frame after it. */
  maxQueuedFrameBytes: 64 * KIB,
  /** A live frame after login, the whole of it. */
  maxLiveFrameBytes: 512 * KIB,
  maxLiveCiphertextBytes: 523_264,
  /** Padding class 61,440 and the tag (03 §2). */
  maxQueuedCiphertextBytes: 61_456,
} as const;

/** Login and keepalive (01 §1, §3, §5). */
export const LOGIN = {
  deadlineMs: 30 * SECOND,
  /** While more than half of the places without a login are taken. */
  crowdedDeadlineMs: 5 * SECOND,
  pingEveryMs: 30 * SECOND,
  idleMs: 120 * SECOND,
  /** No inbound byte for so long after a ping: the connection is closed. */
  pingSilenceMs: 30 * SECOND,
} as const;

/** Pairing windows at the relay (01 §3, §4). */
export const WINDOW = {
  defaultTtlSeconds: 300,
  maxTtlSeconds: 600,
  wrongTokensPerAddressPerMinute: 10,
  /** A pending device nobody authorized is forgotten after this. */
  pendingDeviceMs: 24 * HOUR,
} as const;

/** Routing and queues (01 §2, §5). */
export const ROUTING = {
  /** A live message waits behind older queued ones of its sender, at most so many and so long. */
  liveWaitMaxMessages: 64,
  liveWaitMs: 2 * SECOND,
  /** Without a proof of receipt for so long the push path starts. */
  proofMs: 10 * SECOND,
  maxUnprovenDrainBytes: 256 * KIB,
  /** (sender, recipient, nonce) accepted in this time is accepted again without a second row. */
  dedupMs: 24 * HOUR,
  agentQueueMaxMessages: 200,
  agentQueueMaxBytes: 4 * MIB,
  deviceQueueMaxMessages: 64,
  deviceQueueMaxBytes: MIB,
  queuedMessageMs: 7 * DAY,
  /** Messages that wait for an agent without capabilities. */
  oldAgentMessageMs: 120 * SECOND,
  maxBufferedBytes: MIB,
  slowReaderMs: 10 * SECOND,
  refUniqueMs: 7 * DAY,
  unsentReportMs: 24 * HOUR,
  maxUnsentReportsPerAgent: 1000,
} as const;

/** What an operator may configure (01 §6). */
export const RELAY_DEFAULTS = {
  maxConnections: 50_000,
  maxConnectionsBeforeLogin: 1000,
  maxNewConnectionsPerAddressPerMinute: 120,
  maxOpenBeforeLoginPerAddress: 64,
  ipv4PrefixBits: 32,
  ipv6PrefixBits: [64, 56, 48],
  bucketMessages: 120,
  bucketMessagesPerSecond: 10,
  bucketMessagesPerDevice: 40,
  bucketMessagesPerSecondPerDevice: 2,
  /** Steady excess for so long ends the connection. */
  excessMs: 60 * SECOND,
  maxAuthorizedDevices: 32,
  maxPendingDevices: 16,
  /** Above this share of `maxStoreBytes` new namespaces are refused. */
  storeFullForNewPercent: 80,
  openRegistrationsPerAddressPerDay: 10,
  collectEmptyNamespaceMs: 7 * DAY,
  collectPairedNamespaceMs: 90 * DAY,
} as const;

/** How an SDK behaves towards a relay (01 §3, §4, §6). */
export const RECONNECT = {
  firstDelayMs: SECOND,
  maxDelayMs: 60 * SECOND,
  /** A session of this length makes the next delay the first one again. */
  resetAfterMs: 30 * SECOND,
  /** After close 4001. */
  displacedDelayMs: 60 * SECOND,
  /** Below this towards a relay without capabilities. */
  oldRelayMessagesPerMinute: 60,
} as const;

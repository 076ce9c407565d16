/** The limits of 01 §5 and §6 an operator may change, with their defaults. */
import { LOGIN, RELAY_DEFAULTS, ROUTING, WINDOW, WIRE } from '@countersign/protocol';
import { count } from './setting.js';

const TEN_MINUTES_MS = 10 * 60_000;
const GIB = 1024 ** 3;
const STOP_MS = 5_000;

export const LIMIT_SETTINGS = {
  maxConnections: count(RELAY_DEFAULTS.maxConnections, 'connections in all'),
  maxConnectionsBeforeLogin: count(
    RELAY_DEFAULTS.maxConnectionsBeforeLogin,
    'connections that have not logged in; above half of it the login deadline falls',
  ),
  newConnectionsPerAddressPerMinute: count(
    RELAY_DEFAULTS.maxNewConnectionsPerAddressPerMinute,
    'new connections per IPv4 address or IPv6 /64 (twice as many per /56, four times per /48)',
  ),
  openBeforeLoginPerAddress: count(
    RELAY_DEFAULTS.maxOpenBeforeLoginPerAddress,
    'connections per address that have not logged in',
  ),
  loginDeadlineMs: count(LOGIN.deadlineMs, 'time for the whole login'),
  crowdedLoginDeadlineMs: count(LOGIN.crowdedDeadlineMs, 'the same while it is crowded'),
  pingEveryMs: count(LOGIN.pingEveryMs, 'time between pings'),
  idleMs: count(LOGIN.idleMs, 'a peer that sends nothing for so long is disconnected'),
  pingSilenceMs: count(LOGIN.pingSilenceMs, 'the same after a ping that asks for a receipt'),
  maxQueuedFrameBytes: count(WIRE.maxQueuedFrameBytes, 'frame before login, and queued message', 1024),
  maxLiveFrameBytes: count(WIRE.maxLiveFrameBytes, 'live frame after login', 1024),
  bucketMessages: count(RELAY_DEFAULTS.bucketMessages, 'messages a connection may send at once'),
  bucketMessagesPerSecond: count(RELAY_DEFAULTS.bucketMessagesPerSecond, 'and per second'),
  bucketMessagesPerDevice: count(RELAY_DEFAULTS.bucketMessagesPerDevice, 'more for an agent, per device', 0),
  bucketMessagesPerSecondPerDevice: count(
    RELAY_DEFAULTS.bucketMessagesPerSecondPerDevice,
    'more per second for an agent, per device',
    0,
  ),
  excessMs: count(RELAY_DEFAULTS.excessMs, 'steady excess for so long ends the connection'),
  liveWaitMessages: count(ROUTING.liveWaitMaxMessages, 'live messages that wait behind queued ones'),
  liveWaitMs: count(ROUTING.liveWaitMs, 'for so long'),
  proofMs: count(ROUTING.proofMs, 'a queued message that is not proved received in time needs another way'),
  maxUnprovenBytes: count(ROUTING.maxUnprovenDrainBytes, 'queued messages sent and not proved received'),
  maxBufferedBytes: count(ROUTING.maxBufferedBytes, 'bytes buffered for a peer that does not read'),
  slowReaderMs: count(ROUTING.slowReaderMs, 'for so long, then it is disconnected'),
  agentQueueMessages: count(ROUTING.agentQueueMaxMessages, 'messages of an agent waiting for one device'),
  agentQueueBytes: count(ROUTING.agentQueueMaxBytes, 'and their bytes'),
  deviceQueueMessages: count(ROUTING.deviceQueueMaxMessages, 'messages of a device waiting for its agent'),
  deviceQueueBytes: count(ROUTING.deviceQueueMaxBytes, 'and their bytes'),
  queuedMessageMs: count(ROUTING.queuedMessageMs, 'a queued message is kept so long'),
  oldAgentMessageMs: count(ROUTING.oldAgentMessageMs, 'so long for an agent without capabilities'),
  maxAuthorizedDevices: count(RELAY_DEFAULTS.maxAuthorizedDevices, 'authorized devices of an agent'),
  maxPendingDevices: count(RELAY_DEFAULTS.maxPendingDevices, 'devices waiting to be authorized'),
  pendingDeviceMs: count(WINDOW.pendingDeviceMs, 'for so long'),
  pairingTtlSeconds: count(WINDOW.defaultTtlSeconds, 'pairing window when the agent names no time'),
  maxPairingTtlSeconds: count(WINDOW.maxTtlSeconds, 'longest pairing window'),
  wrongTokensPerAddressPerMinute: count(
    WINDOW.wrongTokensPerAddressPerMinute,
    'wrong pairing tokens per address and minute',
  ),
  newNamespacesPerAddressPerDay: count(
    RELAY_DEFAULTS.openRegistrationsPerAddressPerDay,
    'new agents per address and day where registration is open to the network',
  ),
  emptyNamespaceMs: count(
    RELAY_DEFAULTS.collectEmptyNamespaceMs,
    'an unused agent without devices is forgotten',
  ),
  pairedNamespaceMs: count(
    RELAY_DEFAULTS.collectPairedNamespaceMs,
    'an unused agent with devices is forgotten',
  ),
  collectEveryMs: count(TEN_MINUTES_MS, 'time between tidying up'),
  stopMs: count(STOP_MS, 'time connections have to say goodbye when the relay stops'),
  maxStoreBytes: count(GIB, 'all that is stored; above 80 % of it no new agents', 1024 * 1024),
} as const;

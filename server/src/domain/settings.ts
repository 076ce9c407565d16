/** What an operator may set about the relay's rules. Must not know defaults or where a value came from. */

/** Who may register a namespace the relay does not know yet (01 §6). */
export type RegistrationPolicy = 'invite' | 'allowlist' | 'open';

/** The numbers of 01 §5 and §6; what each means stands with its default in the configuration. */
export interface RelayLimits {
  readonly maxConnections: number;
  readonly maxConnectionsBeforeLogin: number;
  readonly newConnectionsPerAddressPerMinute: number;
  readonly openBeforeLoginPerAddress: number;
  readonly loginDeadlineMs: number;
  readonly crowdedLoginDeadlineMs: number;
  readonly pingEveryMs: number;
  readonly idleMs: number;
  readonly pingSilenceMs: number;
  readonly maxQueuedFrameBytes: number;
  readonly maxLiveFrameBytes: number;
  readonly bucketMessages: number;
  readonly bucketMessagesPerSecond: number;
  readonly bucketMessagesPerDevice: number;
  readonly bucketMessagesPerSecondPerDevice: number;
  readonly excessMs: number;
  readonly liveWaitMessages: number;
  readonly liveWaitMs: number;
  readonly proofMs: number;
  readonly maxUnprovenBytes: number;
  readonly maxBufferedBytes: number;
  readonly slowReaderMs: number;
  readonly agentQueueMessages: number;
  readonly agentQueueBytes: number;
  readonly deviceQueueMessages: number;
  readonly deviceQueueBytes: number;
  readonly queuedMessageMs: number;
  readonly oldAgentMessageMs: number;
  readonly maxAuthorizedDevices: number;
  readonly maxPendingDevices: number;
  readonly pendingDeviceMs: number;
  readonly pairingTtlSeconds: number;
  readonly maxPairingTtlSeconds: number;
  readonly wrongTokensPerAddressPerMinute: number;
  readonly newNamespacesPerAddressPerDay: number;
  readonly emptyNamespaceMs: number;
  readonly pairedNamespaceMs: number;
  readonly collectEveryMs: number;
  readonly stopMs: number;
}

export interface RelaySettings extends RelayLimits {
  readonly registration: RegistrationPolicy;
  /** Policy `invite`: the code. */
  readonly invite?: string | undefined;
  /** Policy `allowlist`: Ed25519 keys of agents. */
  readonly allowedAgents: readonly Uint8Array[];
  /** Nobody but this machine reaches the relay: `open` then stores every namespace and counts none (01 §6). */
  readonly isPrivate: boolean;
}

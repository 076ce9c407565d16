/**
 * Where the relay keeps what must survive a restart: namespaces, devices, pairing windows, queues.
 * Every method is one atomic transaction, durable when its promise resolves. Keys are raw bytes;
 * times are unix milliseconds handed in by the caller. A store that cannot do its work rejects with
 * CountersignError `unavailable` and has changed nothing. Calls for one namespace take effect in the order they
 * were made, even when nobody waits for one before the next. It never sees plaintext and never logs.
 */
import type { NewPush, PushOutbox, PushToken } from './push-outbox.js';
import type { StoreBacklog } from './store-observer.js';

export interface NamespaceLimits {
  readonly authorizedDevices: number;
  readonly pendingDevices: number;
}

export interface QueueLimits {
  readonly messages: number;
  readonly bytes: number;
}

export type DeviceState = 'authorized' | 'pending' | 'unknown';

export interface DeviceRow {
  readonly ed25519: Uint8Array;
  readonly x25519: Uint8Array;
  readonly platform: number;
  readonly state: 'authorized' | 'pending';
  /** SHA-256(pairing token)[0..16] of the window it came through. */
  readonly window: Uint8Array;
  readonly pairedAt: number;
}

export interface PairingAttempt extends PushToken {
  readonly namespaceId: Uint8Array;
  readonly tokenHash: Uint8Array;
  readonly window: Uint8Array;
  readonly ed25519: Uint8Array;
  readonly x25519: Uint8Array;
  readonly platform: number;
  readonly now: number;
}

/** What an authorized device's login told. */
export interface DeviceLogin extends PushToken {
  readonly platform: number;
  readonly now: number;
  /** For a device that knows names of registrations: the one of a new registration. */
  readonly newHandle?: Uint8Array | undefined;
}

/** What there is for a device that logged in. */
export interface DeviceTouch {
  /** In force: it stays as long as token and app do, and goes when the device does not know such names any more. */
  readonly handle?: Uint8Array | undefined;
  /** Whether messages may wait for it. */
  readonly hasQueued: boolean;
}

/** `repeated`: the same keys with the same token again inside the window (idempotent, 01 §3), unless revoked since. */
export type PairingResult = 'paired' | 'repeated' | 'no_namespace' | 'closed';

export interface QueuedMessage {
  /** Ascending per recipient, never reused: `seq` on the wire. */
  readonly seq: number;
  readonly sender: Uint8Array;
  readonly nonce: Uint8Array;
  readonly ciphertext: Uint8Array;
  readonly enqueuedAt: number;
  readonly expiresAt: number;
  /** The sender's handle, if it gave one: a uint64. */
  readonly ref?: bigint | undefined;
}

export interface NewMessage {
  readonly namespaceId: Uint8Array;
  readonly sender: Uint8Array;
  readonly recipient: Uint8Array;
  readonly nonce: Uint8Array;
  readonly ciphertext: Uint8Array;
  readonly now: number;
  readonly expiresAt: number;
  readonly limits: QueueLimits;
  /** The sender's handle (01 §2): kept with the message, and reason to remember that it was accepted. */
  readonly ref?: bigint | undefined;
  /** Its agent gave hints (04 §1): it makes room in a full queue, and goes when a later one has its collapse. */
  readonly hints?: { readonly collapse?: Uint8Array | undefined } | undefined;
  /** For a message to a device. Written with it; in a full queue without it, as a wake. */
  readonly push?: NewPush | undefined;
}

/**
 * `not_found`: not an agent and a device it authorizes (any more), so a device revoked meanwhile neither gets
 * nor leaves a message. `store_full`: relay-wide byte limit. `repeated`: a message with a `ref` from this sender to
 * this recipient had the same nonce within `ROUTING.dedupMs`, whatever became of it: nothing is stored, `seq` is the
 * earlier one's. Checked in this order: not_found, repeated, queue_full, store_full.
 */
export type EnqueueResult =
  | {
      readonly seq: number;
      readonly repeated?: true | undefined;
      /** The agent has something to be told about pushes. */
      readonly reported?: true | undefined;
    }
  | 'queue_full'
  | 'not_found'
  | 'store_full';

export interface AuthorizeResult {
  readonly authorized: number;
  /** Devices that were authorized before and are not now; their queues, waiting messages and tokens are gone. */
  readonly revoked: readonly Uint8Array[];
}

export interface RelayStore extends PushOutbox {
  /** Registers or touches a namespace. `refused` when it is new and `mayCreate` is false. */
  touchNamespace(
    namespaceId: Uint8Array,
    agentEd25519: Uint8Array,
    now: number,
    mayCreate: boolean,
  ): Promise<'known' | 'created' | 'refused' | 'store_full'>;
  /** The agent key of a namespace, or undefined when there is none. */
  agentOf(namespaceId: Uint8Array): Promise<Uint8Array | undefined>;
  deviceState(namespaceId: Uint8Array, ed25519: Uint8Array): Promise<DeviceState>;
  authorizedDevices(namespaceId: Uint8Array): Promise<Uint8Array[]>;
  /** Pending devices, oldest first, not older than `notBefore`. */
  pendingDevices(namespaceId: Uint8Array, notBefore: number): Promise<DeviceRow[]>;
  /**
   * Stores what an authorized device's login told, and touches its namespace if that was not done for an hour; an empty token leaves token and app as they are. A login that tells nothing new writes
   * nothing. Nothing for a device that is not authorized.
   */
  touchDevice(namespaceId: Uint8Array, ed25519: Uint8Array, login: DeviceLogin): Promise<DeviceTouch>;

  /**
   * Opens the namespace's one window; replaces an older one. The token is stored hashed.
   * @throws CountersignError `not_found` when there is no such namespace.
   */
  openPairingWindow(namespaceId: Uint8Array, tokenHash: Uint8Array, expiresAt: number): Promise<void>;
  closePairingWindow(namespaceId: Uint8Array): Promise<void>;
  /**
   * Token check (constant time), consumption and the pending row in one step. A wrong token never
   * closes a window. Above the pending limit the oldest pending device goes. An authorized key that
   * pairs again keeps its row unchanged; a pending one is replaced. A repeat changes nothing.
   */
  consumePairingToken(attempt: PairingAttempt, limits: NamespaceLimits): Promise<PairingResult>;

  /** Replaces the authorized set. Unknown keys are ignored, repeats count once; pending devices not listed stay pending. */
  applyAuthorize(
    namespaceId: Uint8Array,
    devices: readonly Uint8Array[],
    now: number,
  ): Promise<AuthorizeResult>;

  /**
   * Appends to the recipient's outbox unless a (sender, recipient) limit is reached or it was accepted before. A message
   * of the same collapse goes; where room is needed, hinted ones go, oldest first. With `push` its push is written too; one
   * of the same collapse is superseded. A `replace` whose first push certainly was never sent takes it along and
   * is not pushed itself. Has copied the message's bytes when it returns its promise: the caller may overwrite them.
   */
  enqueueWithinLimits(message: NewMessage): Promise<EnqueueResult>;
  /** Seq of the newest message of `sender` that waits for `recipient`; 0 when none does. */
  lastQueuedSeq(namespaceId: Uint8Array, sender: Uint8Array, recipient: Uint8Array): Promise<number>;
  /** Messages with seq > afterSeq, unexpired at `now`, oldest first; at least one, then at most `maxBytes` of ciphertext. */
  takeUnproven(
    namespaceId: Uint8Array,
    recipient: Uint8Array,
    options: { afterSeq: number; maxBytes: number; now: number; enqueuedNotBefore?: number },
  ): Promise<QueuedMessage[]>;
  /**
   * Deletes the recipient's messages with seq ≤ `seq`, and what was to be pushed for them, of which the agent is told
   * `superseded`; returns how many messages, and whether the agent has something to be told.
   */
  ackThrough(
    namespaceId: Uint8Array,
    recipient: Uint8Array,
    seq: number,
    now: number,
  ): Promise<{ readonly messages: number; readonly reported: boolean }>;
  /** Deletes messages to the agent enqueued before `before` (01 §5: an old agent's waiting messages live 120 s). */
  dropWaitingForAgent(namespaceId: Uint8Array, before: number): Promise<number>;

  /**
   * Housekeeping in bounded steps: expired messages, windows, pending devices, nonces remembered for longer than
   * `ROUTING.dedupMs`, and namespaces unused since `emptyBefore` without devices or `idleBefore` with them,
   * except `connected`, which count as in use now. At most `maxRows` of each kind go in one call; a caller repeats while a count equals it.
   */
  collect(options: {
    now: number;
    pendingBefore: number;
    emptyBefore: number;
    idleBefore: number;
    connected: readonly Uint8Array[];
    maxRows: number;
  }): Promise<{ messages: number; devices: number; namespaces: number; nonces: number }>;
  /** `bytes` is what `maxStoreBytes` limits: ciphertexts and push tokens, and STORE_ROW_BYTES for each row. */
  stats(): Promise<{
    namespaces: number;
    devices: number;
    messages: number;
    bytes: number;
    oldestEnqueuedAt?: number;
    /** What waits in the push outbox. */
    pushes: number;
    oldestPushAt?: number;
  }>;
  /** What waits for the disk; nothing where there is none. */
  backlog(): StoreBacklog;
  /** Value kept for the relay itself, such as its invite code. */
  getSetting(name: string): Promise<string | undefined>;
  putSetting(name: string, value: string): Promise<void>;
  close(): Promise<void>;
}

/**
 * What a peer's connection to a relay needs from the SDK that owns it: keys, durable state, and a
 * handler for what arrives. Both SDK stores implement {@link PeerStore}; the link knows no table.
 */
import type { SealedChannel } from '../e2e/index.js';
import type { CountersignError, PushOutcome } from '../frames/index.js';

/** A value, or a promise of it. An IndexedDB transaction may only await its own requests. */
export type MaybePromise<T> = T | Promise<T>;

/**
 * One key agreement between this identity and a peer. Counters and receive windows belong to the
 * channel, never to the peer, so that a re-pairing starts afresh and a counter is never reset.
 */
export interface PeerChannel {
  /** Stable id of the key pair, unique in the store: `<peer hex>.<first 16 hex of our X25519 public key>`. */
  readonly id: string;
  /** The peer's Ed25519 public key, 64 lower-case hex characters. */
  readonly peer: string;
  readonly sealed: SealedChannel;
}

export type ReceiveVerdict = 'new' | 'duplicate' | 'outside';

/** A queued (store-and-forward) message, sealed once and sent byte for byte until it is safe. */
export interface OutboxRow {
  /** Ascending, never reused: the sender's `ref` on the wire (01 §2). */
  readonly id: number;
  readonly peer: string;
  readonly nonce: Uint8Array;
  readonly ciphertext: Uint8Array;
  /** Serialized PushHints, absent for messages that never push. Their life is told anew whenever they are sent. */
  readonly push?: Uint8Array | undefined;
  /** Unix milliseconds after which it is dropped unsent. */
  readonly expiresAt: number;
}

/**
 * Durable state of one identity. Every method is one transaction, durable when its promise resolves
 * (SQLite `synchronous=FULL`, IndexedDB `durability: 'strict'`, a file with fsync).
 * `Tx` is the store's own handle for effects, such as an open SQLite transaction.
 */
export interface PeerStore<Tx> {
  /**
   * Reserves `count` (≤ 64) consecutive send counters of a channel and makes the new high-water
   * durable before it returns the first. The first is max(stored high-water + 1, floor) (02 §2).
   */
  reserveCounters(channelId: string, floor: number, count: number): Promise<number>;
  /**
   * Checks the counter against the channel's receive window (02 §2); unless it is outside, runs
   * `effect` and marks the counter, all in one transaction. An effect that throws rolls all back.
   * A duplicate runs the effect too (it may show an alert again) but must not apply anything.
   */
  receive(
    channelId: string,
    counter: number,
    effect: (tx: Tx, verdict: 'new' | 'duplicate') => MaybePromise<void>,
  ): Promise<ReceiveVerdict>;
  /** Appends a sealed message. @throws CountersignError `queue_full` at {@link OUTBOX_LIMIT} rows. */
  enqueue(row: Omit<OutboxRow, 'id'>): Promise<number>;
  /** Rows with id > afterId, ascending, at most `limit`. */
  outboxAfter(afterId: number, limit: number): Promise<OutboxRow[]>;
  /** Forgets rows that are safe at the relay, expired, or of a removed peer. */
  outboxRemove(ids: readonly number[]): Promise<void>;
}

/** What arrives, opened and parsed, before its effect runs. */
export interface Incoming {
  readonly channel: PeerChannel;
  readonly counter: number;
  /** As the relay said; an old peer's queued message may say either. */
  readonly live: boolean;
  /** The strict-parsed JSON object, before any schema. */
  readonly payload: Record<string, unknown>;
}

/**
 * Prepares what a payload does. Called outside any transaction (it may await); the function it
 * returns runs inside the receive transaction and must await nothing but that transaction.
 * `after` runs once the transaction is durable, before the receipt is confirmed to the relay; not for a
 * message outside the window, which is refused and leaves no effect.
 */
export interface Effect<Tx> {
  apply(tx: Tx, verdict: 'new' | 'duplicate'): MaybePromise<void>;
  after?(verdict: 'new' | 'duplicate'): MaybePromise<void>;
  /** Asked once `after` has finished. */
  withheld?(): Withheld | undefined;
}

/**
 * What is durable, but not to be confirmed to the relay yet, so that it pushes: an alert nobody could be shown
 * (03 §6). Confirmed when `until` resolves, else after {@link import('./link-limits.js').LINK.maxWithheldMs}; all
 * that arrives behind it waits as long to be confirmed, for a confirmation is cumulative. A relay without
 * `received` takes the pong for one, which is not withheld.
 */
export interface Withheld {
  readonly until: Promise<unknown>;
}

/** A queued message the relay will never take: `bad_request` or `payload_too_large`. It has left the outbox. */
export interface GivenUp {
  readonly id: number;
  readonly peer: string;
  readonly reason: CountersignError;
}

/** What became of the push of a queued message (04 §2), by the relay's word. */
export interface PushReport {
  /** The message's outbox id, as far as the relay tells the truth. */
  readonly id: number;
  readonly peer: string;
  readonly outcome: PushOutcome;
  /** A reason in few words, `''` when there is none or it is none that may be shown. */
  readonly detail: string;
}

export interface LinkHandler<Tx> {
  /** Channels that may open a message of this peer, most trusted first. Empty: unknown peer, counted and dropped. */
  channelsOf(peer: string): MaybePromise<readonly PeerChannel[]>;
  onPayload(incoming: Incoming): MaybePromise<Effect<Tx> | undefined>;
  /** Agents: frames of the relay that concern the namespace. */
  onPresence?(peer: string, online: boolean): void;
  /** Before the `undelivered` of the message, where the relay names it. */
  onPeerOffline?(peer: string): void;
  /** Called once per message, after it has left the outbox and before `flushed` counts it. */
  onGivenUp?(message: GivenUp): MaybePromise<void>;
  onClientPaired?(paired: ClientPaired): MaybePromise<void>;
  /** Agents, at a relay that reports pushes. Any id and any peer may be named, any number of times. */
  onPushReport?(report: PushReport): void;
  /**
   * Devices: the name of this registration in pushes, 32 lower-case hex characters; at every login that gives one,
   * before `onOnline`.
   */
  onPushHandle?(handle: string): MaybePromise<void>;
  /** After every login, before queued messages are sent. Agents send `authorize` here. */
  onOnline?(): MaybePromise<void>;
  onState?(state: LinkState): void;
  /** Once per relay authority: its challenge was bound, so binding is required for ever (01 §3). */
  onRelayBindingSeen?(): MaybePromise<void>;
}

export interface ClientPaired {
  readonly deviceEd25519: Uint8Array;
  readonly deviceX25519: Uint8Array;
  readonly platform: number;
  /** SHA-256(pairing_token)[0..16]; absent from an original relay. */
  readonly window?: Uint8Array | undefined;
}

export type LinkState =
  | { readonly phase: 'idle' | 'connecting' | 'online' | 'closed' }
  /** Not connected; tries again at `retryAt` (unix ms). `problem` says why and what to do. */
  | { readonly phase: 'waiting'; readonly retryAt: number; readonly problem: LinkProblem };

/** Why a connection failed or ended; `code` is a wire code (01 §7), a close code name or a local cause. */
export interface LinkProblem {
  readonly code:
    | 'unreachable'
    | 'tls'
    | 'relay_binding'
    | 'protocol'
    | 'displaced'
    | 'revoked'
    | 'going_away'
    | 'idle'
    | 'too_slow'
    | 'challenge_timeout'
    | 'invalid_signature'
    | 'unauthorized'
    | 'not_found'
    | 'pairing_closed'
    | 'rate_limited'
    | 'payload_too_large'
    | 'queue_full'
    | 'bad_request'
    | 'unavailable'
    /** 403 at the upgrade: the page's origin is not listed at the relay. */
    | 'origin_refused'
    /** The handler or the store failed: what arrived is not confirmed and comes again. */
    | 'local_failure';
  /** One sentence a person can act on. */
  readonly message: string;
}

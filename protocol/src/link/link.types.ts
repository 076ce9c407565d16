/** The public face of a link. Implementation: `link.ts`. */
import type { LinkHandler, LinkState, MaybePromise, PeerChannel, PeerStore } from './ports.js';

export interface LinkIdentity {
  readonly role: 'agent' | 'client';
  readonly namespaceId: Uint8Array;
  readonly ed25519Public: Uint8Array;
  /** Ed25519 over the bytes given (the link builds the challenge text). */
  sign(message: Uint8Array): MaybePromise<Uint8Array>;
}

/** A registration for push as the relay takes it (01 §2). */
export interface PushTarget {
  deviceToken: string;
  app?: string | undefined;
}

export interface LinkOptions<Tx> {
  /** `ws(s)://host[:port]`; the path is always `/v1/ws`. */
  relayUrl: string;
  identity: LinkIdentity;
  store: PeerStore<Tx>;
  handler: LinkHandler<Tx>;
  /**
   * `required`: refuse to sign a challenge that is not bound to the dialled authority (01 §3).
   * `unless_original`: accept an unbound one until a bound one was seen. `original`: never check.
   */
  binding: 'required' | 'unless_original' | 'original';
  /** Agents: the code that allows a new namespace. */
  invite?: string | undefined;
  /** Clients. */
  platform?: number | undefined;
  /** Clients: where pushes go; asked at every login. None, or an empty token, leaves what the relay knows. */
  pushTarget?: (() => PushTarget | undefined) | undefined;
  /** PEM certificate authorities beside the system's (Node). */
  ca?: string | undefined;
  clock?: { now(): number } | undefined;
  logger?: LinkLogger | undefined;
}

/** Structured, allow-listed events only: never payloads, keys, tokens or third-party error text. */
export interface LinkLogger {
  debug(event: string, fields?: Record<string, string | number | boolean>): void;
  warn(event: string, fields?: Record<string, string | number | boolean>): void;
}

export interface Link {
  readonly state: LinkState;
  /** What the relay and this peer agreed on in the present login; empty towards an original relay. */
  readonly capabilities: ReadonlySet<string>;
  /**
   * Messages dropped so far, by reason: undecryptable, unknown_peer, duplicate, outside_window, malformed,
   * version, compression, too_large, handler_failed.
   */
  readonly dropped: Readonly<Record<string, number>>;
  start(): void;
  /** Writes what is queued for at most 2 s, closes with 1000 and stops for ever. */
  close(): Promise<void>;
  /** Reconnects now instead of at `retryAt`. */
  retryNow(): void;
  /** Logs in anew on a fresh connection, so that a changed `pushTarget` is told. */
  loginAgain(): void;
  whenOnline(options?: { timeoutMs?: number; signal?: AbortSignal }): Promise<void>;
  /**
   * Seals with the next counter and sends now, or not at all. `offline` = this link is not online, or could
   * not write in time; whether the peer was there comes as `onPeerOffline`. Size above the live limit →
   * `too_large`. "Now" is behind what is queued for the same peer (at most 2 s) and, towards an original
   * relay, at its pace: await one live message before the next to a peer. `undelivered` runs, at most once, when
   * the relay says of this very message that it did not deliver it; an old relay never says of which.
   */
  sendLive(
    channel: PeerChannel,
    payload: object,
    options?: { undelivered?: () => void },
  ): Promise<'written' | 'offline' | 'too_large'>;
  /**
   * Seals (padded, 02 §2), stores durably and returns the outbox id; sent in order when online and kept
   * until the relay holds it safely. `push` are hints for a relay that asks for them, whose life is set to what is left
   * of `ttlMs` when it is sent. @throws CountersignError `payload_too_large`, `queue_full`.
   */
  queue(
    channel: PeerChannel,
    payload: object,
    options?: { push?: Uint8Array; ttlMs?: number },
  ): Promise<number>;
  /**
   * Resolves when every message queued up to this call has left the outbox: safe at the relay (with `ref`: after its
   * `accepted`), expired, or given up (`onGivenUp`).
   */
  flushed(options?: { signal?: AbortSignal }): Promise<void>;
  /** Agents. Each rejects with a CountersignError when the relay refuses, or `unavailable` when not online. */
  authorize(devices: readonly Uint8Array[]): Promise<number>;
  pairingStart(token: Uint8Array, ttlSeconds: number): Promise<number>;
  pairingStop(): Promise<void>;
  presence(): Promise<string[]>;
}

/** `openLink` in `link.ts`; starts idle. */
export type OpenLink = <Tx>(options: LinkOptions<Tx>) => Link;

export interface PairingLogin {
  relayUrl: string;
  binding: LinkOptions<unknown>['binding'];
  namespaceId: Uint8Array;
  deviceEd25519: Uint8Array;
  deviceX25519: Uint8Array;
  pairingToken: Uint8Array;
  platform: number;
  sign(message: Uint8Array): MaybePromise<Uint8Array>;
  deviceToken?: string | undefined;
  app?: string | undefined;
  ca?: string | undefined;
  signal?: AbortSignal | undefined;
}
/** `pairAtRelay(login)` in `pairing-login.ts`: resolves on `auth_ok`; rejects with the relay's code. Says whether the challenge was bound. */
export type PairAtRelay = (login: PairingLogin) => Promise<{ relayBound: boolean }>;

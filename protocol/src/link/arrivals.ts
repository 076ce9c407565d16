/**
 * What is to be done with each frame that is no answer: a message opened and applied, a pairing or a presence
 * told to the handler. Decides what a failing handler costs. Must not know connections.
 *
 * A queued message whose handler throws is not confirmed: the thrown error ends the connection and the relay
 * delivers again; after some attempts the message is dropped, unless the storage is what failed. A live message
 * is never delivered again, so it is dropped at once and ends nothing.
 */
import {
  type FrameOf,
  type MessageFrame,
  PRESENCE,
  PUSH_OUTCOMES,
  type RelayFrame,
  shortId,
  toHex,
  WIRE,
} from '../frames/index.js';
import { Failures } from './failures.js';
import { applyMessage, type DropReason } from './incoming.js';
import type { LinkLogger } from './link.types.js';
import type { ClientPaired, LinkHandler, MaybePromise, PeerStore, Withheld } from './ports.js';
import { isStorageFailure } from './storage-failure.js';

/** A reason as the relay words it: providers' names of errors, and nothing that a stranger could write sentences with. */
const SHOWABLE_DETAIL = /^[\w][\w ./:-]{0,63}$/;

type Work = () => MaybePromise<void>;

export interface ArrivalEvents {
  /** The peer is there. */
  peerSeen(peer: string): void;
  /** A live message was not delivered. */
  undelivered(frame: FrameOf<'peer_offline'>): void;
}

export class Arrivals<Tx> {
  readonly dropped: Record<string, number> = {};
  readonly #handler: LinkHandler<Tx>;
  readonly #store: PeerStore<Tx>;
  readonly #logger: LinkLogger | undefined;
  readonly #events: ArrivalEvents;
  readonly #failures = new Failures();

  constructor(
    handler: LinkHandler<Tx>,
    store: PeerStore<Tx>,
    logger: LinkLogger | undefined,
    events: ArrivalEvents,
  ) {
    this.#handler = handler;
    this.#store = store;
    this.#logger = logger;
    this.#events = events;
  }

  /** Undefined for a frame that asks for nothing. A message is `confirmed` once it is dealt with. */
  workOf(frame: RelayFrame, confirmed: (withheld: Withheld | undefined) => void): Work | undefined {
    if (frame.type === 'message') return async () => confirmed(await this.#message(frame));
    if (frame.type === 'client_paired') return this.#clientPaired(frame);
    if (frame.type === 'presence_event') return this.#presence(frame.pubkey, frame.status);
    if (frame.type === 'peer_offline' && isKey(frame.peer)) {
      return () => {
        this.#tell(() => this.#handler.onPeerOffline?.(toHex(frame.peer)));
        this.#events.undelivered(frame);
      };
    }
    if (frame.type === 'push_report') return this.#pushReport(frame);
    return undefined;
  }

  async #message(frame: MessageFrame): Promise<Withheld | undefined> {
    const key = `${toHex(frame.peer)}.${toHex(frame.nonce)}`;
    this.#events.peerSeen(toHex(frame.peer));
    try {
      const { dropped, withheld } = await applyMessage(frame, this.#handler, this.#store);
      this.#failures.passed(key);
      if (dropped) this.#drop(dropped, frame.peer);
      return withheld;
    } catch (error) {
      if (!frame.live && !this.#isHopeless(key, error)) throw error;
      this.#drop('handler_failed', frame.peer);
      this.#logger?.warn('message_given_up', { live: frame.live });
      return undefined;
    }
  }

  #clientPaired(frame: Extract<RelayFrame, { type: 'client_paired' }>): Work | undefined {
    const { clientEd25519Pub, clientX25519Pub, platform, window } = frame;
    if (!isKey(clientEd25519Pub) || !isKey(clientX25519Pub)) return undefined;
    const paired: ClientPaired = {
      deviceEd25519: clientEd25519Pub,
      deviceX25519: clientX25519Pub,
      platform,
      window: window?.length === WIRE.windowBytes ? window : undefined,
    };
    return async () => {
      const key = `paired.${toHex(clientEd25519Pub)}`;
      try {
        await this.#handler.onClientPaired?.(paired);
        this.#failures.passed(key);
      } catch (error) {
        if (!this.#isHopeless(key, error)) throw error;
        this.#logger?.warn('pairing_given_up', { peer: shortId(clientEd25519Pub) });
      }
    };
  }

  #presence(pubkey: Uint8Array, status: number): Work | undefined {
    const online = status === PRESENCE.online;
    if (!isKey(pubkey) || !(online || status === PRESENCE.offline)) return undefined;
    const peer = toHex(pubkey);
    return () => {
      if (online) this.#events.peerSeen(peer);
      this.#tell(() => this.#handler.onPresence?.(peer, online));
    };
  }

  #pushReport({ ref, peer, outcome, detail }: FrameOf<'push_report'>): Work | undefined {
    const known = PUSH_OUTCOMES.find((one) => one === outcome);
    if (known === undefined || !isKey(peer) || ref > BigInt(Number.MAX_SAFE_INTEGER)) return undefined;
    const told = SHOWABLE_DETAIL.test(detail) ? detail : '';
    const report = { id: Number(ref), peer: toHex(peer), outcome: known, detail: told };
    return () => this.#tell(() => this.#handler.onPushReport?.(report));
  }

  /** Passing news on confirms nothing, so a failure there costs nothing. */
  #tell(news: () => void): void {
    try {
      news();
    } catch {
      this.#logger?.warn('handler_failed', { event: 'presence' });
    }
  }

  #isHopeless(key: string, error: unknown): boolean {
    return !isStorageFailure(error) && this.#failures.again(key);
  }

  #drop(reason: DropReason, peer: Uint8Array): void {
    this.dropped[reason] = (this.dropped[reason] ?? 0) + 1;
    this.#logger?.debug('message_dropped', { reason, peer: shortId(peer) });
  }
}

function isKey(key: Uint8Array): boolean {
  return key.length === WIRE.ed25519PublicBytes;
}

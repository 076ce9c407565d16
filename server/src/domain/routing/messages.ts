/**
 * A message from one peer to another: checked, then live or queued (01 §5). Frames of the canonical shape are
 * forwarded without decoding their ciphertext. Must not know what is sealed.
 */
import {
  CAPABILITY,
  forwardDecoded,
  forwardMessage,
  type MessageFrame,
  type MessagePeek,
  messageOf,
  WIRE,
} from '@countersign/protocol';
import type { PeerSession } from '../session/peer-session.js';
import { LiveRoute } from './live-route.js';
import { queue } from './queue.js';
import { mayWriteTo } from './recipients.js';

/** Of a peer without capabilities: the original family knows no minimum, and its tests send five bytes. */
export const MIN_OLD_CIPHERTEXT_BYTES = 1;

/** Where a message goes, and its sender's handle for it if that is in force. */
interface Route {
  readonly recipient: Uint8Array;
  readonly ref: bigint | undefined;
}

/** The messages of one connection. */
export class MessageRouter {
  readonly #session: PeerSession;
  readonly #live: LiveRoute;
  readonly #knowsRef: boolean;

  constructor(session: PeerSession) {
    this.#session = session;
    this.#live = new LiveRoute(session);
    this.#knowsRef = session.peer.capabilities.includes(CAPABILITY.ref);
  }

  /** A frame whose shape is canonical; `data` may be overwritten. */
  peeked(data: Uint8Array, peek: MessagePeek): void | Promise<void> {
    const route = { recipient: peek.peer.slice(), ref: this.refOf(peek) };
    if (!this.#isWellFormed(peek.peerBytes, peek.nonceBytes, peek.ciphertextBytes, route.ref)) return;
    if (!peek.live) return this.#queue(messageOf(data, peek), route);
    return this.#send(route, () => forwardMessage(data, peek, this.#session.peer.key, { live: true }));
  }

  /** Any other encoding of a message. */
  decoded(message: MessageFrame): void | Promise<void> {
    const { peer, nonce, ciphertext } = message;
    const route = { recipient: peer.slice(), ref: this.refOf(message) };
    if (!this.#isWellFormed(peer.length, nonce.length, ciphertext.length, route.ref)) return;
    if (!message.live) return this.#queue(message, route);
    return this.#send(route, () => forwardDecoded(message, this.#session.peer.key, { live: true }));
  }

  /** Undefined from a peer that did not ask for answers by `ref`. */
  refOf({ ref }: { ref?: bigint | undefined }): bigint | undefined {
    return this.#knowsRef ? ref : undefined;
  }

  #isWellFormed(
    peerBytes: number,
    nonceBytes: number,
    ciphertextBytes: number,
    ref: bigint | undefined,
  ): boolean {
    const minBytes = this.#session.peer.old ? MIN_OLD_CIPHERTEXT_BYTES : WIRE.minCiphertextBytes;
    const problem =
      (peerBytes !== WIRE.ed25519PublicBytes && 'peer must have 32 bytes') ||
      (nonceBytes !== WIRE.messageNonceBytes && 'nonce must have 12 bytes') ||
      (ciphertextBytes < minBytes && `ciphertext must have at least ${minBytes} bytes`);
    if (problem) this.#session.refuse('bad_request', problem, ref);
    return !problem;
  }

  #send(route: Route, frame: () => Uint8Array): void | Promise<void> {
    const allowed = mayWriteTo(this.#session.context, this.#session.peer, route.recipient);
    const earlier = this.#session.commits.settled();
    const isReady = allowed === true && earlier === undefined && this.#live.isPrepared(route.recipient);
    if (isReady) return this.#live.send(route.recipient, frame(), route.ref);
    return this.#sendLater(route, frame, allowed, earlier);
  }

  async #sendLater(
    { recipient, ref }: Route,
    frame: () => Uint8Array,
    allowed: boolean | Promise<boolean>,
    earlier: Promise<void> | undefined,
  ): Promise<void> {
    await earlier;
    if (!(await allowed)) return this.#refuseRecipient(ref);
    if (!this.#live.isPrepared(recipient)) await this.#live.prepare(recipient);
    if (this.#session.active) this.#live.send(recipient, frame(), ref);
  }

  async #queue(message: MessageFrame, { recipient, ref }: Route): Promise<void> {
    if (!(await mayWriteTo(this.#session.context, this.#session.peer, recipient)))
      return this.#refuseRecipient(ref);
    await this.#session.commits.room();
    if (!this.#session.active) return;
    this.#session.commits.track(
      queue(this.#session, { ...message, ref }, recipient).then((seq) => {
        if (seq !== undefined) this.#live.queued(recipient, seq);
      }),
    );
  }

  #refuseRecipient(ref: bigint | undefined): void {
    this.#session.refuse('not_found', 'there is no such peer in this namespace', ref);
  }
}

/**
 * A message from one peer to another: checked, then live or queued (01 §5). Frames of the canonical shape are
 * forwarded without decoding their ciphertext. Must not know what is sealed.
 */
import {
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

/** The messages of one connection. */
export class MessageRouter {
  readonly #session: PeerSession;
  readonly #live: LiveRoute;

  constructor(session: PeerSession) {
    this.#session = session;
    this.#live = new LiveRoute(session);
  }

  /** A frame whose shape is canonical; `data` may be overwritten. */
  peeked(data: Uint8Array, peek: MessagePeek): void | Promise<void> {
    const recipient = peek.peer.slice();
    const sizes = [peek.peerBytes, peek.nonceBytes, peek.ciphertextBytes] as const;
    if (!this.#isWellFormed(...sizes)) return;
    if (!peek.live) return this.#queue(messageOf(data, peek), recipient);
    return this.#send(recipient, () => forwardMessage(data, peek, this.#session.peer.key, { live: true }));
  }

  /** Any other encoding of a message. */
  decoded(message: MessageFrame): void | Promise<void> {
    const { peer, nonce, ciphertext } = message;
    if (!this.#isWellFormed(peer.length, nonce.length, ciphertext.length)) return;
    if (!message.live) return this.#queue(message, peer.slice());
    return this.#send(peer.slice(), () => forwardDecoded(message, this.#session.peer.key, { live: true }));
  }

  #isWellFormed(peerBytes: number, nonceBytes: number, ciphertextBytes: number): boolean {
    const minBytes = this.#session.peer.old ? MIN_OLD_CIPHERTEXT_BYTES : WIRE.minCiphertextBytes;
    const problem =
      (peerBytes !== WIRE.ed25519PublicBytes && 'peer must have 32 bytes') ||
      (nonceBytes !== WIRE.messageNonceBytes && 'nonce must have 12 bytes') ||
      (ciphertextBytes < minBytes && `ciphertext must have at least ${minBytes} bytes`);
    if (problem) this.#session.refuse('bad_request', problem);
    return !problem;
  }

  #send(recipient: Uint8Array, frame: () => Uint8Array): void | Promise<void> {
    const allowed = mayWriteTo(this.#session.context, this.#session.peer, recipient);
    const earlier = this.#session.commits.settled();
    const isReady = allowed === true && earlier === undefined && this.#live.isPrepared(recipient);
    if (isReady) return this.#live.send(recipient, frame());
    return this.#sendLater(recipient, frame, allowed, earlier);
  }

  async #sendLater(
    recipient: Uint8Array,
    frame: () => Uint8Array,
    allowed: boolean | Promise<boolean>,
    earlier: Promise<void> | undefined,
  ): Promise<void> {
    await earlier;
    if (!(await allowed)) return this.#refuseRecipient();
    if (!this.#live.isPrepared(recipient)) await this.#live.prepare(recipient);
    if (this.#session.active) this.#live.send(recipient, frame());
  }

  async #queue(message: MessageFrame, recipient: Uint8Array): Promise<void> {
    if (!(await mayWriteTo(this.#session.context, this.#session.peer, recipient)))
      return this.#refuseRecipient();
    await this.#session.commits.room();
    if (!this.#session.active) return;
    this.#session.commits.track(
      queue(this.#session, message, recipient).then((seq) => {
        if (seq !== undefined) this.#live.queued(recipient, seq);
      }),
    );
  }

  #refuseRecipient(): void {
    this.#session.refuse('not_found', 'there is no such peer in this namespace');
  }
}

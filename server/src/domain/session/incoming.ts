/**
 * What a logged-in peer sends, sorted: pings, messages, commands, and what cannot be read (01 §4). Everything but
 * queued messages waits until those before it are stored. Must not know sockets' reading or the login.
 */
import { decodeFrame, peekMessage, type RelayFrame } from '@countersign/protocol';
import type { PeerSocket } from '../../ports/index.js';
import { command } from '../commands/frames.js';
import { MessageRouter } from '../routing/messages.js';
import type { Inbound } from './inbound.js';
import type { PeerSession } from './peer-session.js';

export class Incoming {
  readonly #session: PeerSession;
  readonly #socket: Pick<PeerSocket, 'pong'>;
  readonly #router: MessageRouter;

  constructor(session: PeerSession, socket: Pick<PeerSocket, 'pong'>) {
    this.#session = session;
    this.#socket = socket;
    this.#router = new MessageRouter(session);
  }

  /** Undefined when it is done at once. Rejects when the store cannot do its work. */
  handle(item: Inbound): Promise<void> | undefined {
    if (item.kind === 'ping') return this.#answerPing(item.payload);
    return item.kind === 'message' && item.binary ? this.#frame(item.data) : undefined;
  }

  #answerPing(payload: Uint8Array): Promise<void> | undefined {
    const pong = () => {
      if (this.#session.active) this.#socket.pong(payload);
    };
    const earlier = this.#session.commits.settled();
    if (earlier) return earlier.then(pong);
    pong();
    return undefined;
  }

  #frame(data: Uint8Array): Promise<void> | undefined {
    const isLarge = data.length > this.#session.context.settings.maxQueuedFrameBytes;
    const peek = peekMessage(data);
    if (peek)
      return isLarge && !peek.live ? this.#tooLarge(peek) : this.#router.peeked(data, peek) || undefined;
    const frame = decodeFrame(data);
    if (isLarge && !(frame?.type === 'message' && frame.live))
      return this.#tooLarge(frame?.type === 'message' ? frame : {});
    if (frame === undefined) return this.#undecodable();
    return frame.type === 'message' ? this.#router.decoded(frame) || undefined : this.#command(frame);
  }

  async #command(frame: Exclude<RelayFrame, { type: 'message' }>): Promise<void> {
    await this.#session.commits.settled();
    if (this.#session.active) await command(this.#session, frame);
  }

  /** Names the message, so that its sender does not bring it again. */
  #tooLarge(message: { ref?: bigint | undefined }): undefined {
    this.#session.fail(
      'payload_too_large',
      'a queued message or command may have 64 KiB, a live message 512 KiB',
      this.#router.refOf(message),
    );
  }

  #undecodable(): undefined {
    this.#session.fail('bad_request', 'this is no frame');
  }
}

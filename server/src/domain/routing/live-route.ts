/**
 * Route or fail: a live message is delivered now, or its sender hears `peer_offline` (01 §5). Knows for each
 * recipient the newest queued message of this connection, behind which a later live one belongs.
 */
import { CountersignError } from '@countersign/protocol';
import { keyOf } from '../keys.js';
import type { PeerSession } from '../session/peer-session.js';

export class LiveRoute {
  readonly #session: PeerSession;
  /** By recipient; as many as there are devices. */
  readonly #lastSeq = new Map<string, number>();
  readonly #unsettled = new Map<string, Promise<void>>();

  constructor(session: PeerSession) {
    this.#session = session;
  }

  queued(recipient: string, seq: number): void {
    this.#lastSeq.set(recipient, Math.max(seq, this.#lastSeq.get(recipient) ?? 0));
  }

  /**
   * A queued message may be stored once no live one waits whose place among the queued nobody knows. Only until
   * this connection has queued something for the recipient.
   */
  settled(recipient: Uint8Array): Promise<void> | undefined {
    return this.#unsettled.get(keyOf(recipient));
  }

  send(recipient: Uint8Array, frame: Uint8Array): void {
    const { context, peer } = this.#session;
    const afterSeq = this.#lastSeq.get(keyOf(recipient));
    try {
      const outcome = context.bus.sendLive(peer.namespaceId, recipient, peer.key, frame, afterSeq);
      if (outcome === 'offline') this.#offline(recipient);
      else if (outcome !== 'sent') this.#wait(recipient, outcome, afterSeq === undefined);
    } catch (error) {
      this.#failed(error);
    }
  }

  #wait(recipient: Uint8Array, outcome: Promise<'sent' | 'offline'>, isPlaceUnknown: boolean): void {
    const told = outcome.then(
      (result) => {
        if (result === 'offline') this.#offline(recipient);
      },
      (error: unknown) => this.#failed(error),
    );
    if (!isPlaceUnknown) return;
    const key = keyOf(recipient);
    const all = Promise.all([this.#unsettled.get(key), told]).then(() => {
      if (this.#unsettled.get(key) === all) this.#unsettled.delete(key);
    });
    this.#unsettled.set(key, all);
  }

  #offline(recipient: Uint8Array): void {
    this.#session.send({ type: 'peer_offline', peer: recipient });
  }

  #failed(error: unknown): void {
    const code = error instanceof CountersignError ? error.code : 'unknown';
    this.#session.context.events.emit({ event: 'store_failed', operation: 'send_live', code });
    this.#session.refuse('unavailable', 'the relay cannot route messages now');
  }
}

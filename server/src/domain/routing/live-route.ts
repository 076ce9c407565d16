/**
 * Route or fail: a live message is delivered now, or its sender hears `peer_offline` (01 §5). Knows for each
 * recipient the sender's newest queued message, behind which a later live one belongs.
 */
import { CountersignError } from '@countersign/protocol';
import { keyOf } from '../keys.js';
import type { PeerSession } from '../session/peer-session.js';

export class LiveRoute {
  readonly #session: PeerSession;
  /** By recipient; as many as there are devices. Made with the first: most connections never send. */
  #lastSeq: Map<string, number> | undefined;

  constructor(session: PeerSession) {
    this.#session = session;
  }

  /** Whether {@link send} may be called for this recipient without {@link prepare}. */
  isPrepared(recipient: Uint8Array): boolean {
    return this.#lastSeq?.has(keyOf(recipient)) ?? false;
  }

  /** Learns what earlier connections of this sender left in the recipient's queue: one read per recipient. */
  async prepare(recipient: Uint8Array): Promise<void> {
    const { context, peer } = this.#session;
    this.queued(recipient, await context.store.lastQueuedSeq(peer.namespaceId, peer.key, recipient));
  }

  queued(recipient: Uint8Array, seq: number): void {
    const key = keyOf(recipient);
    this.#lastSeq ??= new Map();
    this.#lastSeq.set(key, Math.max(seq, this.#lastSeq.get(key) ?? 0));
  }

  send(recipient: Uint8Array, frame: Uint8Array, ref?: bigint): void {
    const { context, peer } = this.#session;
    const afterSeq = this.#lastSeq?.get(keyOf(recipient)) ?? 0;
    try {
      const outcome = context.bus.sendLive(peer.namespaceId, recipient, peer.key, frame, afterSeq);
      if (outcome === 'offline') this.#offline(recipient, ref);
      else if (outcome === 'sent') context.tally.live.delivered++;
      else this.#wait(recipient, outcome, ref);
    } catch (error) {
      this.#failed(error, ref);
    }
  }

  #wait(recipient: Uint8Array, outcome: Promise<'sent' | 'offline'>, ref: bigint | undefined): void {
    outcome.then(
      (result) => {
        if (result === 'offline') this.#offline(recipient, ref);
        else this.#session.context.tally.live.delivered++;
      },
      (error: unknown) => this.#failed(error, ref),
    );
  }

  #offline(recipient: Uint8Array, ref: bigint | undefined): void {
    this.#session.context.tally.live.offline++;
    this.#session.send({ type: 'peer_offline', peer: recipient, ...(ref === undefined ? {} : { ref }) });
  }

  #failed(error: unknown, ref: bigint | undefined): void {
    this.#session.context.tally.live.failed++;
    const code = error instanceof CountersignError ? error.code : 'unknown';
    this.#session.context.events.emit({ event: 'store_failed', operation: 'send_live', code });
    this.#session.refuse('unavailable', 'the relay cannot route messages now', ref);
  }
}

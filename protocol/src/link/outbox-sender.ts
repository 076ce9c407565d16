/**
 * Sends queued messages until each is safe at the relay, in the way the relay of the session understands. Must not
 * know how they were sealed or connections made.
 */
import { deferred } from './async-tools.js';
import type { LinkLogger } from './link.types.js';
import { LINK } from './link-limits.js';
import type { LiveOrder } from './live-order.js';
import type { LiveRefs } from './live-refs.js';
import { NamedSending } from './named-sending.js';
import type { OutboxIndex } from './outbox-index.js';
import type { OutboxRows } from './outbox-rows.js';
import { ProvenSending } from './proven-sending.js';
import type { Refusals } from './refusals.js';
import type { LinkRuntime } from './runtime.js';
import type { Sending } from './sending.js';
import type { Session } from './session.js';

export interface OutboxSenderParts {
  readonly runtime: LinkRuntime;
  readonly index: OutboxIndex;
  readonly refusals: Refusals;
  readonly order: LiveOrder;
  readonly rows: OutboxRows;
  readonly live: LiveRefs;
  readonly logger: LinkLogger | undefined;
}

export class OutboxSender {
  readonly #parts: OutboxSenderParts;
  /** Remembers across sessions what it doubts. */
  readonly #proven: ProvenSending;
  #sending: Sending;
  #work = deferred();
  #idle = deferred();
  #isIdle = false;

  constructor(parts: OutboxSenderParts) {
    this.#parts = parts;
    this.#proven = new ProvenSending(parts);
    this.#sending = this.#proven;
  }

  /** Something was queued or answered, or may go that was held back. */
  wake(): void {
    if (this.#isIdle) this.#idle = deferred();
    this.#isIdle = false;
    this.#work.resolve();
  }

  /** Settles when there is nothing that may be sent now, and nothing under way. */
  get idle(): Promise<void> {
    return this.#idle.promise;
  }

  /** A login: what the relay says of messages is heard from here on, also before {@link run}. */
  begin(session: Session): void {
    this.#parts.live.clear();
    this.#sending = this.#sendingFor(session);
  }

  /** Sends for as long as the session lasts; {@link begin} came before. Never rejects. */
  async run(session: Session): Promise<void> {
    // What came before may have taken longer than the session, and another has begun by now.
    if (!session.isOnline) return;
    this.#parts.order.begin(session);
    const sending = this.#sending;
    while (session.isOnline) {
      try {
        await this.#turn(session, sending);
      } catch {
        // The connection went (the loop ends), or the store failed: then not in a tight circle.
        if (!session.isOnline) return;
        this.#parts.logger?.warn('outbox_store_failed');
        await this.#pause(session, LINK.refusedFirstDelayMs);
      }
    }
  }

  #sendingFor(session: Session): Sending {
    if (!session.namesMessages) return this.#proven;
    const sending = new NamedSending({ ...this.#parts, wake: () => this.wake() });
    session.refListener = sending;
    return sending;
  }

  async #turn(session: Session, sending: Sending): Promise<void> {
    this.#work = deferred();
    this.#parts.order.changed();
    await this.#parts.index.load();
    const turn = await sending.turn(session);
    if (turn.wait === 'no') return;
    if (turn.wait === 'idle') {
      this.#isIdle = true;
      this.#idle.resolve();
    }
    await this.#pause(session, turn.until - this.#parts.runtime.now());
  }

  async #pause(session: Session, ms: number): Promise<void> {
    const over = deferred();
    const timer = Number.isFinite(ms)
      ? this.#parts.runtime.setTimer(() => over.resolve(), Math.max(1, ms))
      : undefined;
    await Promise.race([this.#work.promise, session.ended, over.promise]);
    timer?.cancel();
  }
}

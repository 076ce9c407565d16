/**
 * Keeps a live message behind what is queued for the same peer, as the relay does on its side (01 §5): at most
 * 2 s, not for what is held back, nor before the session sends its queue at all. Must not know what is sent.
 */
import { ROUTING } from '../frames/index.js';
import { deferred, within } from './async-tools.js';
import type { IndexedRow, OutboxIndex } from './outbox-index.js';
import type { Refusals } from './refusals.js';
import type { LinkRuntime } from './runtime.js';
import type { Session } from './session.js';

export class LiveOrder {
  readonly #runtime: LinkRuntime;
  readonly #index: OutboxIndex;
  readonly #refusals: Refusals;
  /** Per peer the last row written on the present session. */
  readonly #written = new Map<string, number>();
  #session: Session | undefined;
  #change = deferred();

  constructor(runtime: LinkRuntime, index: OutboxIndex, refusals: Refusals) {
    this.#runtime = runtime;
    this.#index = index;
    this.#refusals = refusals;
  }

  /** The session begins to send its queue. */
  begin(session: Session): void {
    this.#session = session;
    this.#written.clear();
  }

  wrote({ peer, id }: IndexedRow): void {
    this.#written.set(peer, id);
    this.changed();
  }

  /** Something was written, held back or removed. */
  changed(): void {
    const before = this.#change;
    this.#change = deferred();
    before.resolve();
  }

  /** Resolves when a live message may go to the peer. */
  async turnOf(peer: string, session: Session): Promise<void> {
    const last = this.#index.rows.findLast((row) => row.peer === peer)?.id;
    if (last === undefined) return;
    const until = this.#runtime.now() + ROUTING.liveWaitMs;
    while (this.#session === session && session.isOnline && this.#isAhead(peer, last)) {
      const changed = Promise.race([this.#change.promise, session.ended]);
      if (!(await within(this.#runtime, changed, until - this.#runtime.now()))) return;
    }
  }

  #isAhead(peer: string, last: number): boolean {
    if ((this.#written.get(peer) ?? -1) >= last || this.#refusals.heldUntil(peer) > 0) return false;
    return this.#index.rows.some((row) => row.peer === peer && row.id <= last);
  }
}

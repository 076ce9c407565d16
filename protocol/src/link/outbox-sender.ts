/**
 * Sends queued messages until each is safe at the relay. Must not know how they were sealed or connections made.
 *
 * Towards a relay that does not name the message an `error` is about, order alone tells. So: at most one message
 * per peer is on its way (order per peer is never lost), then a proof (see session.ts). No `error` before the
 * proof: all of them are stored, their rows go. Any `error`: none of them is trusted; each goes again alone,
 * behind a proof and before one, with live messages held back, and that outcome is exact. A connection lost
 * before the proof: they go again, byte for byte. What thereby arrives twice the receiver's window drops.
 */
import { fromHex, WIRE } from '../frames/index.js';
import { deferred } from './async-tools.js';
import type { LinkLogger } from './link.types.js';
import { LINK } from './link-limits.js';
import type { LiveOrder } from './live-order.js';
import type { IndexedRow, OutboxIndex } from './outbox-index.js';
import type { OutboxRow } from './ports.js';
import type { Refusals } from './refusals.js';
import type { LinkRuntime } from './runtime.js';
import type { Session } from './session.js';

interface Choice {
  readonly rows: readonly IndexedRow[];
  readonly exact: boolean;
  /** When something held back may go; Infinity when nothing is. */
  readonly nextAt: number;
}

export interface OutboxSenderParts {
  readonly runtime: LinkRuntime;
  readonly index: OutboxIndex;
  readonly refusals: Refusals;
  readonly order: LiveOrder;
  readonly logger: LinkLogger | undefined;
}

export class OutboxSender {
  readonly #runtime: LinkRuntime;
  readonly #index: OutboxIndex;
  readonly #refusals: Refusals;
  readonly #order: LiveOrder;
  readonly #logger: LinkLogger | undefined;
  readonly #suspects = new Set<number>();
  #work = deferred();
  #idle = deferred();
  #isIdle = false;

  constructor({ runtime, index, refusals, order, logger }: OutboxSenderParts) {
    this.#runtime = runtime;
    this.#index = index;
    this.#refusals = refusals;
    this.#order = order;
    this.#logger = logger;
  }

  /** Something was queued, or may go that was held back. */
  wake(): void {
    if (this.#isIdle) this.#idle = deferred();
    this.#isIdle = false;
    this.#work.resolve();
  }

  /** Settles when there is nothing that may be sent now. */
  get idle(): Promise<void> {
    return this.#idle.promise;
  }

  /** Sends for as long as the session lasts. Never rejects. */
  async run(session: Session): Promise<void> {
    this.#order.begin(session);
    while (session.isOnline) {
      try {
        await this.#turn(session);
      } catch {
        // The connection went (the loop ends), or the store failed: then not in a tight circle.
        if (!session.isOnline) return;
        this.#logger?.warn('outbox_store_failed');
        await this.#pause(session, LINK.refusedFirstDelayMs);
      }
    }
  }

  async #turn(session: Session): Promise<void> {
    this.#work = deferred();
    this.#order.changed();
    await this.#index.load();
    const { rows, exact, nextAt } = this.#choose();
    const [first] = rows;
    if (!first) {
      this.#isIdle = true;
      this.#idle.resolve();
      return this.#pause(session, nextAt - this.#runtime.now());
    }
    if (!(await session.paced())) return;
    await session.exclusive(() =>
      exact ? session.withoutLive(() => this.#sendAlone(session, first)) : this.#sendTogether(session, rows),
    );
  }

  #choose(): Choice {
    const rows: IndexedRow[] = [];
    const peers = new Set<string>();
    let nextAt = Number.POSITIVE_INFINITY;
    for (const row of this.#index.rows) {
      if (peers.has(row.peer)) continue;
      peers.add(row.peer);
      const heldUntil = this.#refusals.heldUntil(row.peer);
      if (heldUntil > 0) nextAt = Math.min(nextAt, heldUntil);
      else if (!this.#suspects.has(row.id)) rows.push(row);
      else if (rows.length === 0) return { rows: [row], exact: true, nextAt };
      if (rows.length === LINK.maxRowsInFlight) break;
    }
    return { rows, exact: false, nextAt };
  }

  async #sendTogether(session: Session, rows: readonly IndexedRow[]): Promise<void> {
    const sent: IndexedRow[] = [];
    session.takeErrors();
    for (const row of rows) {
      if (sent.length > 0 && !session.pacedNow()) break;
      if (await this.#write(session, row)) sent.push(row);
    }
    if (sent.length === 0) return;
    await session.prove();
    const codes = session.takeErrors();
    if (codes.length === 0) return this.#settle(sent);
    for (const { id } of sent) this.#suspects.add(id);
    this.#refusals.someRefused(codes);
  }

  async #sendAlone(session: Session, row: IndexedRow): Promise<void> {
    await session.prove();
    session.takeErrors();
    if (!(await this.#write(session, row))) return;
    await session.prove();
    const [code] = session.takeErrors();
    if (code === undefined) return this.#settle([row]);
    if (this.#refusals.refused(row, code) === 'keep') return this.#logger?.debug('outbox_refused', { code });
    this.#logger?.warn('outbox_dropped', { code });
    await this.#settle([row]);
  }

  /** Whether the row is on its way; one that expired or is gone from the store is forgotten. */
  async #write(session: Session, row: IndexedRow): Promise<boolean> {
    const stored = await this.#index.fetch(row.id);
    if (!stored) return false;
    const message = sendable(stored, this.#runtime.now());
    if (!message) {
      this.#logger?.debug('outbox_expired');
      await this.#settle([row]);
      return false;
    }
    if (!(await session.socketRoom(LINK.proofTimeoutMs))) return false;
    session.write(message);
    this.#order.wrote(row);
    return true;
  }

  async #settle(rows: readonly IndexedRow[]): Promise<void> {
    await this.#index.remove(rows.map(({ id }) => id));
    for (const row of rows) {
      this.#suspects.delete(row.id);
      this.#refusals.settled(row);
    }
  }

  async #pause(session: Session, ms: number): Promise<void> {
    const over = deferred();
    const timer = Number.isFinite(ms)
      ? this.#runtime.setTimer(() => over.resolve(), Math.max(1, ms))
      : undefined;
    await Promise.race([this.#work.promise, session.ended, over.promise]);
    timer?.cancel();
  }
}

function sendable(row: OutboxRow, now: number) {
  const peer = fromHex(row.peer, WIRE.ed25519PublicBytes);
  if (!peer || row.expiresAt <= now) return undefined;
  return { peer, nonce: row.nonce, ciphertext: row.ciphertext, live: false };
}

/**
 * Queued messages towards a relay that does not name the message an `error` is about: order alone tells. So at most
 * one message per peer is on its way (order per peer is never lost), then a proof (see session.ts). No `error`
 * before the proof: all of them are stored, their rows go. Any `error`: none of them is trusted; each goes again
 * alone, behind a proof and before one, with live messages held back, and that outcome is exact. A connection lost
 * before the proof: they go again, byte for byte. What thereby arrives twice the receiver's window drops. Must not
 * know how messages were sealed.
 */
import type { LinkLogger } from './link.types.js';
import { LINK } from './link-limits.js';
import type { IndexedRow, OutboxIndex } from './outbox-index.js';
import type { OutboxRows } from './outbox-rows.js';
import type { Refusals } from './refusals.js';
import type { Sending, Turn } from './sending.js';
import type { Session } from './session.js';

interface Choice {
  readonly rows: readonly IndexedRow[];
  readonly exact: boolean;
  /** When something held back may go; Infinity when nothing is. */
  readonly nextAt: number;
}

export interface ProvenSendingParts {
  readonly index: OutboxIndex;
  readonly refusals: Refusals;
  readonly rows: OutboxRows;
  readonly logger: LinkLogger | undefined;
}

export class ProvenSending implements Sending {
  readonly #parts: ProvenSendingParts;
  readonly #suspects = new Set<number>();

  constructor(parts: ProvenSendingParts) {
    this.#parts = parts;
  }

  async turn(session: Session): Promise<Turn> {
    const { rows, exact, nextAt } = this.#choose();
    const [first] = rows;
    if (!first) return { wait: 'idle', until: nextAt };
    if (!(await session.paced())) return { wait: 'no' };
    await session.exclusive(() =>
      exact ? session.withoutLive(() => this.#sendAlone(session, first)) : this.#sendTogether(session, rows),
    );
    return { wait: 'no' };
  }

  #choose(): Choice {
    const { index, refusals } = this.#parts;
    const rows: IndexedRow[] = [];
    const peers = new Set<string>();
    let nextAt = Number.POSITIVE_INFINITY;
    for (const row of index.rows) {
      if (peers.has(row.peer)) continue;
      peers.add(row.peer);
      const heldUntil = refusals.heldUntil(row.peer);
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
      if (await this.#parts.rows.write(session, row)) sent.push(row);
    }
    if (sent.length === 0) return;
    await session.prove();
    const codes = session.takeErrors();
    if (codes.length === 0) return this.#settle(sent);
    for (const { id } of sent) this.#suspects.add(id);
    this.#parts.refusals.someRefused(codes);
  }

  async #sendAlone(session: Session, row: IndexedRow): Promise<void> {
    const { refusals, rows, logger } = this.#parts;
    await session.prove();
    session.takeErrors();
    if (!(await rows.write(session, row))) return;
    await session.prove();
    const [code] = session.takeErrors();
    if (code === undefined) return this.#settle([row]);
    if (refusals.refused(row, code, false) === 'keep') return logger?.debug('outbox_refused', { code });
    await rows.giveUp(row, code);
    this.#suspects.delete(row.id);
  }

  async #settle(rows: readonly IndexedRow[]): Promise<void> {
    await this.#parts.rows.settle(rows);
    for (const { id } of rows) this.#suspects.delete(id);
  }
}

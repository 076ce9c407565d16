/**
 * Queued messages towards a relay that names them (`ref` = outbox id, 01 §2): several per peer under way, each kept
 * until its own `accepted`. On a new connection all that are left go again, byte for byte and in order, before
 * anything new; few at first, so that a connection that carries little before it breaks still gets something done.
 * A message refused for now is written again, alone for its peer, once the wait is over; those that
 * were under way behind it keep what the relay made of them. Lives as long as a session. Must not know how messages
 * were sealed.
 *
 * The relay's word is believed only about what is under way on this connection: an `accepted` or `error` for
 * anything else changes nothing.
 */
import type { LinkLogger } from './link.types.js';
import { LINK } from './link-limits.js';
import type { LiveRefs } from './live-refs.js';
import type { IndexedRow, OutboxIndex } from './outbox-index.js';
import type { OutboxRows } from './outbox-rows.js';
import type { Refusals } from './refusals.js';
import type { LinkRuntime } from './runtime.js';
import type { Sending, Turn } from './sending.js';
import type { RefListener, Session } from './session.js';

interface UnderWay {
  readonly row: IndexedRow;
  readonly bytes: number;
  readonly since: number;
}

interface Lane {
  messages: number;
  bytes: number;
  /** How many may be under way: few at first, one more with each accepted, one after a refusal. */
  most: number;
}

export interface NamedSendingParts {
  readonly runtime: LinkRuntime;
  readonly index: OutboxIndex;
  readonly refusals: Refusals;
  readonly rows: OutboxRows;
  readonly live: LiveRefs;
  readonly logger: LinkLogger | undefined;
  /** There is something to do. */
  wake(): void;
}

export class NamedSending implements Sending, RefListener {
  readonly #parts: NamedSendingParts;
  /** Oldest first. */
  readonly #underWay = new Map<number, UnderWay>();
  readonly #lanes = new Map<string, Lane>();
  /** Answered, and still in the store: safe without a code, given up with one. */
  readonly #answered = new Map<number, { row: IndexedRow; code?: string }>();

  constructor(parts: NamedSendingParts) {
    this.#parts = parts;
  }

  accepted(ref: bigint): void {
    const found = this.#answer(ref);
    if (!found) return;
    const lane = this.#laneOf(found.row);
    lane.most = Math.min(lane.most + 1, LINK.maxInFlightPerPeer);
    this.#answered.set(found.row.id, { row: found.row });
  }

  refused(ref: bigint, code: string): void {
    if (this.#parts.live.refused({ ref })) return;
    const found = this.#answer(ref);
    if (!found) return;
    const { row } = found;
    this.#laneOf(row).most = 1;
    if (this.#parts.refusals.refused(row, code, true) === 'drop') this.#answered.set(row.id, { row, code });
    else this.#parts.logger?.debug('outbox_refused');
  }

  async turn(session: Session): Promise<Turn> {
    await this.#removeAnswered();
    const [oldest] = this.#underWay.values();
    const dueAt = oldest ? oldest.since + LINK.proofTimeoutMs : Number.POSITIVE_INFINITY;
    if (dueAt <= this.#parts.runtime.now()) session.fail('unavailable');
    const next = this.#choose();
    if (typeof next === 'number') {
      return { wait: oldest ? 'answer' : 'idle', until: Math.min(next, dueAt) };
    }
    if (await session.paced()) await this.#send(session, next);
    return { wait: 'no' };
  }

  async #send(session: Session, row: IndexedRow): Promise<void> {
    await this.#parts.rows.write(session, row, (bytes) => {
      const lane = this.#laneOf(row);
      lane.messages++;
      lane.bytes += bytes;
      this.#underWay.set(row.id, { row, bytes, since: this.#parts.runtime.now() });
    });
  }

  /** The next row, or when one that is held back may go. */
  #choose(): IndexedRow | number {
    const { index, refusals } = this.#parts;
    const full = new Set<string>();
    let nextAt = Number.POSITIVE_INFINITY;
    for (const row of index.rows) {
      if (full.has(row.peer) || this.#underWay.has(row.id) || this.#answered.has(row.id)) continue;
      const heldUntil = refusals.heldUntil(row.peer);
      if (heldUntil === 0 && this.#hasRoom(row)) return row;
      if (heldUntil > 0) nextAt = Math.min(nextAt, heldUntil);
      full.add(row.peer);
    }
    return nextAt;
  }

  #hasRoom(row: IndexedRow): boolean {
    const { messages, bytes, most } = this.#laneOf(row);
    return messages < most && bytes < LINK.maxInFlightBytesPerPeer;
  }

  /** Takes what the relay answered off its way; undefined for anything that is not on it. */
  #answer(ref: bigint): UnderWay | undefined {
    const found = ref <= BigInt(Number.MAX_SAFE_INTEGER) ? this.#underWay.get(Number(ref)) : undefined;
    if (!found) return undefined;
    this.#underWay.delete(found.row.id);
    const lane = this.#laneOf(found.row);
    lane.messages--;
    lane.bytes -= found.bytes;
    this.#parts.wake();
    return found;
  }

  /** One transaction for all that are safe. One that fails leaves them answered: they are not sent again. */
  async #removeAnswered(): Promise<void> {
    const { rows } = this.#parts;
    const answered = [...this.#answered.values()];
    const safe = answered.flatMap(({ row, code }) => (code === undefined ? [row] : []));
    if (safe.length > 0) await rows.settle(safe);
    for (const { id } of safe) this.#answered.delete(id);
    for (const { row, code } of answered) {
      if (code === undefined) continue;
      await rows.giveUp(row, code);
      this.#answered.delete(row.id);
    }
  }

  #laneOf({ peer }: IndexedRow): Lane {
    const known = this.#lanes.get(peer);
    if (known) return known;
    const lane = { messages: 0, bytes: 0, most: LINK.firstInFlightPerPeer };
    this.#lanes.set(peer, lane);
    return lane;
  }
}

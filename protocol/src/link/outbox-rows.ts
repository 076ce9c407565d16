/**
 * What is done to single rows of the outbox on their way: written, forgotten, given up. Must not know why.
 */
import {
  CountersignError,
  decodePushHints,
  encodePushHints,
  fromHex,
  isWireCode,
  type MessageFrame,
  WIRE,
} from '../frames/index.js';
import type { LinkLogger } from './link.types.js';
import { LINK } from './link-limits.js';
import type { LiveOrder } from './live-order.js';
import type { IndexedRow, OutboxIndex } from './outbox-index.js';
import type { GivenUp, MaybePromise, OutboxRow } from './ports.js';
import type { Refusals } from './refusals.js';
import type { LinkRuntime } from './runtime.js';
import type { Session } from './session.js';

export interface OutboxRowsParts {
  readonly runtime: LinkRuntime;
  readonly index: OutboxIndex;
  readonly refusals: Refusals;
  readonly order: LiveOrder;
  readonly logger: LinkLogger | undefined;
  onGivenUp(message: GivenUp): MaybePromise<void>;
}

export class OutboxRows {
  readonly #parts: OutboxRowsParts;

  constructor(parts: OutboxRowsParts) {
    this.#parts = parts;
  }

  /**
   * Puts the row on its way; `starting` hears the size just before. False: not written, for the connection went,
   * or the row expired or is gone from the store, and is forgotten.
   */
  async write(session: Session, row: IndexedRow, starting?: (bytes: number) => void): Promise<boolean> {
    const { index, order, runtime, logger } = this.#parts;
    const stored = await index.fetch(row.id);
    if (!stored) return false;
    const message = sendable(stored, runtime.now());
    if (!message) {
      logger?.debug('outbox_expired');
      await this.settle([row]);
      return false;
    }
    if (!(await session.socketRoom(LINK.proofTimeoutMs))) return false;
    starting?.(stored.ciphertext.length);
    const ref = session.namesMessages ? BigInt(row.id) : undefined;
    session.write({
      ...message,
      ref,
      push: session.takesHints ? hintsNow(stored, runtime.now()) : undefined,
    });
    order.wrote(row);
    return true;
  }

  /** Safe at the relay, or expired. */
  async settle(rows: readonly IndexedRow[]): Promise<void> {
    await this.#parts.index.remove(rows.map(({ id }) => id));
    for (const row of rows) this.#parts.refusals.settled(row);
  }

  /** The relay never takes it: the owner is told before anybody may think that it is safe. */
  async giveUp(row: IndexedRow, code: string): Promise<void> {
    const { logger, onGivenUp, refusals, index } = this.#parts;
    const known = isWireCode(code) ? code : 'bad_request';
    const reason = new CountersignError(known, `The relay refuses a queued message for good: ${known}`);
    logger?.warn('outbox_dropped', { code: known });
    try {
      await onGivenUp({ id: row.id, peer: row.peer, reason });
    } catch {
      logger?.warn('handler_failed', { event: 'given_up' });
    }
    await index.remove([row.id]);
    refusals.settled(row);
  }
}

function sendable(row: OutboxRow, now: number): Omit<MessageFrame, 'type'> | undefined {
  const peer = fromHex(row.peer, WIRE.ed25519PublicBytes);
  if (!peer || row.expiresAt <= now) return undefined;
  return { peer, nonce: row.nonce, ciphertext: row.ciphertext, live: false };
}

/** The hints with the life that is left: the relay counts it from arrival, and the row may have waited. */
function hintsNow({ push, expiresAt }: OutboxRow, now: number): Uint8Array | undefined {
  const hints = push && decodePushHints(push);
  return hints && encodePushHints({ ...hints, ttlMs: BigInt(Math.max(1, Math.ceil(expiresAt - now))) });
}

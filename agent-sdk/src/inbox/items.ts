/**
 * Items from pending to their end: waiters, expiry, what is told to everybody afterwards. The table decides who
 * was first; this decides what follows. Must not know devices' answers or payloads.
 */
import { CountersignError } from '@countersign/protocol';
import type { Core, Timer } from '../agent/core.js';
import type { EndState, ItemRow } from '../store/index.js';
import type { FrozenItem } from './frozen-item.js';
import { MAX_PENDING_ITEMS } from './request-limits.js';
import { encodeDecision, type StoredDecision } from './stored-decision.js';

/** The wall clock may jump: expiry is looked at at least this often. */
const MAX_EXPIRY_SLEEP_MS = 60_000;

export interface ItemHooks {
  /** An item is pending from now on. */
  pending(row: ItemRow): void;
  /** An item has ended, durably. */
  ended(row: ItemRow, decidedBy: string | undefined): void;
}

interface Waiter {
  resolve(row: ItemRow): void;
  reject(error: unknown): void;
}

export class Items {
  readonly #core: Core;
  readonly #hooks: ItemHooks;
  readonly #waiters = new Map<string, Set<Waiter>>();
  #timer: Timer | undefined;

  constructor(core: Core, hooks: ItemHooks) {
    this.#core = core;
    this.#hooks = hooks;
  }

  get #table() {
    return this.#core.store.tables.items;
  }

  /** Stores a new pending item. @throws CountersignError `queue_full`, `storage_full`. */
  add(frozen: FrozenItem): void {
    if (this.#table.pendingCount() >= MAX_PENDING_ITEMS) throw tooMany();
    this.#table.insert(rowOf(frozen, 'pending', this.#core.clock.now()));
    this.announce(frozen.requestId);
  }

  /** Stores an item that needs nobody: it ends as it begins. */
  addEnded(frozen: FrozenItem, state: EndState, decision: StoredDecision): ItemRow {
    this.#table.insert({
      ...rowOf(frozen, state, this.#core.clock.now()),
      decision: encodeDecision(decision),
    });
    return this.get(frozen.requestId);
  }

  /** Tells everybody of an item that was stored as pending. */
  announce(requestId: string): void {
    this.#hooks.pending(this.get(requestId));
    this.schedule();
  }

  /** @throws CountersignError `not_found`. */
  get(requestId: string): ItemRow {
    const row = this.#table.get(requestId);
    if (row === undefined) {
      throw new CountersignError(
        'not_found',
        'No request with this id is known here, or it ended over 30 days ago.',
      );
    }
    return row;
  }

  /** Resolves with the item's row once it has ended; an abort ends it. */
  wait(requestId: string, signal?: AbortSignal): Promise<ItemRow> {
    return new Promise<ItemRow>((resolve, reject) => {
      const withdraw = () => {
        try {
          this.end(requestId, 'cancelled', { cancelled: 'aborted' });
        } catch (error) {
          waiter.reject(error);
        }
      };
      const done = () => {
        signal?.removeEventListener('abort', withdraw);
        this.#forget(requestId, waiter);
      };
      const waiter: Waiter = {
        resolve(ended) {
          done();
          resolve(ended);
        },
        reject(error) {
          done();
          reject(error instanceof Error ? error : new Error(String(error)));
        },
      };
      const row = this.get(requestId);
      if (row.state !== 'pending') return resolve(row);
      this.#remember(requestId, waiter);
      signal?.addEventListener('abort', withdraw);
      if (signal?.aborted) withdraw();
    });
  }

  isAwaited(requestId: string): boolean {
    return this.#waiters.has(requestId);
  }

  /** Ends a pending item in a transaction of its own; false when it had ended. */
  end(requestId: string, state: EndState, decision: StoredDecision): boolean {
    const at = this.#core.clock.now();
    const ended = this.#table.end(requestId, { state, at, decision: encodeDecision(decision) });
    if (ended) this.settled(requestId);
    return ended;
  }

  /** What follows once an end is durable; `decidedBy` is the device that decided. */
  settled(requestId: string, decidedBy?: string): void {
    const row = this.get(requestId);
    this.#core.store.scrub();
    this.#hooks.ended(row, decidedBy);
    for (const waiter of this.#waiters.get(requestId) ?? []) waiter.resolve(row);
    this.#core.events.emit('ended', { requestId, status: row.state });
    this.schedule();
  }

  /** Ends every pending item whose time is over. */
  expire(): void {
    const now = this.#core.clock.now();
    for (const row of this.#table.pending()) {
      if (row.expiresAt <= now) this.end(row.requestId, 'expired', {});
    }
  }

  /** Sets the clock for the next expiry. */
  schedule(): void {
    this.#timer?.cancel();
    this.#timer = undefined;
    const next = this.#table.nextExpiry();
    if (next === undefined) return;
    const ms = Math.min(Math.max(0, next - this.#core.clock.now()), MAX_EXPIRY_SLEEP_MS);
    this.#timer = this.#core.clock.setTimer(() => {
      try {
        this.expire();
      } catch {
        this.#core.log.warn('expiry_failed');
      }
      this.schedule();
    }, ms);
  }

  /** The agent closes: nobody waits any more, so nothing may be answered. */
  closeAll(): void {
    for (const row of this.#table.pending()) this.end(row.requestId, 'cancelled', { cancelled: 'closed' });
    this.stop();
  }

  stop(): void {
    this.#timer?.cancel();
    this.#timer = undefined;
  }

  #remember(requestId: string, waiter: Waiter): void {
    this.#waiters.set(requestId, (this.#waiters.get(requestId) ?? new Set()).add(waiter));
  }

  #forget(requestId: string, waiter: Waiter): void {
    const set = this.#waiters.get(requestId);
    set?.delete(waiter);
    if (set?.size === 0) this.#waiters.delete(requestId);
  }
}

export function rowOf(frozen: FrozenItem, state: ItemRow['state'], now: number) {
  const kept = state === 'pending' || state === 'approved';
  return {
    requestId: frozen.requestId,
    kind: frozen.kind,
    state,
    toolName: frozen.toolName,
    sensitive: frozen.sensitive ? 1 : 0,
    createdAt: frozen.createdAt,
    expiresAt: frozen.expiresAt,
    digest: frozen.digest,
    detailDigest: frozen.detailDigest,
    entry: kept ? frozen.text : null,
    decision: null,
    endedAt: state === 'pending' ? null : now,
  };
}

function tooMany(): CountersignError {
  return new CountersignError('queue_full', `${MAX_PENDING_ITEMS} requests wait for an answer already.`, {
    details: { limit: MAX_PENDING_ITEMS },
  });
}

/**
 * Which queued messages there are and for whom, so that the sender need not read ciphertexts to choose. The
 * store stays the truth: a row it no longer has is forgotten here. Must not know connections.
 */
import { type Deferred, deferred } from './async-tools.js';
import { LINK } from './link-limits.js';
import type { OutboxRow, PeerStore } from './ports.js';

export interface IndexedRow {
  readonly id: number;
  readonly peer: string;
}

export class OutboxIndex {
  readonly #store: Pick<PeerStore<never>, 'outboxAfter' | 'outboxRemove'>;
  #rows: IndexedRow[] = [];
  #loaded: Promise<void> | undefined;
  #flushes: Array<{ upTo: number; done: Deferred<void> }> = [];

  constructor(store: Pick<PeerStore<never>, 'outboxAfter' | 'outboxRemove'>) {
    this.#store = store;
  }

  /** Ascending by id. */
  get rows(): readonly IndexedRow[] {
    return this.#rows;
  }

  /** Learns what an earlier process left, once. A failure is met again by the next call. */
  load(): Promise<void> {
    this.#loaded ??= this.#read().catch((error: unknown) => {
      this.#loaded = undefined;
      throw error;
    });
    return this.#loaded;
  }

  add(row: IndexedRow): void {
    const behind = this.#rows.findLastIndex(({ id }) => id < row.id);
    if (this.#rows[behind + 1]?.id !== row.id) this.#rows.splice(behind + 1, 0, row);
  }

  /** The row as stored; undefined, and forgotten, when the store has it no longer. */
  async fetch(id: number): Promise<OutboxRow | undefined> {
    const [row] = await this.#store.outboxAfter(id - 1, 1);
    if (row?.id === id) return row;
    this.#forget([id]);
    return undefined;
  }

  async remove(ids: readonly number[]): Promise<void> {
    if (ids.length > 0) await this.#store.outboxRemove(ids);
    this.#forget(ids);
  }

  /** Resolves when everything that is queued now has left. */
  async flushed(): Promise<void> {
    await this.load();
    const upTo = this.#rows.at(-1)?.id;
    if (upTo === undefined) return;
    const done = deferred();
    this.#flushes.push({ upTo, done });
    return done.promise;
  }

  /** The link is closed: nothing leaves any more. */
  fail(reason: unknown): void {
    for (const { done } of this.#flushes.splice(0)) done.reject(reason);
  }

  async #read(): Promise<void> {
    const rows: IndexedRow[] = [];
    for (;;) {
      const page = await this.#store.outboxAfter(rows.at(-1)?.id ?? -1, LINK.outboxPageRows);
      rows.push(...page.map(({ id, peer }) => ({ id, peer })));
      if (page.length < LINK.outboxPageRows) break;
    }
    this.#rows = rows;
  }

  #forget(ids: readonly number[]): void {
    const gone = new Set(ids);
    this.#rows = this.#rows.filter(({ id }) => !gone.has(id));
    const first = this.#rows[0]?.id ?? Number.POSITIVE_INFINITY;
    const settled = this.#flushes.filter(({ upTo }) => upTo < first);
    this.#flushes = this.#flushes.filter(({ upTo }) => upTo >= first);
    for (const { done } of settled) done.resolve();
  }
}

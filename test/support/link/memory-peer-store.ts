/** A PeerStore in memory, with the windows of the real ones and hooks to make it fail. */
import { CountersignError } from '@countersign/protocol';
import { checkCounter, emptyWindow, markCounter, type WindowState } from '@countersign/protocol/e2e';
import {
  OUTBOX_LIMIT,
  type OutboxRow,
  type PeerStore,
  type ReceiveVerdict,
} from '@countersign/protocol/link';

/** Effects append to `applied`; a transaction that throws leaves it as it was. */
export interface MemoryTx {
  applied: unknown[];
}

export class MemoryPeerStore implements PeerStore<MemoryTx> {
  readonly highWater = new Map<string, number>();
  readonly reservations: Array<{ channelId: string; floor: number; count: number; first: number }> = [];
  applied: unknown[] = [];
  rows: OutboxRow[] = [];
  /** Runs before each operation; may throw or wait. */
  before: (operation: keyof PeerStore<MemoryTx>) => void | Promise<void> = () => undefined;
  #windows = new Map<string, WindowState>();
  #nextId = 1;

  async reserveCounters(channelId: string, floor: number, count: number): Promise<number> {
    await this.before('reserveCounters');
    const first = Math.max((this.highWater.get(channelId) ?? -1) + 1, floor);
    this.highWater.set(channelId, first + count - 1);
    this.reservations.push({ channelId, floor, count, first });
    return first;
  }

  async receive(
    channelId: string,
    counter: number,
    effect: (tx: MemoryTx, verdict: 'new' | 'duplicate') => void | Promise<void>,
  ): Promise<ReceiveVerdict> {
    await this.before('receive');
    const window = this.#windows.get(channelId) ?? emptyWindow();
    const verdict = checkCounter(window, counter);
    if (verdict === 'outside') return verdict;
    const tx = { applied: [...this.applied] };
    await effect(tx, verdict);
    this.applied = tx.applied;
    if (verdict === 'new') this.#windows.set(channelId, markCounter(window, counter));
    return verdict;
  }

  async enqueue(row: Omit<OutboxRow, 'id'>): Promise<number> {
    await this.before('enqueue');
    if (this.rows.length >= OUTBOX_LIMIT) throw new CountersignError('queue_full', 'The outbox is full');
    const id = this.#nextId++;
    this.rows.push({ ...row, id });
    return id;
  }

  async outboxAfter(afterId: number, limit: number): Promise<OutboxRow[]> {
    await this.before('outboxAfter');
    return this.rows.filter(({ id }) => id > afterId).slice(0, limit);
  }

  async outboxRemove(ids: readonly number[]): Promise<void> {
    await this.before('outboxRemove');
    this.rows = this.rows.filter(({ id }) => !ids.includes(id));
  }
}

/** A device's durable state for tests: as durable as the process. Must not know what a scripted device does. */
import { checkCounter, emptyWindow, markCounter, type WindowState } from '@countersign/protocol/e2e';
import type { OutboxRow, PeerStore } from '@countersign/protocol/link';

export class MemoryPeerStore implements PeerStore<undefined> {
  readonly #high = new Map<string, number>();
  readonly #windows = new Map<string, WindowState>();
  #outbox: OutboxRow[] = [];
  #nextId = 1;
  /** Highest counter opened. */
  seen = 0;

  async reserveCounters(channelId: string, floor: number, count: number): Promise<number> {
    const first = Math.max((this.#high.get(channelId) ?? 0) + 1, floor);
    this.#high.set(channelId, first + count - 1);
    return first;
  }

  async receive(
    channelId: string,
    counter: number,
    effect: Parameters<PeerStore<undefined>['receive']>[2],
  ): Promise<'new' | 'duplicate' | 'outside'> {
    const window = this.#windows.get(channelId) ?? emptyWindow();
    const verdict = checkCounter(window, counter);
    if (verdict === 'outside') return verdict;
    await effect(undefined, verdict);
    this.#windows.set(channelId, markCounter(window, counter));
    this.seen = Math.max(this.seen, counter);
    return verdict;
  }

  async enqueue(row: Omit<OutboxRow, 'id'>): Promise<number> {
    const id = this.#nextId++;
    this.#outbox.push({ ...row, id });
    return id;
  }

  async outboxAfter(afterId: number, limit: number): Promise<OutboxRow[]> {
    return this.#outbox.filter(({ id }) => id > afterId).slice(0, limit);
  }

  async outboxRemove(ids: readonly number[]): Promise<void> {
    this.#outbox = this.#outbox.filter(({ id }) => !ids.includes(id));
  }
}

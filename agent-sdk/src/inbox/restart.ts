/**
 * What a new process makes of the state it finds: calls that were running are unknown, items left pending may be
 * answered for a moment, and a state restored from an older copy asks anew (02 §2, 03 §5). Must not know answers.
 */
import type { Core, Timer } from '../agent/core.js';
import type { DeviceBook } from '../devices/index.js';
import type { ItemRow } from '../store/index.js';
import { entryOf, type FrozenItem, freezeItem } from './frozen-item.js';
import { type Items, rowOf } from './items.js';
import type { Notifier } from './notifier.js';
import { newRequestId } from './request-checks.js';
import { encodeDecision } from './stored-decision.js';

export interface RestartParts {
  readonly core: Core;
  readonly items: Items;
  readonly notifier: Notifier;
  readonly book: DeviceBook;
}

export class Restart {
  readonly #parts: RestartParts;
  readonly #graceMs: number;
  /** Items left pending by the last process, in whatever ids they have now. */
  #orphans: string[] = [];
  /** Highest send counter the state knew of when it was opened, by channel. */
  readonly #sentAtOpen = new Map<string, number>();
  #reissued = false;
  #timer: Timer | undefined;

  constructor(parts: RestartParts, graceMs: number) {
    this.#parts = parts;
    this.#graceMs = graceMs;
  }

  /** Once, before the link starts. */
  begin(): void {
    const { core, items } = this.#parts;
    const { tables } = core.store;
    for (const row of tables.pairings.all()) this.#sentAtOpen.set(row.channelId, row.sendHigh);
    for (const row of tables.items.crashed()) this.#tellUnknown(row);
    tables.bypasses.endAgentSessions();
    items.expire();
    this.#orphans = tables.items.pending().map(({ requestId }) => requestId);
    for (const requestId of this.#orphans) items.announce(requestId);
    this.#startGrace();
  }

  stop(): void {
    this.#timer?.cancel();
  }

  /**
   * A device says the highest counter it opened from us. One this state never reserved means that it is an older
   * copy: its pending items may have been decided since, so they are asked again under new ids.
   */
  async onSeen(channelId: string, seen: number): Promise<void> {
    if (this.#reissued || !this.#isUnknownCounter(channelId, seen)) return;
    this.#reissued = true;
    this.#parts.core.log.warn('state_restored', { pending: this.#orphans.length });
    const { items } = this.#parts.core.store.tables;
    const rows = this.#orphans.flatMap((requestId) => items.get(requestId) ?? []);
    const fresh = await Promise.all(rows.map((row) => this.#renamed(row)));
    this.#orphans = rows.flatMap((row, index) => this.#replace(row, fresh[index]) ?? []);
    this.#startGrace();
  }

  /** Neither reserved before this process began nor by it. */
  #isUnknownCounter(channelId: string, seen: number): boolean {
    const { store } = this.#parts.core;
    const atOpen = this.#sentAtOpen.get(channelId);
    const row = store.tables.pairings.get(channelId);
    if (atOpen === undefined || row === undefined || seen <= atOpen) return false;
    const first = store.firstReserved(channelId) ?? Number.POSITIVE_INFINITY;
    return seen < first || seen > row.sendHigh;
  }

  async #renamed(row: ItemRow): Promise<FrozenItem | undefined> {
    const entry = entryOf(row);
    if (entry === undefined) return undefined;
    const { digest: _digest, ...rest } = entry;
    const renamed = {
      ...rest,
      request_id: newRequestId(row.kind),
      created_at: row.createdAt,
      expires_at: row.expiresAt,
    };
    return freezeItem(this.#parts.core.namespaceId, {
      kind: row.kind,
      entry: renamed,
      toolName: row.toolName ?? undefined,
      sensitive: row.sensitive === 1,
    });
  }

  /** The new id, unless the old item ended meanwhile. */
  #replace(old: ItemRow, fresh: FrozenItem | undefined): string | undefined {
    if (fresh === undefined) return undefined;
    const { core, items } = this.#parts;
    const at = core.clock.now();
    const decision = encodeDecision({ replacedBy: fresh.requestId });
    const replaced = core.store.transaction((tables) => {
      if (!tables.items.end(old.requestId, { state: 'superseded', at, decision })) return false;
      tables.items.insert(rowOf(fresh, 'pending', at));
      return true;
    });
    if (!replaced) return undefined;
    items.announce(fresh.requestId);
    items.settled(old.requestId);
    return fresh.requestId;
  }

  #startGrace(): void {
    this.#timer?.cancel();
    if (this.#orphans.length === 0) return;
    this.#timer = this.#parts.core.clock.setTimer(() => this.#endGrace(), this.#graceMs);
  }

  /** Nobody came back for them. */
  #endGrace(): void {
    const { items, core } = this.#parts;
    for (const requestId of this.#orphans.splice(0)) {
      if (items.isAwaited(requestId)) continue;
      try {
        items.end(requestId, 'cancelled', { cancelled: 'agent_restarted' });
      } catch {
        core.log.warn('grace_end_failed');
      }
    }
  }

  #tellUnknown(row: ItemRow): void {
    const { notifier, core } = this.#parts;
    notifier.unknown(row);
    core.events.emit('ended', { requestId: row.requestId, status: 'unknown' });
  }
}

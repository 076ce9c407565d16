/**
 * What a new process makes of the state it finds: calls that were running are unknown, items left pending may be
 * answered for a moment, and a state restored from an older copy asks anew (02 §2, 03 §5). Must not know answers.
 */
import { checkCounter, decodeWindow } from '@countersign/protocol/e2e';
import type { Core, Timer } from '../agent/core.js';
import type { ItemRow, PairingRow } from '../store/index.js';
import { entryOf, type FrozenItem, freezeItem } from './frozen-item.js';
import { type Items, rowOf } from './items.js';
import type { Notifier } from './notifier.js';
import { newRequestId } from './request-checks.js';
import { encodeDecision } from './stored-decision.js';

export interface RestartParts {
  readonly core: Core;
  readonly items: Items;
  readonly notifier: Notifier;
}

/** `seen`: highest counter of ours the device opened. `used`: its own last one before this message. */
export interface SeenAndUsed {
  readonly seen?: number | undefined;
  readonly used?: number | undefined;
}

export class Restart {
  readonly #parts: RestartParts;
  readonly #graceMs: number;
  /** Items left pending by the last process, in whatever ids they have now. */
  #orphans: string[] = [];
  /** Pairings as the state had them when it was opened, by channel. */
  readonly #atOpen = new Map<string, PairingRow>();
  #reissued = false;
  #timer: Timer | undefined;

  constructor(parts: RestartParts, graceMs: number) {
    this.#parts = parts;
    this.#graceMs = graceMs;
  }

  /** Once, before the link starts. */
  begin(): void {
    const { core, items, notifier } = this.#parts;
    const { tables } = core.store;
    for (const row of tables.pairings.all()) this.#atOpen.set(row.channelId, row);
    for (const row of tables.items.crashed()) notifier.unknown(row);
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
   * Whether what a device says of the counters shows that this state is an older copy of another. Proof is a counter
   * of ours that it never reserved. A counter it reserved but is not known to have used may have gone out just before
   * a crash; then a message of the device that never came tells the two apart.
   */
  isBehind(channelId: string, { seen, used }: SeenAndUsed): boolean {
    const atOpen = this.#atOpen.get(channelId);
    const { store } = this.#parts.core;
    const row = store.tables.pairings.get(channelId);
    if (atOpen === undefined || row === undefined || seen === undefined || seen <= atOpen.sentCounter)
      return false;
    const first = store.firstReserved(channelId) ?? Number.POSITIVE_INFINITY;
    if (seen >= first && seen <= row.sendHigh) return false;
    return seen > atOpen.sendHigh || (used !== undefined && used > 0 && isMissing(row, used));
  }

  /** What is pending since before this process may have been decided since: it is asked again under new ids, once. */
  async reissue(): Promise<void> {
    if (this.#reissued) return;
    this.#reissued = true;
    this.#parts.core.log.warn('state_restored', { pending: this.#orphans.length });
    const { items } = this.#parts.core.store.tables;
    const rows = this.#orphans.flatMap((requestId) => items.get(requestId) ?? []);
    const fresh = await Promise.all(rows.map((row) => this.#renamed(row)));
    this.#orphans = rows.flatMap((row, index) => this.#replace(row, fresh[index]) ?? []);
    this.#startGrace();
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
}

function isMissing({ receiveWindow }: PairingRow, counter: number): boolean {
  return receiveWindow === null || checkCounter(decodeWindow(receiveWindow), counter) === 'new';
}

/**
 * Messages of devices, by what their pairing is worth: what opens under an unconfirmed key waits, the first that opens
 * under a confirmed one makes the pairing trusted (02 §5). Must not know what the payloads mean.
 */
import { shortId } from '@countersign/protocol';
import type { Effect, Incoming } from '@countersign/protocol/link';
import type { Channels, DeviceBook } from '../devices/index.js';
import type { Snapshots } from '../inbox/index.js';
import type { PairingRow, Tables } from '../store/index.js';
import type { Background } from './background.js';
import type { Core } from './core.js';
import { NOTHING, type Payloads, type Raw } from './payloads.js';

export interface IntakeParts {
  readonly core: Core;
  readonly book: DeviceBook;
  readonly channels: Channels;
  readonly snapshots: Snapshots;
  readonly payloads: Payloads;
  readonly background: Background;
  /** The device was heard from. */
  heard(deviceId: string): void;
}

export class Intake {
  readonly #parts: IntakeParts;

  constructor(parts: IntakeParts) {
    this.#parts = parts;
  }

  async onPayload(incoming: Incoming): Promise<Effect<Tables> | undefined> {
    const row = this.#parts.core.store.tables.pairings.get(incoming.channel.id);
    if (row === undefined) return undefined;
    return row.state === 'paired'
      ? this.#hold(incoming)
      : this.#effect(row, incoming.counter, incoming.payload);
  }

  /** A crash may have come between a confirmation and what it released. */
  async releaseAll(): Promise<void> {
    const confirmed = this.#parts.core.store.tables.pairings.all().filter(({ state }) => state !== 'paired');
    for (const { channelId } of confirmed) await this.release(channelId);
  }

  /** The pairing was confirmed: what waited for that is dealt with now, in order. */
  async release(channelId: string): Promise<void> {
    const { store } = this.#parts.core;
    for (;;) {
      const row = store.tables.pairings.get(channelId);
      const held = store.tables.held.first(channelId);
      if (row === undefined || held === undefined) break;
      const effect = await this.#effect(row, held.counter, JSON.parse(held.payload) as Raw);
      const applied = store.transaction((tables) => {
        if (!tables.held.remove(held.seq)) return false;
        void effect.apply(tables, 'new');
        return true;
      });
      if (applied) await effect.after?.('new');
    }
    store.scrub();
  }

  #hold(incoming: Incoming): Effect<Tables> {
    const { log, store } = this.#parts.core;
    return {
      after: async () => {
        // It may have been confirmed while this message was on its way in.
        const row = store.tables.pairings.get(incoming.channel.id);
        if (row !== undefined && row.state !== 'paired') await this.release(row.channelId);
      },
      apply: (tables, verdict) => {
        if (verdict === 'duplicate' || this.#isSensitive(incoming.payload)) return;
        const { channel, counter, live, payload } = incoming;
        const kept = tables.held.add(channel.id, counter, live, JSON.stringify(payload));
        if (!kept) log.debug('held_full', { device: shortId(channel.peer) });
      },
    };
  }

  /** Such an answer is never stored; its device sends it again. */
  #isSensitive({ request_id: requestId }: Raw): boolean {
    if (typeof requestId !== 'string') return false;
    return this.#parts.core.store.tables.items.get(requestId)?.sensitive === 1;
  }

  async #effect(row: PairingRow, counter: number, raw: Raw): Promise<Effect<Tables>> {
    const { book, core, background, channels } = this.#parts;
    const device = book.trustedBy(row);
    const prepared =
      device === undefined ? NOTHING : await this.#parts.payloads.prepare(device, counter, raw);
    let firstOfPairing = false;
    return {
      apply: (tables, verdict) => {
        if (verdict === 'duplicate') return;
        firstOfPairing = this.#trust(tables, row);
        tables.devices.seen(row.device, core.clock.now());
        tables.pairings.noteSent(row.channelId, channels.lastUsed(row.channelId));
        prepared.apply(tables);
      },
      after: async (verdict) => {
        if (firstOfPairing) this.#trusted(row);
        this.#parts.heard(row.device);
        if (verdict === 'new') await background.attempt('payload_follow_up_failed', () => prepared.after());
      },
    };
  }

  /** The new key proved itself: the pairings it replaces go, with what is still sealed under their keys. */
  #trust(tables: Tables, row: PairingRow): boolean {
    if (!tables.pairings.trust(row.channelId)) return false;
    if (tables.pairings.removeOlder(row) > 0) tables.itemDevices.removeDevice(row.device);
    this.#parts.core.store.dropOutboxOf(row.device);
    return true;
  }

  #trusted(row: PairingRow): void {
    this.#parts.core.store.scrub();
    this.#parts.book.changed(row.device);
    this.#parts.snapshots.sendTo(row.device);
  }
}

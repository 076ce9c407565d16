/**
 * Full snapshots of everything pending, live to every trusted device after every change: at most one unsent per
 * device and always the newest (03 §2). Records what went out whole. Must not know how items come or end.
 */
import { randomBytes } from 'node:crypto';
import {
  checkSend,
  fitSnapshot,
  type InboxUpdate,
  MAX_LIVE_JSON_BYTES,
  newEnvelope,
} from '@countersign/protocol/payloads';
import type { Background } from '../agent/background.js';
import type { Core } from '../agent/core.js';
import { AGENT_FEATURES, type Channels, type DeviceBook, type TrustedDevice } from '../devices/index.js';
import type { ItemRow } from '../store/index.js';
import { listedBypasses } from './bypasses.js';
import { type Entry, entryOf, withTextInDetail } from './frozen-item.js';
import type { LiveSends } from './live-sends.js';

interface Pump {
  dirty: boolean;
  running: boolean;
  /** The item the device asked to have whole. */
  wholeId: string | undefined;
}

export class Snapshots {
  readonly #core: Core;
  readonly #book: DeviceBook;
  readonly #live: LiveSends;
  readonly #channels: Channels;
  readonly #background: Background;
  readonly #maxBytes: number;
  readonly #pumps = new Map<string, Pump>();

  constructor(
    core: Core,
    book: DeviceBook,
    live: LiveSends,
    channels: Channels,
    background: Background,
    maxBytes: number = MAX_LIVE_JSON_BYTES,
  ) {
    this.#core = core;
    this.#book = book;
    this.#live = live;
    this.#channels = channels;
    this.#background = background;
    this.#maxBytes = maxBytes;
  }

  /** Something pending, a bypass or a name changed. */
  changed(): void {
    for (const { id } of this.#book.trusted()) this.sendTo(id);
  }

  /** One device needs a fresh one, perhaps with an item whole. */
  sendTo(deviceId: string, wholeId?: string): void {
    const pump = this.#pumps.get(deviceId) ?? { dirty: false, running: false, wholeId: undefined };
    this.#pumps.set(deviceId, pump);
    pump.dirty = true;
    pump.wholeId = wholeId ?? pump.wholeId;
    if (!pump.running) this.#background.run('snapshot_failed', () => this.#drive(deviceId, pump));
  }

  async #drive(deviceId: string, pump: Pump): Promise<void> {
    pump.running = true;
    try {
      while (pump.dirty) {
        pump.dirty = false;
        const device = this.#book.trustedById(deviceId);
        if (device === undefined) this.#pumps.delete(deviceId);
        else if (this.#live.isReachable(deviceId)) await this.#send(device, pump);
      }
    } finally {
      pump.running = false;
    }
  }

  async #send(device: TrustedDevice, pump: Pump): Promise<void> {
    const rows = this.#core.store.tables.items.pending();
    const wholeId = pump.wholeId;
    pump.wholeId = undefined;
    const { update, whole } = fitSnapshot(this.#compose(device, rows), this.#maxBytes, {
      wholeId,
      namesTruncated: device.features.has('truncated'),
    });
    checkSend(update);
    const inWhole = rows.filter(({ requestId }) => whole.has(requestId));
    await this.#sendMarked(device, update, this.#notYetWhole(device, inWhole));
  }

  /** Marked before it goes out: an answer must find the mark, even after a crash in between. */
  async #sendMarked(device: TrustedDevice, update: InboxUpdate, fresh: readonly ItemRow[]): Promise<void> {
    const unmark = () => this.#unmark(device.id, fresh);
    let sent: Awaited<ReturnType<LiveSends['send']>> = 'offline';
    this.#mark(device, fresh);
    try {
      sent = await this.#live.send(device, update, unmark);
    } finally {
      if (sent !== 'written') unmark();
    }
    if (sent === 'too_large') this.#core.log.warn('snapshot_too_large');
  }

  #compose(device: TrustedDevice, rows: readonly ItemRow[]): InboxUpdate {
    const of = (kind: ItemRow['kind']) =>
      rows.filter((row) => row.kind === kind).flatMap((row) => entryFor(device, row) ?? []);
    const bypasses = listedBypasses(this.#core, this.#book) ?? [];
    return {
      ...newEnvelope('inbox_update', this.#core.clock.now(), randomBytes(16)),
      badge: rows.length,
      supports: [...AGENT_FEATURES],
      approvals: of('approval') as InboxUpdate['approvals'],
      clarifications: of('clarification') as InboxUpdate['clarifications'],
      elicitations: of('elicitation') as InboxUpdate['elicitations'],
      ...(bypasses.length === 0 ? {} : { bypasses }),
    };
  }

  #notYetWhole(device: TrustedDevice, rows: readonly ItemRow[]): ItemRow[] {
    const known = this.#core.store.tables.itemDevices.wholeAt(device.id);
    return rows.filter(({ requestId }) => !known.has(requestId));
  }

  #mark(device: TrustedDevice, rows: readonly ItemRow[]): void {
    if (rows.length === 0) return;
    const { channelId } = device.pairing;
    this.#core.store.transaction(({ itemDevices, pairings }) => {
      pairings.noteSent(channelId, this.#channels.lastUsed(channelId));
      for (const row of rows) itemDevices.markWhole(row.requestId, device.id);
    });
  }

  #unmark(deviceId: string, rows: readonly ItemRow[]): void {
    if (rows.length === 0) return;
    this.#core.store.transaction(({ itemDevices }) => {
      for (const { requestId } of rows) itemDevices.unmarkWhole(requestId, deviceId);
    });
  }
}

/** The entry as this device can take it, with the digest of just that. */
function entryFor(device: TrustedDevice, row: ItemRow): Entry | undefined {
  const entry = entryOf(row);
  if (entry === undefined || device.features.has('arguments_text')) return entry;
  const detailed = withTextInDetail(entry);
  return detailed === undefined ? entry : { ...detailed, digest: row.detailDigest ?? row.digest };
}

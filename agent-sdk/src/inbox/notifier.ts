/**
 * The light push: one queued notification per item and device after a short grace, and a second one that takes
 * its place when the item ends elsewhere (03 §3). Never blocks, never arguments. Must not know how items end.
 */
import { randomBytes } from 'node:crypto';
import { summaryLine, titleLine } from '@countersign/protocol/blocks';
import type { Link } from '@countersign/protocol/link';
import { checkSend, type NotificationPayload, newEnvelope } from '@countersign/protocol/payloads';
import type { Background } from '../agent/background.js';
import type { Core, Timer } from '../agent/core.js';
import type { Channels, DeviceBook, TrustedDevice } from '../devices/index.js';
import type { ItemKind, ItemRow } from '../store/index.js';
import { type Entry, entryOf } from './frozen-item.js';

/** An item resolved before this was up sends none. */
export const ALERT_GRACE_MS = 700;

const PRIVATE_BODY: Readonly<Record<ItemKind, string>> = {
  approval: 'An approval is waiting',
  clarification: 'A question is waiting',
  elicitation: 'A question is waiting',
};

type Body = Omit<NotificationPayload, 'v' | 'kind' | 'id' | 'ts'>;

export interface NotifierParts {
  readonly core: Core;
  readonly book: DeviceBook;
  readonly channels: Channels;
  readonly background: Background;
  link(): Pick<Link, 'queue'>;
}

export class Notifier {
  readonly #parts: NotifierParts;
  readonly #waiting = new Map<string, Timer>();

  constructor(parts: NotifierParts) {
    this.#parts = parts;
  }

  /** The item is pending: devices that were not alerted yet will be. */
  pending(requestId: string): void {
    const { clock } = this.#parts.core;
    const timer = clock.setTimer(() => {
      this.#waiting.delete(requestId);
      this.#parts.background.run('alert_failed', () => this.#alert(requestId));
    }, ALERT_GRACE_MS);
    this.#waiting.set(requestId, timer);
  }

  /** The item ended, on `decidedBy` if a device did it; `words` say how. Needs no more of the item than its row. */
  ended(row: ItemRow, words: string, decidedBy?: string): void {
    this.#waiting.get(row.requestId)?.cancel();
    this.#waiting.delete(row.requestId);
    const { book, core } = this.#parts;
    const alerted = new Set(core.store.tables.itemDevices.alerted(row.requestId));
    const outcome = titleLine(words);
    for (const device of book.trusted()) {
      if (!alerted.has(device.id) || device.id === decidedBy || !device.features.has('replace')) continue;
      const body = { body: outcome, item_kind: row.kind, replaces: row.requestId, outcome };
      this.#parts.background.run('replace_failed', () => this.#queue(device, { ...this.#common(), ...body }));
    }
  }

  /** A call was running when the last process ended: nobody knows whether it happened (03 §5). */
  unknown(row: ItemRow): void {
    const { book, core, background } = this.#parts;
    const alerted = new Set(core.store.tables.itemDevices.alerted(row.requestId));
    const body = summaryLine(
      `Unknown whether the approved call ${row.toolName ?? ''} ran: the agent stopped meanwhile`,
    );
    for (const device of book.trusted()) {
      const replaces = alerted.has(device.id) && device.features.has('replace');
      const rest = replaces
        ? { item_kind: row.kind, replaces: row.requestId, outcome: 'unknown whether it ran' }
        : {};
      background.run('replace_failed', () => this.#queue(device, { title: core.label, body, ...rest }));
    }
  }

  /** Information without an item, to every device (`agent.notify`). Rejects when a device's queue is full. */
  async inform(title: string, body: string, devices: readonly TrustedDevice[]): Promise<void> {
    for (const device of devices) await this.#queue(device, { title, body });
  }

  stop(): void {
    for (const timer of this.#waiting.values()) timer.cancel();
    this.#waiting.clear();
  }

  async #alert(requestId: string): Promise<void> {
    const { core, book } = this.#parts;
    const { items, itemDevices } = core.store.tables;
    const done = new Set(itemDevices.alerted(requestId));
    for (const device of book.trusted()) {
      const row = items.get(requestId);
      const entry = row === undefined ? undefined : entryOf(row);
      if (row?.state !== 'pending' || entry === undefined) return;
      if (done.has(device.id)) continue;
      const ttlMs = Math.max(1, row.expiresAt - core.clock.now());
      await this.#queue(device, this.#alertBody(device, row, entry), ttlMs);
      const { channelId } = device.pairing;
      core.store.transaction((tables) => {
        tables.itemDevices.markAlerted(requestId, device.id);
        tables.pairings.noteSent(channelId, this.#parts.channels.lastUsed(channelId));
      });
    }
  }

  #alertBody(device: TrustedDevice, row: ItemRow, entry: Entry): Body {
    return {
      ...this.#common(),
      body: device.privatePreviews ? PRIVATE_BODY[row.kind] : previewOf(row.kind, entry),
      request_id: row.requestId,
      item_kind: row.kind,
      expires_at: row.expiresAt,
    };
  }

  #common(): { title: string; badge: number } {
    const { core } = this.#parts;
    return { title: core.label, badge: core.store.tables.items.pendingCount() };
  }

  async #queue(device: TrustedDevice, body: Body, ttlMs?: number): Promise<void> {
    const { core, channels, link } = this.#parts;
    const note = checkSend({ ...newEnvelope('notification', core.clock.now(), randomBytes(16)), ...body });
    await link().queue(await channels.of(device.pairing), note, ttlMs === undefined ? {} : { ttlMs });
  }
}

/** One line of what is asked: the summary, the question, the message. */
function previewOf(kind: ItemKind, entry: Entry): string {
  if (kind === 'approval') return String(entry.summary);
  return summaryLine(String(kind === 'clarification' ? entry.question : entry.message));
}

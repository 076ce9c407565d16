/**
 * The light push: one queued notification per item and device after a short grace, and a second one that takes
 * its place when the item ends elsewhere (03 §3), each with the hints by which a relay pushes it (04 §1). Never blocks,
 * never arguments. Must not know how items end.
 */
import { randomBytes } from 'node:crypto';
import { encodePushHints, type PushHints } from '@countersign/protocol';
import type { Link } from '@countersign/protocol/link';
import { checkSend, newEnvelope } from '@countersign/protocol/payloads';
import type { Background } from '../agent/background.js';
import type { Core, Timer } from '../agent/core.js';
import { type Channels, collapseOf, type DeviceBook, type TrustedDevice } from '../devices/index.js';
import type { ItemRow } from '../store/index.js';
import {
  alertBody,
  type NotificationBody,
  replacementBody,
  type Sender,
  unknownBody,
} from './notification-bodies.js';

/** An item resolved before this was up sends none. */
export const ALERT_GRACE_MS = 700;

interface Sending {
  /** `replace` only where the device was alerted of the same item before. */
  readonly intent: Extract<PushHints['intent'], 'alert' | 'replace'>;
  readonly ttlMs?: number;
}

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
    for (const device of book.trusted()) {
      if (!alerted.has(device.id) || device.id === decidedBy || !device.features.has('replace')) continue;
      this.#parts.background.run('replace_failed', () =>
        this.#send(device, replacementBody(this.#sender(), row, words), { intent: 'replace' }),
      );
    }
  }

  /** A call was running when the last process ended: nobody knows whether it happened (03 §5). */
  unknown(row: ItemRow): void {
    const { book, core, background } = this.#parts;
    const alerted = new Set(core.store.tables.itemDevices.alerted(row.requestId));
    for (const device of book.trusted()) {
      const replaces = alerted.has(device.id) && device.features.has('replace');
      // A person should look at once, so it is as loud as a new item.
      background.run('replace_failed', () =>
        this.#send(device, unknownBody(this.#sender(), row, replaces), { intent: 'alert' }),
      );
    }
  }

  /** Information without an item, to every device (`agent.notify`). Rejects when a device's queue is full. */
  async inform(title: string, body: string, devices: readonly TrustedDevice[]): Promise<void> {
    for (const device of devices) await this.#send(device, { title, body }, { intent: 'alert' });
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
      if (row?.state !== 'pending') return;
      const now = core.clock.now();
      const ttlMs = row.expiresAt - now;
      // Its end is about to be told.
      if (ttlMs <= 0) return;
      const body = alertBody(this.#sender(), row, device.privatePreviews);
      if (done.has(device.id) || body === undefined) continue;
      const ref = await this.#queue(device, body, { intent: 'alert', ttlMs });
      const { channelId } = device.pairing;
      core.store.transaction((tables) => {
        tables.itemDevices.markAlerted(requestId, device.id);
        tables.pushes.sent({ ref, device: device.id, requestId, at: now });
        tables.pairings.noteSent(channelId, this.#parts.channels.lastUsed(channelId));
      });
    }
  }

  #sender(): Sender {
    const { core } = this.#parts;
    return { label: core.label, badge: core.store.tables.items.pendingCount() };
  }

  /** Queues it and remembers that it was, so that a report of its push can be told apart. */
  async #send(device: TrustedDevice, body: NotificationBody, sending: Sending): Promise<void> {
    const { store, clock } = this.#parts.core;
    const ref = await this.#queue(device, body, sending);
    const requestId = body.replaces ?? null;
    store.tables.pushes.sent({ ref, device: device.id, requestId, at: clock.now() });
  }

  async #queue(device: TrustedDevice, body: NotificationBody, { intent, ttlMs }: Sending): Promise<number> {
    const { core, channels, link } = this.#parts;
    const note = checkSend({ ...newEnvelope('notification', core.clock.now(), randomBytes(16)), ...body });
    const collapse = collapseOf(device.pairing, body.replaces ?? body.request_id ?? note.id);
    const push = encodePushHints({ intent, collapse });
    const channel = await channels.of(device.pairing);
    return link().queue(channel, note, ttlMs === undefined ? { push } : { push, ttlMs });
  }
}

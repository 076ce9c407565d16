/**
 * What the relay says became of pushes (04 §2): matched with what was sent, kept, told to the host. A relay may say
 * anything about anything: only what was sent to that very device counts. Must not know how anything is sent.
 */
import { shortId } from '@countersign/protocol';
import type { PushReport as LinkReport } from '@countersign/protocol/link';
import type { Core } from '../agent/core.js';
import type { PushReport } from '../api.js';
import type { DeviceBook } from '../devices/index.js';
import type { ReportedPush } from '../store/index.js';
import { isMissed, pushWords } from './push-words.js';

export class PushReports {
  readonly #core: Core;
  readonly #book: Pick<DeviceBook, 'nameOf'>;

  constructor(core: Core, book: Pick<DeviceBook, 'nameOf'>) {
    this.#core = core;
    this.#book = book;
  }

  /** @throws CountersignError `storage_full`. */
  onReport({ id, peer, outcome, detail }: LinkReport): void {
    const { store, log, events } = this.#core;
    const row = store.tables.pushes.report({ ref: id, device: peer, outcome, detail });
    if (row === undefined) return;
    const missed = isMissed(outcome);
    log[missed ? 'warn' : 'info']('push_reported', { device: shortId(peer), outcome });
    events.emit('push', this.#reportOf(row));
  }

  /** What is known of the newest push about an item, per device. */
  of(requestId: string): PushReport[] {
    return this.#core.store.tables.pushes.newest(requestId).map((row) => this.#reportOf(row));
  }

  #reportOf({ device, requestId, outcome, detail }: ReportedPush): PushReport {
    const name = this.#book.nameOf(device);
    return {
      deviceId: device,
      device: name,
      ...(requestId === null ? {} : { requestId }),
      outcome,
      ...(detail === '' ? {} : { detail }),
      missed: isMissed(outcome),
      text: pushWords(outcome, detail, name),
    };
  }
}

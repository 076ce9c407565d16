/**
 * Tells the relay which devices may log in: always the whole list, after every login and every change (01 §3).
 * Must not know pairing windows or what devices are sent.
 */
import { fromHex, WIRE } from '@countersign/protocol';
import type { Link } from '@countersign/protocol/link';
import type { Core } from '../agent/core.js';
import type { DeviceBook } from './device-book.js';

export class Authorizer {
  readonly #core: Pick<Core, 'store' | 'log'>;
  readonly #book: DeviceBook;
  readonly #authorized: (listed: number, known: number) => void;
  readonly #link: () => Pick<Link, 'authorize' | 'state'>;

  constructor(
    core: Pick<Core, 'store' | 'log'>,
    book: DeviceBook,
    link: () => Pick<Link, 'authorize' | 'state'>,
    authorized: (listed: number, known: number) => void,
  ) {
    this.#authorized = authorized;
    this.#core = core;
    this.#book = book;
    this.#link = link;
  }

  /**
   * Sends the list and compares the count. A store that never held a device sends nothing: its list is empty
   * because it is new, not because every device was revoked. @throws CountersignError as `Link.authorize`.
   */
  async authorize(): Promise<void> {
    const devices = this.#book.confirmed();
    if (devices.length === 0 && this.#core.store.tables.meta.get('had_device') === undefined) return;
    const keys = devices.flatMap((device) => fromHex(device, WIRE.ed25519PublicBytes) ?? []);
    const count = await this.#link().authorize(keys);
    this.#authorized(devices.length, count);
    if (count === devices.length) this.#markAuthorized(devices);
    else this.#core.log.warn('authorized_fewer', { listed: devices.length, authorized: count });
  }

  /** As {@link authorize} when online; else the next login does it. Never throws. */
  async authorizeSoon(): Promise<void> {
    if (this.#link().state.phase !== 'online') return;
    try {
      await this.authorize();
    } catch {
      this.#core.log.warn('authorize_failed');
    }
  }

  #markAuthorized(devices: readonly string[]): void {
    const changed = this.#core.store.transaction(({ pairings }) => {
      const rows = pairings.all().filter((row) => row.state === 'confirmed' && devices.includes(row.device));
      for (const row of rows) pairings.authorized(row.channelId);
      return rows.map(({ device }) => device);
    });
    for (const device of changed) this.#book.changed(device);
  }
}

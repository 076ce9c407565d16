/**
 * Pairing windows: opened, ended, forgotten; a fresh X25519 pair each (02 §1, §5). Must not know who comes through
 * them, nor how a person is shown or asked anything.
 */
import { randomBytes } from 'node:crypto';
import {
  CountersignError,
  PAIRING,
  RELAY_DEFAULTS,
  shortId,
  toHex,
  WINDOW,
  WIRE,
} from '@countersign/protocol';
import { windowOf } from '@countersign/protocol/auth';
import { newX25519 } from '@countersign/protocol/e2e';
import type { Link } from '@countersign/protocol/link';
import type { Core } from '../agent/core.js';
import type { PairingRow, WindowRow } from '../store/index.js';
import type { DeviceBook } from './device-book.js';

/** Keys of more windows than this are not kept, whatever their age. */
export const MAX_KEPT_WINDOWS = 64;
const MIN_TTL_SECONDS = 10;

export type WindowsLink = Pick<Link, 'pairingStart' | 'pairingStop'>;

export class Windows {
  readonly #core: Core;
  readonly #book: DeviceBook;
  readonly #link: () => WindowsLink;

  constructor(core: Core, book: DeviceBook, link: () => WindowsLink) {
    this.#core = core;
    this.#book = book;
    this.#link = link;
  }

  /**
   * Opens a window at the relay and stores its keys first. @throws CountersignError `invalid_request` when the
   * relay's limit of devices is reached, and as `Link.pairingStart`.
   */
  async open(ttlMs: number): Promise<WindowRow> {
    if (this.#book.confirmed().length >= RELAY_DEFAULTS.maxAuthorizedDevices) throw tooManyDevices();
    const ttlSeconds = Math.min(Math.max(Math.ceil(ttlMs / 1000), MIN_TTL_SECONDS), WINDOW.maxTtlSeconds);
    const token = new Uint8Array(randomBytes(WIRE.pairingTokenBytes));
    const windowId = await this.#store(token, ttlSeconds);
    try {
      await this.#link().pairingStart(token, ttlSeconds);
    } catch (error) {
      this.#core.store.tables.windows.close(windowId);
      throw error;
    }
    return this.#row(windowId);
  }

  /** Opens the newest window again after a login, should the relay have forgotten it. Never throws. */
  async reopen(): Promise<void> {
    const row = this.#core.store.tables.windows.newest();
    if (row === undefined || row.closed === 1 || row.device !== null) return;
    const leftSeconds = Math.floor((row.expiresAt - this.#core.clock.now()) / 1000);
    if (leftSeconds < 1) return;
    try {
      await this.#link().pairingStart(row.token, leftSeconds);
    } catch {
      this.#core.log.warn('pairing_reopen_failed', { window: shortId(row.windowId) });
    }
  }

  get(windowId: string): WindowRow | undefined {
    return this.#core.store.tables.windows.get(windowId);
  }

  /** The unconfirmed or confirmed pairing that came through the window. */
  pairingOf(windowId: string, deviceId: string): PairingRow | undefined {
    return this.#core.store.tables.pairings.ofDevice(deviceId).find((row) => row.windowId === windowId);
  }

  /** Ends it: no device comes through any more, an unconfirmed one is forgotten. */
  async end(windowId: string): Promise<void> {
    const row = this.get(windowId);
    if (row === undefined || row.closed === 1) return;
    this.#core.store.transaction((tables) => {
      tables.windows.close(windowId);
      if (row.device === null) return;
      const pairing = tables.pairings.ofDevice(row.device).find((one) => one.windowId === windowId);
      if (pairing?.state === 'paired') forgetPairing(tables, pairing);
    });
    this.#core.store.scrub();
    if (this.#core.store.tables.windows.newest()?.windowId !== windowId) return;
    try {
      await this.#link().pairingStop();
    } catch {
      // Offline: the relay closes it by itself in time, and this side believes nothing more of it.
    }
  }

  /** Forgets keys and unconfirmed devices whose time is over. */
  forgetOld(): void {
    const before = this.#core.clock.now() - PAIRING.windowKeyMs;
    this.#core.store.transaction((tables) => {
      for (const row of tables.pairings.all()) {
        if (row.state === 'paired' && row.pairedAt < before) forgetPairing(tables, row);
      }
      tables.windows.forget(before, MAX_KEPT_WINDOWS);
    });
  }

  async #store(token: Uint8Array, ttlSeconds: number): Promise<string> {
    const windowId = toHex(await windowOf(token));
    const { publicKey, secretKey } = await newX25519();
    const openedAt = this.#core.clock.now();
    const expiresAt = openedAt + ttlSeconds * 1000;
    this.forgetOld();
    this.#core.store.tables.windows.insert({
      windowId,
      token,
      x25519Public: publicKey,
      x25519Secret: secretKey,
      openedAt,
      expiresAt,
    });
    return windowId;
  }

  #row(windowId: string): WindowRow {
    const row = this.get(windowId);
    if (row === undefined) throw new CountersignError('closed', 'The pairing window has ended.');
    return row;
  }
}

/** The pairing, and the device with it when it has no other. */
function forgetPairing(tables: Core['store']['tables'], pairing: PairingRow): void {
  tables.pairings.remove(pairing.channelId);
  if (tables.pairings.ofDevice(pairing.device).length === 0) tables.devices.remove(pairing.device);
}

function tooManyDevices(): CountersignError {
  const limit = RELAY_DEFAULTS.maxAuthorizedDevices;
  return new CountersignError('invalid_request', `${limit} devices are paired already. Revoke one first.`, {
    details: { limit },
  });
}

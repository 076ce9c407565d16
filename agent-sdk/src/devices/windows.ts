/**
 * Pairing windows: a fresh X25519 pair each, one device each, believed for a day (02 §1, §5). Must not know how a
 * person is shown or asked anything.
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
import { isSoundEd25519Key, windowOf } from '@countersign/protocol/auth';
import { newX25519, sharedSecret } from '@countersign/protocol/e2e';
import type { ClientPaired, Link } from '@countersign/protocol/link';
import type { Core } from '../agent/core.js';
import type { PairingRow, WindowRow } from '../store/index.js';
import type { DeviceBook } from './device-book.js';
import { firstFeatures } from './features.js';

/** Keys of more windows than this are not kept, whatever their age. */
export const MAX_KEPT_WINDOWS = 64;
const MIN_TTL_SECONDS = 10;

/** A device that came through a window; `refused` when the window had one already. */
export interface Arrival {
  readonly deviceId: string;
  readonly platform: number;
  readonly refused: boolean;
}

export type WindowsLink = Pick<Link, 'pairingStart' | 'pairingStop' | 'capabilities'>;

export class Windows {
  readonly #core: Core;
  readonly #book: DeviceBook;
  readonly #link: () => WindowsLink;
  readonly #listeners = new Map<string, (arrival: Arrival) => void>();

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

  listen(windowId: string, listener: (arrival: Arrival) => void): () => void {
    this.#listeners.set(windowId, listener);
    return () => this.#listeners.delete(windowId);
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

  /** The relay says that a device paired; nothing of it is believed but which window it names. */
  async onClientPaired(paired: ClientPaired): Promise<void> {
    const window = this.#matching(paired);
    if (window === undefined || !(await this.#sound(paired, window))) {
      this.#core.log.debug('pairing_ignored');
      return;
    }
    const deviceId = toHex(paired.deviceEd25519);
    const result = this.#admit(window, deviceId, paired);
    if (result === 'repeat') return;
    const refused = result === 'refused';
    if (refused) this.#core.log.warn('pairing_second_device_refused', { device: shortId(deviceId) });
    else this.#book.changed(deviceId);
    this.#listeners.get(window.windowId)?.({ deviceId, platform: paired.platform, refused });
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

  /** By name; only an original relay, which names none, means the newest window. */
  #matching({ window }: ClientPaired): WindowRow | undefined {
    const tables = this.#core.store.tables;
    const named = window !== undefined || this.#link().capabilities.has('window');
    const row = named ? tables.windows.get(toHex(window ?? new Uint8Array())) : tables.windows.newest();
    const believed = row !== undefined && row.expiresAt + PAIRING.clientPairedBelievedMs;
    return believed && this.#core.clock.now() <= believed && row.closed === 0 ? row : undefined;
  }

  async #sound(paired: ClientPaired, window: WindowRow): Promise<boolean> {
    const { deviceEd25519, deviceX25519 } = paired;
    if (deviceEd25519.length !== WIRE.ed25519PublicBytes || !isSoundEd25519Key(deviceEd25519)) return false;
    try {
      await sharedSecret(window.x25519Secret, deviceX25519);
      return true;
    } catch {
      return false;
    }
  }

  #admit(window: WindowRow, deviceId: string, paired: ClientPaired): 'new' | 'repeat' | 'refused' {
    return this.#core.store.transaction((tables) => {
      if (!tables.windows.bind(window.windowId, deviceId, paired.deviceX25519)) {
        const bound = tables.windows.get(window.windowId);
        const same =
          bound?.device === deviceId &&
          toHex(bound.deviceX25519 ?? new Uint8Array()) === toHex(paired.deviceX25519);
        return same ? 'repeat' : 'refused';
      }
      tables.devices.upsert(
        deviceId,
        firstName(paired.platform),
        paired.platform,
        firstFeatures(paired.platform),
      );
      tables.pairings.insert({
        channelId: `${deviceId}.${toHex(window.x25519Public).slice(0, 16)}`,
        device: deviceId,
        deviceX25519: paired.deviceX25519,
        agentX25519Public: window.x25519Public,
        agentX25519Secret: window.x25519Secret,
        windowId: window.windowId,
        platform: paired.platform,
        pairedAt: this.#core.clock.now(),
      });
      return 'new';
    });
  }
}

/** The pairing, and the device with it when it has no other. */
function forgetPairing(tables: Core['store']['tables'], pairing: PairingRow): void {
  tables.pairings.remove(pairing.channelId);
  if (tables.pairings.ofDevice(pairing.device).length === 0) tables.devices.remove(pairing.device);
}

/** Until the device tells its own name. */
function firstName(platform: number): string {
  return ['Device', 'iPhone or iPad', 'Android device', 'Web app'][platform] ?? 'Device';
}

function tooManyDevices(): CountersignError {
  const limit = RELAY_DEFAULTS.maxAuthorizedDevices;
  return new CountersignError('invalid_request', `${limit} devices are paired already. Revoke one first.`, {
    details: { limit },
  });
}

/**
 * Who comes through a pairing window: one device each, believed for a day after it, and nothing of what the relay says
 * but which window it names (02 §5). Must not know how windows open or how a device is confirmed.
 */
import { PAIRING, shortId, toHex, WIRE } from '@countersign/protocol';
import { isSoundEd25519Key } from '@countersign/protocol/auth';
import { sharedSecret } from '@countersign/protocol/e2e';
import type { ClientPaired, Link } from '@countersign/protocol/link';
import type { Core } from '../agent/core.js';
import type { WindowRow } from '../store/index.js';
import type { DeviceBook } from './device-book.js';
import { firstFeatures } from './features.js';

/** A device that came through a window; `refused` when the window had one already. */
export interface Arrival {
  readonly deviceId: string;
  readonly platform: number;
  readonly refused: boolean;
}

export class Admission {
  readonly #core: Core;
  readonly #book: DeviceBook;
  readonly #link: () => Pick<Link, 'capabilities'>;
  readonly #listeners = new Map<string, (arrival: Arrival) => void>();

  constructor(core: Core, book: DeviceBook, link: () => Pick<Link, 'capabilities'>) {
    this.#core = core;
    this.#book = book;
    this.#link = link;
  }

  listen(windowId: string, listener: (arrival: Arrival) => void): () => void {
    this.#listeners.set(windowId, listener);
    return () => this.#listeners.delete(windowId);
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

/** Until the device tells its own name. */
function firstName(platform: number): string {
  return ['Device', 'iPhone or iPad', 'Android device', 'Web app'][platform] ?? 'Device';
}

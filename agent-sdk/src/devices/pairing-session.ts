/**
 * One pairing as its host drives it: link, QR, arrivals, the code. Must not know tables or frames.
 */
import { timingSafeEqual } from 'node:crypto';
import { CountersignError, fromHex, PAIRING, platformName, utf8, WIRE } from '@countersign/protocol';
import {
  encodeLink,
  encodeQrJson,
  normalizeCode,
  type PairingOffer,
  pairingCode,
  sharedSecret,
} from '@countersign/protocol/e2e';
import type { Core, Timer } from '../agent/core.js';
import type { PairingSession } from '../api.js';
import type { PairingRow, WindowRow } from '../store/index.js';
import type { Admission } from './admission.js';
import { ArrivalQueue } from './arrival-queue.js';
import { AGENT_FEATURES } from './features.js';
import { type QrFormat, qrCode } from './qr.js';
import type { Windows } from './windows.js';

export interface SessionSettings {
  readonly relayUrl: string;
  readonly appUrl: string | undefined;
  readonly relayBinding: boolean;
  readonly confirm: 'code' | 'yes';
}

export interface OpenSession {
  /** Nobody waits here any more; the window itself stays what it is. */
  abandon(): void;
}

export interface SessionParts {
  readonly core: Core;
  readonly windows: Windows;
  readonly admission: Admission;
  /** Sessions that wait for devices, so that a closing agent can end them. */
  readonly open: Set<OpenSession>;
  /** The person said yes: authorize and go on. */
  confirmed(pairing: PairingRow): Promise<void>;
}

export function openSession(
  parts: SessionParts,
  settings: SessionSettings,
  window: WindowRow,
): PairingSession {
  return new Session(parts, settings, window);
}

class Session implements PairingSession, OpenSession {
  readonly link: string;
  readonly qrJson: string;
  readonly expiresAt: number;
  readonly #parts: SessionParts;
  readonly #settings: SessionSettings;
  readonly #windowId: string;
  readonly #arrivals = new ArrivalQueue();
  readonly #unlisten: () => void;
  readonly #expiry: Timer;

  constructor(parts: SessionParts, settings: SessionSettings, window: WindowRow) {
    const offer = offerOf(parts.core, settings, window);
    this.link = encodeLink(offer, settings.appUrl);
    this.qrJson = encodeQrJson(offer);
    this.expiresAt = window.expiresAt;
    this.#parts = parts;
    this.#settings = settings;
    this.#windowId = window.windowId;
    this.#unlisten = parts.admission.listen(window.windowId, ({ deviceId, platform, refused }) => {
      const arrival = { deviceId, platform: platformName(platform) ?? 'unknown' };
      this.#arrivals.push(refused ? { ...arrival, refused } : arrival);
    });
    const left = window.expiresAt - parts.core.clock.now();
    this.#expiry = parts.core.clock.setTimer(() => this.abandon(), left);
    parts.open.add(this);
  }

  qr(format: 'terminal'): Promise<string>;
  qr(format: 'svg'): Promise<string>;
  qr(format: 'png'): Promise<Uint8Array>;
  qr(format: QrFormat): Promise<string | Uint8Array> {
    return qrCode(this.link, format);
  }

  devices(): AsyncIterable<{ deviceId: string; platform: string; refused?: true }> {
    return this.#arrivals;
  }

  async confirm(deviceId: string, code: string): Promise<'ok' | 'wrong' | 'closed'> {
    const found = this.#find(deviceId);
    if (found === undefined) return 'closed';
    const expected = await this.#expectedCode(found.window, found.pairing);
    if (sameCode(expected, normalizeCode(code))) return this.#accept(deviceId, true);
    return this.#missed();
  }

  async confirmUnverified(deviceId: string): Promise<'ok' | 'closed'> {
    if (this.#settings.confirm !== 'yes') {
      throw new CountersignError(
        'invalid_request',
        "This agent confirms devices by their code. Open it with confirm: 'yes' to accept one without.",
      );
    }
    return this.#find(deviceId) === undefined ? 'closed' : this.#accept(deviceId, false);
  }

  async refuse(deviceId: string): Promise<void> {
    if (this.#parts.windows.get(this.#windowId)?.device === deviceId.toLowerCase()) await this.stop();
  }

  async stop(): Promise<void> {
    this.abandon();
    await this.#parts.windows.end(this.#windowId);
  }

  #find(deviceId: string): { window: WindowRow; pairing: PairingRow } | undefined {
    const { windows, core } = this.#parts;
    const window = windows.get(this.#windowId);
    if (window === undefined || window.closed === 1) return undefined;
    if (core.clock.now() > window.expiresAt + PAIRING.windowKeyMs) return undefined;
    const pairing = windows.pairingOf(this.#windowId, deviceId.toLowerCase());
    return pairing === undefined ? undefined : { window, pairing };
  }

  /** Asks the store again: the window may have ended while the code was computed. */
  async #accept(deviceId: string, verified: boolean): Promise<'ok' | 'closed'> {
    const found = this.#find(deviceId);
    if (found === undefined) return 'closed';
    const confirmed = this.#parts.core.store.transaction((tables) => {
      tables.meta.put('had_device', '1');
      return tables.pairings.confirm(found.pairing.channelId, verified);
    });
    if (confirmed) await this.#parts.confirmed(found.pairing);
    return 'ok';
  }

  async #missed(): Promise<'wrong' | 'closed'> {
    const misses = this.#parts.core.store.tables.windows.miss(this.#windowId);
    if (misses < PAIRING.maxCodeMisses) return 'wrong';
    await this.stop();
    return 'closed';
  }

  async #expectedCode(window: WindowRow, pairing: PairingRow): Promise<string> {
    const { identity, namespaceId } = this.#parts.core;
    return pairingCode({
      shared: await sharedSecret(window.x25519Secret, pairing.deviceX25519),
      namespaceId,
      agentEd25519: identity.ed25519Public,
      deviceEd25519: fromHex(pairing.device, WIRE.ed25519PublicBytes) ?? new Uint8Array(),
      agentX25519: window.x25519Public,
      deviceX25519: pairing.deviceX25519,
      token: window.token,
    });
  }

  abandon(): void {
    this.#parts.open.delete(this);
    this.#expiry.cancel();
    this.#unlisten();
    this.#arrivals.end();
  }
}

function sameCode(expected: string, typed: string | undefined): boolean {
  return (
    typed !== undefined && typed.length === expected.length && timingSafeEqual(utf8(expected), utf8(typed))
  );
}

function offerOf(core: Core, settings: SessionSettings, window: WindowRow): PairingOffer {
  return {
    relayUrl: settings.relayUrl,
    namespaceId: core.namespaceId,
    agentEd25519: core.identity.ed25519Public,
    agentX25519: window.x25519Public,
    token: window.token,
    name: core.label,
    exp: Math.floor(window.expiresAt / 1000),
    supports: AGENT_FEATURES,
    relayBinding: settings.relayBinding,
  };
}

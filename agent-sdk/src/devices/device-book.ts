/**
 * The devices as the rest of the agent and its host see them, over the stored pairings. Must not know how a
 * pairing comes about, nor what is sent to anyone.
 */
import { CountersignError, fromHex, platformName, shortId, WIRE } from '@countersign/protocol';
import { titleLine } from '@countersign/protocol/blocks';
import type { Core } from '../agent/core.js';
import type { AgentDevice } from '../api.js';
import type { DeviceRow, PairingRow, Tables } from '../store/index.js';
import { featuresOf } from './features.js';

/** A device that may be sealed to. */
export interface TrustedDevice {
  readonly id: string;
  readonly name: string;
  readonly features: ReadonlySet<string>;
  readonly privatePreviews: boolean;
  readonly pairing: PairingRow;
}

export class DeviceBook {
  readonly #core: Pick<Core, 'store' | 'events'>;
  readonly #online = new Set<string>();

  constructor(core: Pick<Core, 'store' | 'events'>) {
    this.#core = core;
  }

  get #tables(): Tables {
    return this.#core.store.tables;
  }

  /** Every device with its best pairing. */
  list(): AgentDevice[] {
    const best = new Map<string, PairingRow>();
    for (const row of this.#tables.pairings.all()) if (!best.has(row.device)) best.set(row.device, row);
    return [...best.values()].flatMap((row) => this.#describe(row) ?? []);
  }

  get(deviceId: string): AgentDevice | undefined {
    const [best] = this.#tables.pairings.ofDevice(deviceId);
    return best === undefined ? undefined : this.#describe(best);
  }

  trusted(): TrustedDevice[] {
    const rows = this.#tables.pairings.all().filter(({ state }) => state === 'trusted');
    return rows.flatMap((pairing) => this.trustedBy(pairing) ?? []);
  }

  trustedById(deviceId: string): TrustedDevice | undefined {
    const pairing = this.#tables.pairings.ofDevice(deviceId).find(({ state }) => state === 'trusted');
    return pairing === undefined ? undefined : this.trustedBy(pairing);
  }

  trustedBy(pairing: PairingRow): TrustedDevice | undefined {
    const row = this.#tables.devices.get(pairing.device);
    if (row === undefined) return undefined;
    const privatePreviews = row.privatePreviews === 1;
    return { id: row.device, name: row.name, features: featuresOf(row), privatePreviews, pairing };
  }

  /** Whether a person has confirmed any device: somebody may be asked. */
  hasConfirmed(): boolean {
    return this.#tables.pairings.all().some(({ state }) => state !== 'paired');
  }

  /** Devices the relay is to authorize, each once. */
  confirmed(): string[] {
    const rows = this.#tables.pairings.all().filter(({ state }) => state !== 'paired');
    return [...new Set(rows.map(({ device }) => device))];
  }

  nameOf(deviceId: string): string {
    return this.#tables.devices.get(deviceId)?.name ?? `Device ${shortId(deviceId)}`;
  }

  isOnline(deviceId: string): boolean {
    return this.#online.has(deviceId);
  }

  setOnline(deviceId: string, online: boolean): void {
    if (online === this.#online.has(deviceId)) return;
    if (online) this.#online.add(deviceId);
    else this.#online.delete(deviceId);
    this.changed(deviceId);
  }

  allOffline(): void {
    for (const device of this.#online) this.setOnline(device, false);
  }

  /** Tells the host about the device as it is now. */
  changed(deviceId: string): void {
    const device = this.get(deviceId);
    if (device !== undefined) this.#core.events.emit('device', device);
  }

  /** @throws CountersignError `invalid_request` for an empty name, `not_found` for an unknown device. */
  rename(deviceId: string, name: string): void {
    const title = titleLine(name.trim());
    if (title === '') throw new CountersignError('invalid_request', 'A device needs a name.');
    const id = knownId(deviceId);
    if (!this.#tables.devices.rename(id, title)) throw noSuchDevice();
    this.changed(id);
  }

  #describe(pairing: PairingRow): AgentDevice | undefined {
    const row = this.#tables.devices.get(pairing.device);
    return row === undefined ? undefined : describeDevice(row, pairing, this.isOnline(row.device));
  }
}

function describeDevice(row: DeviceRow, pairing: PairingRow, online: boolean): AgentDevice {
  return {
    deviceId: row.device,
    name: row.name,
    platform: platformName(row.platform) ?? 'unknown',
    state: pairing.state,
    verified: pairing.verified === 1,
    online,
    pairedAt: pairing.pairedAt,
    ...(row.lastSeenAt === null ? {} : { lastSeenAt: row.lastSeenAt }),
  };
}

/** The id in lower case. @throws CountersignError `not_found` when it is no device id at all. */
export function knownId(deviceId: string): string {
  if (fromHex(deviceId, WIRE.ed25519PublicBytes) === undefined) throw noSuchDevice();
  return deviceId.toLowerCase();
}

export function noSuchDevice(): CountersignError {
  return new CountersignError('not_found', 'No device with this id is paired. List them to see the ids.');
}

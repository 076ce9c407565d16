/**
 * What is stored of a pairing, and of one that was begun. Must not know sockets or what an agent asks.
 * Keys in the collection `pairings`: the pairing's id, and `pending/<window>` while the relay has not answered.
 */
import type { Pairing } from '../api.js';
import type { StorageTx } from '../storage/storage.js';

export type PlatformName = 'ios' | 'android' | 'web';
export type Binding = 'required' | 'unless_original';

/** What both a begun and a finished pairing hold. */
export interface PairingKeys {
  v: 1;
  namespaceId: string;
  /** Protected by {@link Storage.protect}. */
  seed: Uint8Array;
  agentEd25519: Uint8Array;
  agentX25519: Uint8Array;
  agentName: string;
  relayUrl: string;
  binding: Binding;
  deviceId: string;
  deviceName: string;
  platform: PlatformName;
  /** Where pushes go, as the relay takes it; empty for none. */
  deviceToken: string;
  app?: string | undefined;
  /** The relay's key that a subscription was made under. */
  vapidKey?: string | undefined;
  /** SHA-256(pairing_token)[0..16] as hex: which link this came from. */
  window: string;
  code: string;
  startedAt: number;
  /** What the agent named so far (03 §1); only ever grows. */
  supports: string[];
}

export interface PairingRecord extends PairingKeys {
  id: string;
  pairedAt: number;
  /** The relay has let this device in at least once: from then on `unauthorized` means revoked. */
  admitted: boolean;
  /** The relay's name of this registration in pushes, of the newest login that gave one. */
  pushHandle?: string | undefined;
  /** The last hello queued, as text: another one is due when it would differ. */
  helloSent?: string | undefined;
  /** Set when the agent refused an answer for its time: from then on `ts` is written in the agent's clock. */
  adoptedClockOffsetMs?: number | undefined;
}

const PENDING = 'pending/';

export function pendingKey(window: string): string {
  return PENDING + window;
}

/** Every finished pairing, by id. */
export async function listPairings(tx: StorageTx): Promise<PairingRecord[]> {
  const all = await tx.list('pairings');
  return all.filter(([key]) => !key.startsWith(PENDING)).map(([, value]) => value as PairingRecord);
}

export async function readPairing(tx: StorageTx, id: string): Promise<PairingRecord | undefined> {
  if (id.startsWith(PENDING)) return undefined;
  return (await tx.get('pairings', id)) as PairingRecord | undefined;
}

/** Changes a stored pairing; one that was removed meanwhile stays removed. */
export async function changePairing(
  tx: StorageTx,
  id: string,
  change: (record: PairingRecord) => Partial<PairingRecord>,
): Promise<void> {
  const record = await readPairing(tx, id);
  if (record !== undefined) await tx.put('pairings', id, { ...record, ...change(record) });
}

export function toPairing(record: PairingRecord): Pairing {
  return {
    id: record.id,
    agentName: record.agentName,
    relayUrl: record.relayUrl,
    deviceId: record.deviceId,
    code: record.code,
    pairedAt: record.pairedAt,
  };
}

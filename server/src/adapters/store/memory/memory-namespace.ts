/**
 * One namespace in memory and what may be asked of it alone. Must not know other namespaces, byte limits
 * of the whole store, or promises.
 */
import { toHex } from '@countersign/protocol';
import {
  type NewPush,
  type PushRegistration,
  type PushReport,
  STORE_ROW_BYTES,
  TOUCH_EVERY_MS,
} from '../../../ports/index.js';

export interface MemoryDevice {
  readonly ed25519: Uint8Array;
  readonly x25519: Uint8Array;
  readonly window: Uint8Array;
  readonly pairedAt: number;
  platform: number;
  authorized: boolean;
  registration: PushRegistration;
  /** What is to be pushed to it, oldest first. */
  pushes: MemoryPush[];
  /** Until then one of them is leased; 0 for none. */
  leasedUntil: number;
}

export interface MemoryPush extends Omit<NewPush, 'isReported'> {
  readonly id: number;
  readonly seq: number;
  readonly refused: boolean;
  readonly collapse: Uint8Array | undefined;
  /** Reported on when there is one. */
  readonly ref: bigint | undefined;
  readonly createdAt: number;
  dueAt: number;
  lease: number;
  attempts: number;
  unknowns: number;
  asWake: boolean;
  reason: string | undefined;
}

export interface MemoryWindow {
  readonly tokenHash: Uint8Array;
  readonly expiresAt: number;
  /** The keys it was consumed with. */
  usedBy?: { readonly ed25519: Uint8Array; readonly x25519: Uint8Array };
}

export interface MemoryMessage {
  readonly seq: number;
  readonly recipient: string;
  readonly sender: string;
  readonly senderKey: Uint8Array;
  readonly nonce: Uint8Array;
  readonly ciphertext: Uint8Array;
  readonly enqueuedAt: number;
  readonly expiresAt: number;
  readonly ref: bigint | undefined;
  readonly hints: { readonly collapse?: Uint8Array | undefined } | undefined;
  pushed: boolean;
}

/** A message that was accepted, whether or not it still waits. */
export interface MemoryNonce {
  readonly sender: string;
  readonly recipient: string;
  readonly seq: number;
  readonly at: number;
}

export interface MemoryNamespace {
  readonly id: Uint8Array;
  readonly agent: Uint8Array;
  touchedAt: number;
  lastSeq: number;
  window: MemoryWindow | undefined;
  /** By key in hex, in pairing order. */
  readonly devices: Map<string, MemoryDevice>;
  /** By seq, ascending. */
  messages: MemoryMessage[];
  /** By sender, recipient and nonce in hex, oldest first. */
  readonly nonces: Map<string, MemoryNonce>;
  reports: MemoryReport[];
}

export type MemoryReport = PushReport & { readonly at: number };

export function newNamespace(id: Uint8Array, agent: Uint8Array, now: number): MemoryNamespace {
  return {
    id: Uint8Array.from(id),
    agent: Uint8Array.from(agent),
    touchedAt: now,
    lastSeq: 0,
    window: undefined,
    devices: new Map(),
    messages: [],
    nonces: new Map(),
    reports: [],
  };
}

/** Notes that it is in use, as exactly as is asked for. */
export function touch(namespace: MemoryNamespace, now: number): void {
  if (namespace.touchedAt <= now - TOUCH_EVERY_MS) namespace.touchedAt = now;
}

/** The counted bytes of it and everything in it. */
export function countedBytes(namespace: MemoryNamespace): number {
  let bytes: number = STORE_ROW_BYTES.namespace;
  for (const { registration, pushes } of namespace.devices.values()) {
    bytes += STORE_ROW_BYTES.device + Buffer.byteLength(registration.deviceToken);
    bytes += STORE_ROW_BYTES.push * pushes.length;
  }
  bytes += STORE_ROW_BYTES.report * namespace.reports.length;
  for (const { ciphertext } of namespace.messages) bytes += STORE_ROW_BYTES.message + ciphertext.length;
  return bytes;
}

export function isAuthorized(namespace: MemoryNamespace, device: Uint8Array): boolean {
  return namespace.devices.get(toHex(device))?.authorized === true;
}

/** Removes the messages that match; returns how many. */
export function removeMessages(
  namespace: MemoryNamespace,
  matches: (message: MemoryMessage) => boolean,
): number {
  const before = namespace.messages.length;
  namespace.messages = namespace.messages.filter((message) => !matches(message));
  return before - namespace.messages.length;
}

/** A device, its token, and what waits from it and for it. */
export function removeDevice(namespace: MemoryNamespace, key: string): void {
  const isItsOwn = ({ sender, recipient }: MemoryNonce | MemoryMessage) =>
    sender === key || recipient === key;
  namespace.devices.delete(key);
  removeMessages(namespace, isItsOwn);
  for (const [name, nonce] of namespace.nonces) if (isItsOwn(nonce)) namespace.nonces.delete(name);
}

export function pendingOf(namespace: MemoryNamespace): [string, MemoryDevice][] {
  return [...namespace.devices]
    .filter(([, device]) => !device.authorized)
    .sort(([, a], [, b]) => a.pairedAt - b.pairedAt);
}

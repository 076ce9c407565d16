/**
 * Pairing windows and the authorized set of one namespace in memory. Must not know tokens, only their hashes.
 */
import { timingSafeEqual } from 'node:crypto';
import { bytesEqual, toHex } from '@countersign/protocol';
import type {
  AuthorizeResult,
  NamespaceLimits,
  PairingAttempt,
  PairingResult,
} from '../../../ports/index.js';
import { type MemoryNamespace, type MemoryWindow, pendingOf, removeDevice } from './memory-namespace.js';
import { endPushes } from './memory-push-rows.js';
import { registrationOf } from './memory-registration.js';

/** `RelayStore.consumePairingToken` in a namespace that exists. */
export function consumeToken(
  namespace: MemoryNamespace,
  attempt: PairingAttempt,
  limits: NamespaceLimits,
): Exclude<PairingResult, 'no_namespace'> {
  const { window } = namespace;
  if (window === undefined || !opens(window, attempt)) return 'closed';
  if (window.usedBy !== undefined) {
    const isKnown = namespace.devices.has(toHex(attempt.ed25519));
    return isKnown && usedBySame(window.usedBy, attempt) ? 'repeated' : 'closed';
  }
  window.usedBy = {
    ed25519: Uint8Array.from(attempt.ed25519),
    x25519: Uint8Array.from(attempt.x25519),
  };
  putPending(namespace, attempt);
  dropOldestPending(namespace, limits.pendingDevices);
  return 'paired';
}

/** `RelayStore.applyAuthorize` in a namespace that exists. */
export function authorize(
  namespace: MemoryNamespace,
  devices: readonly Uint8Array[],
  now: number,
): AuthorizeResult {
  const wanted = new Set(devices.map(toHex));
  const revoked: Uint8Array[] = [];
  for (const [key, device] of namespace.devices) {
    if (wanted.has(key)) device.authorized = true;
    else if (device.authorized) {
      endPushes(namespace, device, () => true, { outcome: 'no_device', detail: 'revoked', now });
      removeDevice(namespace, key);
      revoked.push(device.ed25519);
    }
  }
  const authorized = [...namespace.devices.values()].filter((device) => device.authorized).length;
  return { authorized, revoked };
}

function opens(window: MemoryWindow, attempt: PairingAttempt): boolean {
  const sameLength = window.tokenHash.length === attempt.tokenHash.length;
  return sameLength && timingSafeEqual(window.tokenHash, attempt.tokenHash) && attempt.now < window.expiresAt;
}

function usedBySame(keys: NonNullable<MemoryWindow['usedBy']>, attempt: PairingAttempt): boolean {
  return bytesEqual(keys.ed25519, attempt.ed25519) && bytesEqual(keys.x25519, attempt.x25519);
}

function putPending(namespace: MemoryNamespace, attempt: PairingAttempt): void {
  const key = toHex(attempt.ed25519);
  if (namespace.devices.get(key)?.authorized) return;
  namespace.devices.delete(key);
  namespace.devices.set(key, {
    ed25519: Uint8Array.from(attempt.ed25519),
    x25519: Uint8Array.from(attempt.x25519),
    window: Uint8Array.from(attempt.window),
    platform: attempt.platform,
    pairedAt: attempt.now,
    authorized: false,
    registration: registrationOf(attempt),
    pushes: [],
    leasedUntil: 0,
  });
}

function dropOldestPending(namespace: MemoryNamespace, limit: number): void {
  const pending = pendingOf(namespace);
  for (const [key] of pending.slice(0, Math.max(0, pending.length - limit))) namespace.devices.delete(key);
}

/**
 * A subscription as a device registers it: a JSON text from a stranger (04 §3; RFC 8030, RFC 8291 §3). Must not know
 * connections.
 */

import { ECDH } from 'node:crypto';
import { isIP } from 'node:net';
import { parseUrl } from '@countersign/protocol';
import { isGlobalUnicast } from './addresses.js';

export const MAX_SUBSCRIPTION_BYTES = 2_048;
/** UnifiedPush: "Endpoint URLs must not be longer than 1000 bytes". */
export const MAX_ENDPOINT_BYTES = 1_000;
const PUBLIC_KEY_BYTES = 65;
const AUTH_BYTES = 16;

export interface Subscription {
  readonly endpoint: URL;
  /** base64url, checked to be a point on P-256. */
  readonly p256dh: string;
  /** base64url of 16 bytes. */
  readonly auth: string;
}

/** Push services of the browsers; `*.` stands for one or more names. */
const KNOWN_HOSTS = [
  'fcm.googleapis.com',
  'jmt17.google.com',
  'updates.push.services.mozilla.com',
  '*.push.apple.com',
  '*.notify.windows.com',
];

/** Undefined for anything that is not exactly a subscription. */
export function parseSubscription(text: string): Subscription | undefined {
  if (Buffer.byteLength(text) > MAX_SUBSCRIPTION_BYTES) return undefined;
  const fields = parseFields(text);
  if (fields === undefined || Buffer.byteLength(fields.endpoint) > MAX_ENDPOINT_BYTES) return undefined;
  const { endpoint, p256dh, auth } = fields;
  const url = parseUrl(endpoint);
  if (!isPoint(p256dh) || bytesOf(auth)?.length !== AUTH_BYTES || url === undefined) return undefined;
  return { endpoint: url, p256dh, auth };
}

/**
 * Whether the URL may be asked at all, by its look. `others`: configured origins besides the known ones; `*` is any
 * host on port 443. `isSafe` judges a literal address.
 */
export function isAllowedEndpoint(
  { protocol, username, password, hash, port, hostname, origin }: URL,
  others: readonly string[],
  isSafe: (address: string) => boolean = isGlobalUnicast,
): boolean {
  if (protocol !== 'https:' || username !== '' || password !== '' || hash !== '') return false;
  const address = hostname.replace(/^\[|\]$/g, '');
  if (isIP(address) !== 0 && !isSafe(address)) return false;
  if (others.includes(origin)) return true;
  if (port !== '') return false;
  return others.includes('*') || KNOWN_HOSTS.some((pattern) => matches(hostname, pattern));
}

function matches(hostname: string, pattern: string): boolean {
  return pattern.startsWith('*.') ? hostname.endsWith(pattern.slice(1)) : hostname === pattern;
}

function parseFields(text: string): { endpoint: string; p256dh: string; auth: string } | undefined {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return undefined;
  }
  if (typeof value !== 'object' || value === null) return undefined;
  const { endpoint, p256dh, auth } = value as Record<string, unknown>;
  if (typeof endpoint !== 'string' || typeof p256dh !== 'string' || typeof auth !== 'string')
    return undefined;
  return { endpoint, p256dh, auth };
}

function bytesOf(base64url: string): Buffer | undefined {
  return /^[\w-]+={0,2}$/.test(base64url) ? Buffer.from(base64url, 'base64url') : undefined;
}

/** Uncompressed, and on the curve: the library's own check is not to be relied on. */
function isPoint(base64url: string): boolean {
  const bytes = bytesOf(base64url);
  if (bytes?.length !== PUBLIC_KEY_BYTES || bytes[0] !== 4) return false;
  try {
    ECDH.convertKey(bytes, 'prime256v1', undefined, undefined, 'compressed');
    return true;
  } catch {
    return false;
  }
}

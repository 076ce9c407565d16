/**
 * A registration for push, checked before it is stored or told to a relay (01 §2, 04 §3). Must not know connections.
 */
import { CountersignError, parseUrl, utf8, WIRE } from '@countersign/protocol';
import type { PushRegistration, WebSubscription } from '../api.js';

/** What a relay takes of a subscription, as JSON. */
export const MAX_SUBSCRIPTION_BYTES = 2048;
/** UnifiedPush allows no longer ones, and browsers' are shorter. */
export const MAX_ENDPOINT_BYTES = 1000;
/** What a relay takes of any token. */
export const MAX_TOKEN_BYTES = 4096;

const PUBLIC_KEY_BYTES = 65;
const AUTH_BYTES = 16;

/** As it is stored with a pairing. */
export interface StoredRegistration {
  deviceToken: string;
  app: string | undefined;
  /** The relay's key that a subscription was made under. */
  vapidKey: string | undefined;
}

export const NO_PUSH: StoredRegistration = { deviceToken: '', app: undefined, vapidKey: undefined };

/** The same, of the pairing's platform. @throws CountersignError `invalid_request`. */
export function registrationFor(platform: string, registration: PushRegistration): StoredRegistration {
  if (registration.platform !== platform) {
    throw refused(
      `This device is paired as ${platform}, so it takes no registration of ${registration.platform}.`,
    );
  }
  return storedRegistration(registration);
}

/** @throws CountersignError `invalid_request` for what no relay would take. */
export function storedRegistration(registration: PushRegistration): StoredRegistration {
  const { app } = registration;
  if (app !== undefined && (app === '' || [...app].length > WIRE.maxAppChars)) {
    throw refused(`An app id has 1 to ${WIRE.maxAppChars} characters.`);
  }
  if ('token' in registration) {
    return { deviceToken: tokenOf(registration), app, vapidKey: undefined };
  }
  const { subscription, vapidKey } = registration;
  if (vapidKey !== undefined && !isPublicKey(vapidKey)) throw refused('That is no VAPID public key.');
  return { deviceToken: subscriptionText(subscription), app, vapidKey };
}

/** Uncompressed P-256 point, base64url without padding. Whether it is on the curve, the browser judges. */
export function isPublicKey(text: unknown): text is string {
  return typeof text === 'string' && bytesOf(text)?.length === PUBLIC_KEY_BYTES && text.startsWith('B');
}

/** Apple's tokens are of no fixed length; Google's are opaque. */
function tokenOf({ platform, token }: Extract<PushRegistration, { token: string }>): string {
  const fits =
    platform === 'ios'
      ? /^(?:[0-9a-f]{2}){32,100}$/i.test(token)
      : /^[\w:.-]+$/.test(token) && token.length <= MAX_TOKEN_BYTES;
  if (!fits) throw refused('That is no push token of this platform.');
  return platform === 'ios' ? token.toLowerCase() : token;
}

function subscriptionText({ endpoint, keys }: WebSubscription): string {
  const { p256dh, auth } = { p256dh: keys?.p256dh, auth: keys?.auth };
  const isWhole = endpoint !== undefined && isPublicKey(p256dh) && bytesOf(auth ?? '')?.length === AUTH_BYTES;
  if (!isWhole || !isEndpoint(endpoint)) throw refused('That is no whole push subscription.');
  const text = JSON.stringify({ endpoint, p256dh, auth });
  if (utf8(text).length > MAX_SUBSCRIPTION_BYTES) throw refused('The push subscription is too long.');
  return text;
}

function isEndpoint(endpoint: string): boolean {
  return utf8(endpoint).length <= MAX_ENDPOINT_BYTES && parseUrl(endpoint)?.protocol === 'https:';
}

function bytesOf(base64url: string): Uint8Array | undefined {
  if (!/^[\w-]+={0,2}$/.test(base64url)) return undefined;
  try {
    const text = atob(base64url.replaceAll('-', '+').replaceAll('_', '/').replace(/=+$/, ''));
    return Uint8Array.from(text, (char) => char.charCodeAt(0));
  } catch {
    return undefined;
  }
}

function refused(message: string): CountersignError {
  return new CountersignError('invalid_request', message);
}

/**
 * Numbers and words that both ends agree on and that are no limits: platforms, capabilities, features.
 * Must not know what anyone does with them.
 */

/** `platform` of a device (01 §2); 3 is ours. */
export const PLATFORM = { unspecified: 0, ios: 1, android: 2, web: 3 } as const;

export type PlatformName = 'ios' | 'android' | 'web';

/** The platform's word, or undefined for 0 and for numbers nobody knows. */
export function platformName(platform: number): PlatformName | undefined {
  if (platform === PLATFORM.ios) return 'ios';
  if (platform === PLATFORM.android) return 'android';
  return platform === PLATFORM.web ? 'web' : undefined;
}

/** Status of a `presence_event`. */
export const PRESENCE = { unspecified: 0, online: 1, offline: 2 } as const;

/** Capabilities that may be announced in `auth` (01 §2). */
export const CAPABILITY = {
  ref: 'ref',
  received: 'received',
  window: 'window',
  pushHints: 'push-hints',
  pushReport: 'push-report',
  pushHandle: 'push-handle',
} as const;

/** What a `push_report` says became of a push (04 §2); nothing else is taken. */
export const PUSH_OUTCOMES = [
  'accepted',
  'no_device',
  'no_token',
  'superseded',
  'expired',
  'refused',
  'failed',
] as const;

export type PushOutcome = (typeof PUSH_OUTCOMES)[number];

/** Features of 03 §1; the i-th is bit i of the pairing link. Only ever appended to. */
export const FEATURES = [
  'receipts',
  'acks',
  'choices',
  'truncated',
  'item_request',
  'replace',
  'schema',
  'arguments_text',
  'session',
  'fs1',
  'bypasses',
] as const;

export type Feature = (typeof FEATURES)[number];

/** Bit of the pairing link that says the relay's challenge is bound to its authority (02 §5). */
export const RELAY_BINDING_BIT = 31;

/** What platform `web` has from the start, whatever it announced (03 §1). */
export const WEB_FEATURES: readonly Feature[] = ['receipts', 'acks', 'choices', 'truncated', 'replace'];

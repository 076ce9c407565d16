/**
 * The exact bytes and headers of a push to Apple (04 §1; Apple: "Generating a remote notification"). Must not know
 * connections or answers.
 */
import type { Clock, Push } from '../../../ports/index.js';
import { collapseIdOf, envelopeOf } from '../common/index.js';

/** Of an alert, as uncompressed JSON (Apple: "Sending notification requests to APNs"). */
export const MAX_APNS_PAYLOAD_BYTES = 4_096;

const MS_PER_SECOND = 1_000;

/** What everybody may read on a locked screen, before the phone has decrypted anything. */
export interface ApnsTexts {
  readonly title: string;
  readonly body: string;
  /** Takes the place of `body` when the item was settled elsewhere. */
  readonly quietBody: string;
  /** Of the app's `UNNotificationCategory`; empty for none. */
  readonly category: string;
}

/** The payload as it goes over the wire; undefined when it is over a limit. */
export function apnsPayload(push: Push, texts: ApnsTexts): string | undefined {
  const d = envelopeOf(push, 'from', true);
  if (d === undefined) return undefined;
  const payload = JSON.stringify({ aps: apsOf(push, texts), d });
  return Buffer.byteLength(payload) > MAX_APNS_PAYLOAD_BYTES ? undefined : payload;
}

/**
 * A wake is an alert too: only a visible one with `mutable-content` starts the app's extension. No badge: the number
 * is inside the sealed part.
 */
function apsOf({ intent }: Push, { title, body, quietBody, category }: ApnsTexts): object {
  const quiet = intent === 'replace';
  return {
    alert: { title, body: quiet ? quietBody : body },
    ...(quiet ? { 'interruption-level': 'passive' } : { sound: 'default' }),
    'mutable-content': 1,
    ...(category === '' ? {} : { category }),
  };
}

export interface ApnsHeaders {
  readonly topic: string;
  readonly pushType: 'alert';
  readonly priority: 5 | 10;
  /** Unix seconds. */
  readonly expiry: number;
  readonly collapseId: string;
}

export function apnsHeaders(push: Push, topic: string, clock: Clock): ApnsHeaders {
  return {
    topic,
    pushType: 'alert',
    priority: push.intent === 'replace' ? 5 : 10,
    expiry: Math.ceil((clock.now() + push.ttlMs) / MS_PER_SECOND),
    collapseId: collapseIdOf(push),
  };
}

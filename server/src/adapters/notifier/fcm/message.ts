/**
 * The message to Google, data only: the app shows the notification, Google sees none (04 §1; FCM: "About FCM
 * messages"). Must not know connections or answers.
 */
import type { Message } from 'firebase-admin/messaging';
import type { Push } from '../../../ports/index.js';
import { envelopeOf } from '../common/index.js';

/** Of `data`. Google counts keys and values; the JSON text, which is what others measure, is always longer. */
export const MAX_FCM_DATA_BYTES = 4_096;
/** Four weeks, the longest Google keeps a message. */
export const MAX_FCM_TTL_MS = 2_419_200_000;

/** Undefined when it is over a limit. No collapse key: Google keeps four of them per device and drops the rest. */
export function fcmMessage(push: Push): Message | undefined {
  const data = envelopeOf(push, 'f', 'true');
  if (data === undefined || Buffer.byteLength(JSON.stringify(data)) > MAX_FCM_DATA_BYTES) return undefined;
  return {
    token: push.target.token,
    data,
    android: {
      // A device whose high pushes show nothing is slowed down by Google.
      priority: push.intent === 'replace' ? 'normal' : 'high',
      ttl: Math.min(push.ttlMs, MAX_FCM_TTL_MS),
    },
  };
}

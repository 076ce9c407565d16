/**
 * What a push service's status means (RFC 8030 §5, §7; the services' own documents). Only the status and Retry-After
 * are believed; the text comes from a stranger. Must not know connections.
 */
import type { PushOutcome } from '../../../ports/index.js';
import { type Answer, retryAfterMs } from '../common/index.js';

/** When the service names no time. */
export const THROTTLED_MS = 60_000;
export const SERVER_FAULT_MS = 10_000;

/** 406 is how Windows' service (WNS) says that it is throttling. */
const THROTTLES = new Set([406, 408, 429]);
const GONE = new Set([404, 410]);
/** Our key, or the subscription was made under another one. */
const REFUSES_KEY = new Set([401, 403]);

/** `isProven`: this origin took a push under the same key of late, so a refusal is about the subscription. */
export function judge({ status, headers }: Answer, now: number, isProven: boolean): PushOutcome {
  const reason = `status_${status}`;
  if (status >= 200 && status < 300) return { outcome: 'accepted' };
  if (GONE.has(status)) return { outcome: 'dead', reason };
  if (status === 413) return { outcome: 'too_large' };
  const asked = retryAfterMs(headers['retry-after'], now);
  if (THROTTLES.has(status)) return { outcome: 'retry', reason, afterMs: asked ?? THROTTLED_MS };
  if (status >= 500) return { outcome: 'retry', reason, afterMs: asked ?? SERVER_FAULT_MS };
  if (REFUSES_KEY.has(status)) return { outcome: isProven ? 'bad_request' : 'config', reason };
  return { outcome: 'bad_request', reason };
}

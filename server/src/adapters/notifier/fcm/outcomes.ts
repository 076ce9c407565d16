/**
 * What Google's answers mean (FCM: "ErrorCode" of the HTTP v1 API), read from the answer itself: the library maps a
 * wrong project and a dead token to the same code. Must not know connections.
 */
import type { PushOutcome } from '../../../ports/index.js';
import { type Answer, retryAfterMs } from '../common/index.js';

/** Google asks for a minute at least when it names no time, and ten seconds for faults of its own. */
export const QUOTA_MS = 60_000;
export const SERVER_FAULT_MS = 10_000;

const FCM_ERROR = 'type.googleapis.com/google.firebase.fcm.v1.FcmError';
const UNAUTHENTICATED = 401;

export type FcmVerdict =
  | PushOutcome
  /** The access token was refused. */
  | 'unauthenticated';

export function judge(answer: Answer, now: number): FcmVerdict {
  const { status, headers, body } = answer;
  if (status === 200) return { outcome: 'accepted' };
  const asked = retryAfterMs(headers['retry-after'], now);
  if (status === 429) return { outcome: 'retry', reason: 'QUOTA_EXCEEDED', afterMs: asked ?? QUOTA_MS };
  if (status >= 500)
    return { outcome: 'retry', reason: `status_${status}`, afterMs: asked ?? SERVER_FAULT_MS };
  const { code, message } = parseError(body);
  if (status === 404) return notFound(code);
  if (status === 403) return forbidden(code);
  if (status === UNAUTHENTICATED) {
    return code === undefined ? 'unauthenticated' : { outcome: 'config', reason: 'THIRD_PARTY_AUTH_ERROR' };
  }
  if (status === 413 || /too (?:big|large)/i.test(message)) return { outcome: 'too_large' };
  // Token, size, key or ttl: nothing that ends a token.
  return { outcome: 'bad_request', reason: status === 400 ? 'INVALID_ARGUMENT' : 'status_4xx' };
}

/** Without the FcmError it is the project or the path that is not found. */
function notFound(code: string | undefined): PushOutcome {
  return code === 'UNREGISTERED'
    ? { outcome: 'dead', reason: code }
    : { outcome: 'config', reason: 'NOT_FOUND' };
}

/** A token of somebody else's project is that device's fault; a refusal of ours is not. */
function forbidden(code: string | undefined): PushOutcome {
  return code === 'SENDER_ID_MISMATCH'
    ? { outcome: 'dead', reason: code }
    : { outcome: 'config', reason: 'PERMISSION_DENIED' };
}

interface FcmError {
  /** Of the FcmError detail. */
  readonly code: string | undefined;
  readonly message: string;
}

function parseError(body: string): FcmError {
  try {
    const { error } = JSON.parse(body) as { error?: { message?: unknown; details?: unknown } };
    const details: unknown[] = Array.isArray(error?.details) ? error.details : [];
    const detail = details.find((each) => (each as { '@type'?: unknown } | null)?.['@type'] === FCM_ERROR);
    const code = (detail as { errorCode?: unknown } | undefined)?.errorCode;
    return {
      code: typeof code === 'string' ? code : undefined,
      message: typeof error?.message === 'string' ? error.message : '',
    };
  } catch {
    return { code: undefined, message: '' };
  }
}

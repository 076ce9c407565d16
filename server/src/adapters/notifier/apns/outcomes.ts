/**
 * What Apple's answers mean (Apple: "Handling notification responses from APNs"). A table; what needs memory (token
 * of the other environment, token renewal) is told apart by name and decided by the caller. Must not know
 * connections.
 */
import type { PushOutcome } from '../../../ports/index.js';
import { retryAfterMs } from '../common/index.js';
import type { ApnsAnswer } from './connection.js';

const MINUTE_MS = 60_000;
/** A device that got too many; Apple names no time. */
export const TOO_MANY_REQUESTS_MS = MINUTE_MS;
export const SERVER_FAULT_MS = 10_000;
/** How long Apple wants no new provider token after it saw too many. */
export const TOKEN_UPDATES_MS = 20 * MINUTE_MS;

const BAD_REQUEST = new Set([
  'BadCollapseId',
  'BadExpirationDate',
  'BadMessageId',
  'BadPriority',
  'BadPath',
  'DuplicateHeaders',
  'InvalidPushType',
  'MethodNotAllowed',
  'MissingDeviceToken',
  'PayloadEmpty',
]);
const CONFIG = new Set([
  'DeviceTokenNotForTopic',
  'TopicDisallowed',
  'BadTopic',
  'MissingTopic',
  'InvalidProviderToken',
  'MissingProviderToken',
  'Forbidden',
  'BadCertificate',
  'BadCertificateEnvironment',
  'UnrelatedKeyIdInToken',
  'BadEnvironmentKeyIdInToken',
]);
const GONE = new Set(['Unregistered', 'ExpiredToken']);
const RETRY = new Map([
  ['IdleTimeout', 0],
  ['TooManyRequests', TOO_MANY_REQUESTS_MS],
  ['InternalServerError', SERVER_FAULT_MS],
  ['ServiceUnavailable', SERVER_FAULT_MS],
  ['Shutdown', SERVER_FAULT_MS],
]);

export type ApnsVerdict =
  | PushOutcome
  /** Another environment's token, or no token at all. */
  | 'bad_device_token'
  | 'token_expired'
  | 'token_updates';

export function judge(answer: ApnsAnswer, now: number): ApnsVerdict {
  const { status } = answer;
  if (status === 200) return { outcome: 'accepted' };
  const { reason, timestamp } = parseBody(answer.body);
  if (status === 413 || reason === 'PayloadTooLarge') return { outcome: 'too_large' };
  if (reason === 'BadDeviceToken') return 'bad_device_token';
  if (reason === 'ExpiredProviderToken') return 'token_expired';
  if (reason === 'TooManyProviderTokenUpdates') return 'token_updates';
  if (GONE.has(reason)) return { outcome: 'dead', reason, since: timestamp };
  if (CONFIG.has(reason)) return { outcome: 'config', reason };
  if (BAD_REQUEST.has(reason)) return { outcome: 'bad_request', reason };
  const floor = RETRY.get(reason) ?? floorOfStatus(status);
  const word = RETRY.has(reason) ? reason : `status_${status}`;
  if (floor === undefined) return unknownReason(status);
  const asked = retryAfterMs(answer.headers['retry-after'], now);
  return { outcome: 'retry', reason: word, afterMs: Math.max(floor, asked ?? 0) };
}

function floorOfStatus(status: number): number | undefined {
  if (status === 429) return TOO_MANY_REQUESTS_MS;
  return status >= 500 || status === 408 ? SERVER_FAULT_MS : undefined;
}

/** A reason Apple added after this was written: never a verdict on the device. */
function unknownReason(status: number): PushOutcome {
  if (status === 403) return { outcome: 'config', reason: 'status_403' };
  return { outcome: 'bad_request', reason: status === 410 ? 'status_410' : 'status_4xx' };
}

function parseBody(body: string): { reason: string; timestamp: number | undefined } {
  try {
    const { reason, timestamp } = JSON.parse(body) as { reason?: unknown; timestamp?: unknown };
    return {
      reason: typeof reason === 'string' ? reason : '',
      timestamp: typeof timestamp === 'number' && Number.isSafeInteger(timestamp) ? timestamp : undefined,
    };
  } catch {
    return { reason: '', timestamp: undefined };
  }
}

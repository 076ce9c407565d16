/**
 * What FCM asks of a message (HTTP v1 reference, `projects.messages`). Must not know which devices exist or who sends.
 */
import { isRecord, parseObject } from '../kit/shapes.js';
import { type FcmRefusal, refuseBare, refuseFcm } from './errors.js';

export const MAX_DATA_BYTES = 4_096;
/** Messages to a topic may carry half. */
export const MAX_TOPIC_DATA_BYTES = 2_048;
export const MAX_TTL_SECONDS = 2_419_200;

/** Members that the API knows; others are an error of its JSON reader. */
const BODY_KEYS = ['message', 'validate_only', 'validateOnly'];
const MESSAGE_KEYS =
  'name data notification android webpush apns fcm_options fcmOptions token topic condition';
const ANDROID_KEYS = `collapse_key collapseKey priority ttl restricted_package_name restrictedPackageName data
  notification fcm_options fcmOptions direct_boot_ok directBootOk bandwidth_constrained_ok bandwidthConstrainedOk
  restricted_satellite_ok restrictedSatelliteOk`;

export interface FcmMessage {
  readonly token: string | undefined;
  readonly data: Readonly<Record<string, string>>;
  readonly priority: 'high' | 'normal';
  /** Undefined: FCM's four weeks. */
  readonly ttlSeconds: number | undefined;
  readonly collapseKey: string | undefined;
  /** Only to be judged, not delivered. */
  readonly validateOnly: boolean;
  readonly raw: Readonly<Record<string, unknown>>;
}

/** The message in a request body, or what is wrong with it. */
export function readMessage(body: Buffer): FcmMessage | FcmRefusal {
  const parsed = parseObject(body);
  if (parsed === undefined) return refuseBare('INVALID_ARGUMENT', 'Invalid JSON payload received.');
  const { message } = parsed;
  if (!isRecord(message)) return refuseBare('INVALID_ARGUMENT', 'message is missing');
  const android = message.android ?? {};
  if (!isRecord(android)) return refuseBare('INVALID_ARGUMENT', 'message.android is not an object');
  return checkNames(parsed, message, android) ?? checkTarget(message) ?? read(parsed, message, android);
}

function checkNames(
  body: Record<string, unknown>,
  message: Record<string, unknown>,
  android: Record<string, unknown>,
): FcmRefusal | undefined {
  const unknown = [
    ...strangers(body, BODY_KEYS),
    ...strangers(message, MESSAGE_KEYS.split(' ')),
    ...strangers(android, ANDROID_KEYS.split(/\s+/)),
  ];
  if (unknown.length === 0) return undefined;
  return refuseBare('INVALID_ARGUMENT', `Invalid JSON payload received. Unknown name "${unknown[0]}"`);
}

function strangers(value: Record<string, unknown>, known: readonly string[]): string[] {
  return Object.keys(value).filter((key) => !known.includes(key));
}

function checkTarget(message: Record<string, unknown>): FcmRefusal | undefined {
  const targets = ['token', 'topic', 'condition'].filter((key) => message[key] !== undefined);
  if (targets.length !== 1) return refuseFcm('INVALID_ARGUMENT', 'exactly one of token, topic and condition');
  return typeof message[targets[0] ?? ''] === 'string'
    ? undefined
    : refuseBare('INVALID_ARGUMENT', 'the target is not a string');
}

function read(
  body: Record<string, unknown>,
  message: Record<string, unknown>,
  android: Record<string, unknown>,
): FcmMessage | FcmRefusal {
  const { token } = message;
  const refusal =
    checkData(message.data, token === undefined ? MAX_TOPIC_DATA_BYTES : MAX_DATA_BYTES) ??
    checkData(android.data, MAX_DATA_BYTES) ??
    checkAndroid(android);
  if (refusal !== undefined) return refusal;
  const collapseKey = android.collapse_key ?? android.collapseKey;
  return {
    token: token as string | undefined,
    data: { ...(message.data as object), ...(android.data as object) },
    priority: String(android.priority).toLowerCase() === 'high' ? 'high' : 'normal',
    ttlSeconds: android.ttl === undefined ? undefined : Number.parseFloat(android.ttl as string),
    collapseKey: collapseKey as string | undefined,
    validateOnly: (body.validate_only ?? body.validateOnly) === true,
    raw: message,
  };
}

function checkData(data: unknown, limit: number): FcmRefusal | undefined {
  if (data === undefined) return undefined;
  if (!isRecord(data)) return refuseBare('INVALID_ARGUMENT', 'data is not an object');
  const entries = Object.entries(data);
  if (!entries.every(([, value]) => typeof value === 'string')) {
    return refuseBare('INVALID_ARGUMENT', 'a value in data is not a string');
  }
  const reserved = entries.find(([key]) => isReserved(key));
  if (reserved !== undefined)
    return refuseFcm('INVALID_ARGUMENT', `Invalid data payload key: ${reserved[0]}`);
  const size = entries.flat().reduce<number>((sum, text) => sum + Buffer.byteLength(text as string), 0);
  if (size <= limit) return undefined;
  return refuseFcm('INVALID_ARGUMENT', `Android message is too big: ${size} of ${limit} bytes`);
}

/** "from", "message_type", and whatever begins with "google" or "gcm". */
export function isReserved(key: string): boolean {
  return key === 'from' || key === 'message_type' || /^(google|gcm)/.test(key);
}

function checkAndroid({ priority, ttl, ...rest }: Record<string, unknown>): FcmRefusal | undefined {
  if (priority !== undefined && !/^(high|normal)$/i.test(String(priority))) {
    return refuseBare('INVALID_ARGUMENT', 'android.priority is neither high nor normal');
  }
  const seconds = /^\d+(?:\.\d{1,9})?s$/.test(String(ttl)) ? Number.parseFloat(String(ttl)) : Number.NaN;
  if (ttl !== undefined && !(seconds <= MAX_TTL_SECONDS)) {
    return refuseFcm('INVALID_ARGUMENT', 'android.ttl is not a duration up to four weeks');
  }
  const collapseKey = rest.collapse_key ?? rest.collapseKey;
  if (collapseKey === undefined || typeof collapseKey === 'string') return undefined;
  return refuseBare('INVALID_ARGUMENT', 'android.collapse_key is not a string');
}

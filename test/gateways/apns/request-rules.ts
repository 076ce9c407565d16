/**
 * What APNs asks of a request besides its provider token: Apple's "Sending notification requests to APNs".
 * Must not know connections, tokens of providers, nor which devices exist.
 */

import { isIntegerText, isRecord, parseObject } from '../kit/shapes.js';
import type { RecordedRequest } from '../kit/traffic.js';
import { type ApnsRefusal, refuse } from './reasons.js';

export const APNS_PUSH_TYPES = [
  'alert',
  'background',
  'complication',
  'controls',
  'fileprovider',
  'liveactivity',
  'location',
  'mdm',
  'pushtotalk',
  'voip',
  'widgets',
] as const;
export const MAX_PAYLOAD_BYTES = 4_096;
export const MAX_VOIP_PAYLOAD_BYTES = 5_120;
export const MAX_COLLAPSE_ID_BYTES = 64;

export type Header = (name: string) => string | undefined;

/** Rules in the order of a request: line, headers, payload. Undefined where all hold. */
export function checkRequest(request: RecordedRequest, header: Header): ApnsRefusal | undefined {
  return checkLine(request) ?? checkHeaders(header) ?? checkPayload(request.body, header);
}

export function checkLine({ method, path, headers }: RecordedRequest): ApnsRefusal | undefined {
  if (method !== 'POST') return refuse('MethodNotAllowed', 'only POST');
  if (!path.startsWith('/3/device')) return refuse('BadPath', 'not /3/device/<token>');
  if (/^\/3\/device\/?$/.test(path)) return refuse('MissingDeviceToken', 'no token in the path');
  if (tokenIn(path) === undefined)
    return refuse('BadDeviceToken', 'not hex of an even length from 64 to 200');
  const names = headers.map(([name]) => name);
  if (new Set(names).size < names.length) return refuse('DuplicateHeaders', 'a header comes twice');
  return undefined;
}

/** The device token in lower case. */
export function tokenIn(path: string): string | undefined {
  return /^\/3\/device\/((?:[0-9a-f]{2}){32,100})$/i.exec(path)?.[1]?.toLowerCase();
}

function checkHeaders(header: Header): ApnsRefusal | undefined {
  const type = header('apns-push-type');
  const priority = header('apns-priority');
  if (type === undefined || !(APNS_PUSH_TYPES as readonly string[]).includes(type)) {
    return refuse('InvalidPushType', 'apns-push-type is missing or unknown');
  }
  if (!['10', '5', '1', undefined].includes(priority)) return refuse('BadPriority', 'not 10, 5 or 1');
  // Absent means 10, which a background push must not have.
  if (type === 'background' && (priority ?? '10') === '10')
    return refuse('BadPriority', 'background with 10');
  if (!isIntegerText(header('apns-expiration') ?? '0')) {
    return refuse('BadExpirationDate', 'not whole seconds since 1970');
  }
  if (Buffer.byteLength(header('apns-collapse-id') ?? '') > MAX_COLLAPSE_ID_BYTES) {
    return refuse('BadCollapseId', 'longer than 64 bytes');
  }
  return checkId(header('apns-id'));
}

function checkId(id: string | undefined): ApnsRefusal | undefined {
  const isUuid = id === undefined || /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/.test(id);
  return isUuid ? undefined : refuse('BadMessageId', 'apns-id is not a lower-case UUID');
}

function checkPayload(body: Buffer, header: Header): ApnsRefusal | undefined {
  const type = header('apns-push-type');
  if (body.length === 0) return refuse('PayloadEmpty', 'no payload');
  const limit = type === 'voip' ? MAX_VOIP_PAYLOAD_BYTES : MAX_PAYLOAD_BYTES;
  if (body.length > limit) return refuse('PayloadTooLarge', `${body.length} of ${limit} bytes`);
  const payload = parseObject(body);
  if (payload === undefined) return refuse('PayloadEmpty', 'the payload is no JSON object in UTF-8');
  if (!isRecord(payload.aps)) return refuse('PayloadEmpty', 'the payload has no aps dictionary');
  return checkKind(type, payload.aps);
}

/** Apple may delay or drop a push whose type and payload disagree; here that is an error, so that it is seen. */
function checkKind(type: string | undefined, aps: Record<string, unknown>): ApnsRefusal | undefined {
  const shows = ['alert', 'badge', 'sound'].some((key) => Object.hasOwn(aps, key));
  if (type === 'alert' && !shows) return refuse('InvalidPushType', 'an alert without alert, badge or sound');
  if (type !== 'background') return undefined;
  if (shows) return refuse('InvalidPushType', 'a background push with alert, badge or sound');
  if (aps['content-available'] !== 1)
    return refuse('InvalidPushType', 'background without content-available: 1');
  return undefined;
}

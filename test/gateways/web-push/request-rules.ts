/** Headers and size of a push (RFC 8030 §5, RFC 8291 §4). Must not know subscriptions or keys. */
import { isBase64Url, isIntegerText } from '../kit/shapes.js';
import { refuse, type WebPushRefusal } from './refusal.js';

/**
 * Bytes of body that a service takes: 4,096 is what RFC 8291 lets a sender count on; Firefox on Android takes less,
 * because its pushes travel through FCM.
 */
export const PROFILES = { standard: 4_096, 'firefox-android': 3_015 } as const;
export type WebPushProfile = keyof typeof PROFILES;

export const URGENCIES = ['very-low', 'low', 'normal', 'high'] as const;
export const MAX_TOPIC_CHARS = 32;

export function checkHeaders(
  method: string,
  body: Buffer,
  profile: WebPushProfile,
  header: (name: string) => string | undefined,
): WebPushRefusal | undefined {
  if (method !== 'POST') return refuse(405, 'MethodNotAllowed', 'only POST');
  if (!isIntegerText(header('ttl') ?? ''))
    return refuse(400, 'BadTtl', 'TTL is missing or not whole seconds');
  const urgency = header('urgency');
  if (urgency !== undefined && !(URGENCIES as readonly string[]).includes(urgency)) {
    return refuse(400, 'BadUrgency', 'not very-low, low, normal or high');
  }
  const topic = header('topic');
  if (topic !== undefined && !isTopic(topic)) {
    return refuse(400, 'BadWebPushTopic', 'not 1 to 32 characters that base64url could have');
  }
  if (body.length > PROFILES[profile]) {
    return refuse(413, 'PayloadTooLarge', `${body.length} of ${PROFILES[profile]} bytes`);
  }
  if (body.length > 0 && header('content-encoding') !== 'aes128gcm') {
    return refuse(400, 'BadContentEncoding', 'Content-Encoding is not aes128gcm');
  }
  return undefined;
}

/** RFC 8030 §5.4, and Apple, which decodes it: a length of 1 more than a multiple of 4 is no base64url. */
export function isTopic(text: string): boolean {
  return text.length <= MAX_TOPIC_CHARS && isBase64Url(text);
}

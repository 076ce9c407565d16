/** Which registration tokens exist, and how fast one may be sent to. Must not know requests. */
import { randomBytes } from 'node:crypto';
import { type FcmRefusal, fcmError, refuseFcm } from './errors.js';

/** FCM: "240 messages per minute to a single device". */
export const MAX_PER_DEVICE_PER_MINUTE = 240;
const MINUTE_MS = 60_000;
/** An instance id, a colon, and what only FCM reads. */
const TOKEN_SHAPE = /^[A-Za-z0-9_-]{11,}:[A-Za-z0-9_-]{100,}$/;

interface Device {
  readonly state: 'live' | 'unregistered' | 'foreign';
  /** Start of the present minute and what it has taken. */
  readonly since: number;
  readonly sent: number;
}

export class FcmDevices {
  readonly #devices = new Map<string, Device>();

  /** A token of the shape that phones get. */
  static newToken(): string {
    return `${randomBytes(16).toString('base64url')}:APA91b${randomBytes(100).toString('base64url')}`;
  }

  set(token: string, state: Device['state']): void {
    this.#devices.set(token, { state, since: Number.NEGATIVE_INFINITY, sent: 0 });
  }

  /** Undefined where the device may have one more message now (unix ms), which is then counted. */
  check(token: string, now: number): FcmRefusal | undefined {
    const device = this.#devices.get(token);
    if (device === undefined && !TOKEN_SHAPE.test(token)) {
      return refuseFcm('INVALID_ARGUMENT', 'The registration token is not a valid FCM registration token');
    }
    if (device === undefined || device.state === 'unregistered') {
      return refuseFcm('UNREGISTERED', 'Requested entity was not found.');
    }
    if (device.state === 'foreign') return refuseFcm('SENDER_ID_MISMATCH', 'SenderId mismatch');
    return this.#count(token, device, now);
  }

  #count(token: string, device: Device, now: number): FcmRefusal | undefined {
    const isNew = now - device.since >= MINUTE_MS;
    const sent = isNew ? 1 : device.sent + 1;
    if (sent > MAX_PER_DEVICE_PER_MINUTE) return overQuota();
    this.#devices.set(token, { state: 'live', since: isNew ? now : device.since, sent });
    return undefined;
  }
}

function overQuota(): FcmRefusal {
  const description = 'over 240 messages per minute to one device';
  const failure = {
    '@type': 'type.googleapis.com/google.rpc.QuotaFailure',
    violations: [{ subject: 'device', description }],
  };
  return { answer: fcmError('QUOTA_EXCEEDED', 'Quota exceeded.', [failure]), why: description };
}

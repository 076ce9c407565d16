/** What a device says about itself: platform, push token, app (01 §2). */
import { PLATFORM, utf8, WIRE } from '@countersign/protocol';
import { type LoginRefusal, refusal } from './login.types.js';

/** The longest push token stored. Web Push subscriptions, the longest known, stay below 1 KiB. */
export const MAX_DEVICE_TOKEN_BYTES = 4096;

export interface DeviceFields {
  readonly platform: number;
  readonly deviceToken: string;
  readonly app?: string | undefined;
}

export function checkDevice(role: 'client' | 'pairing', device: DeviceFields): LoginRefusal | undefined {
  if (device.platform < PLATFORM.ios || device.platform > PLATFORM.web) {
    return refusal(role, 'bad_request', 'platform must be 1 (ios), 2 (android) or 3 (web)');
  }
  if (utf8(device.deviceToken).length > MAX_DEVICE_TOKEN_BYTES) {
    return refusal(role, 'bad_request', 'the device token is too long');
  }
  if ((device.app?.length ?? 0) > WIRE.maxAppChars) return refusal(role, 'bad_request', 'app is too long');
  return undefined;
}

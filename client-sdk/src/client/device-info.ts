/** What this device says of itself (03 §1). Must not know when. */
import { PLATFORM } from '@countersign/protocol';
import type { PairingRecord, PlatformName } from './pairing-record.js';

/** Of this package; a test compares it with package.json. */
export const SDK_VERSION = '0.1.0';

/** Features of 03 §1 that this SDK understands. */
export const SUPPORTS = [
  'receipts',
  'acks',
  'choices',
  'truncated',
  'item_request',
  'replace',
  'schema',
  'arguments_text',
  'bypasses',
] as const;

export function platformNumber(platform: PlatformName): number {
  return PLATFORM[platform];
}

/** Members of a hello, without its envelope. */
export function helloOf(
  record: PairingRecord,
  appVersion = `client-sdk ${SDK_VERSION}`,
  privatePreviews = false,
): Record<string, unknown> {
  return {
    device_info: {
      platform: record.platform,
      app_version: appVersion,
      device_name: record.deviceName,
    },
    supports: [...SUPPORTS],
    ...(privatePreviews ? { private_previews: true } : {}),
  };
}

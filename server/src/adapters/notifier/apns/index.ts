/** Push by Apple's service (APNs). */

export type { ApnHost } from './apn-seam.js';
export { type ApnsApp, ApnsNotifier, type ApnsOptions } from './apns-notifier.js';
export type { ApnsKey } from './provider-token.js';

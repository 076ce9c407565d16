/** Push to browsers and UnifiedPush (RFC 8030). */
export type { VapidKeys } from './vapid.js';
export { type WebPushNetwork, WebPushNotifier, type WebPushOptions } from './web-push-notifier.js';

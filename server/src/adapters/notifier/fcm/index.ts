/** Push by Google's service (FCM). */
export type { ServiceAccount } from './access-token.js';
export { type FcmApp, FcmNotifier, type FcmOptions } from './fcm-notifier.js';
export type { FcmHost } from './watched-agent.js';

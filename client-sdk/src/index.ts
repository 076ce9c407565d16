/** Door ".": a device that decides. Runs in browsers and on Node. */
export type * from './api.js';
export { openClient } from './client/client.js';
export { pair } from './client/pair.js';
export { confirmShown, openNotification } from './push/open-notification.js';
export { fetchPushInfo } from './push/push-info.js';
export { reconcileNotifications } from './push/reconcile.js';
export * from './storage/storage.js';

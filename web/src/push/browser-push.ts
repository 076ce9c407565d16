/** Whether this browser can push at all, and whether the person lets it. Pages only. */
import { type Subscriptions, subscriptionsOf } from './subscription.js';

export type Support = 'yes' | 'home_screen' | 'no';

export interface PushService extends Subscriptions {
  readonly support: Support;
  permission(): NotificationPermission;
  /** Only from a tap: browsers refuse to ask otherwise. */
  ask(): Promise<NotificationPermission>;
}

export function browserPush(userAgent = navigator.userAgent): PushService {
  return {
    ...subscriptionsOf(async () => (await navigator.serviceWorker.ready).pushManager),
    support: supportOf(userAgent),
    permission: () => globalThis.Notification?.permission ?? 'denied',
    ask: () => Notification.requestPermission(),
  };
}

/** On iPhone and iPad, pages get no push before they are on the home screen. */
function supportOf(userAgent: string): Support {
  if ('PushManager' in globalThis && 'Notification' in globalThis && 'serviceWorker' in navigator)
    return 'yes';
  return /iPhone|iPad|Macintosh.*Mobile/.test(userAgent) ? 'home_screen' : 'no';
}

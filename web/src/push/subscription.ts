/**
 * Subscriptions at the browser's push service: the one place that touches `PushManager`, so a test puts another in its
 * place. Pages and the service worker share it. Must not know relays or pairings.
 */
import type { WebSubscription } from '@countersign/client-sdk';

export interface Subscribed {
  readonly subscription: WebSubscription;
  /** The key that it was made under, base64url; undefined where the browser does not say. */
  readonly vapidKey: string | undefined;
}

export interface Subscriptions {
  current(): Promise<Subscribed | undefined>;
  /** In place of any other subscription. @throws DOMException when the browser's push service fails or refuses. */
  subscribe(vapidKey: string): Promise<Subscribed>;
}

export function subscriptionsOf(manager: () => PushManager | Promise<PushManager>): Subscriptions {
  return {
    async current() {
      const found = await (await manager()).getSubscription();
      return found === null ? undefined : subscribed(found);
    },
    async subscribe(vapidKey) {
      const pushes = await manager();
      // One made under another key stands in the way.
      await (await pushes.getSubscription())?.unsubscribe();
      return subscribed(await pushes.subscribe({ userVisibleOnly: true, applicationServerKey: vapidKey }));
    },
  };
}

export function keyOf({ options }: PushSubscription): string | undefined {
  const key = options.applicationServerKey;
  return key === null ? undefined : base64url(new Uint8Array(key));
}

function subscribed(found: PushSubscription): Subscribed {
  return { subscription: found.toJSON(), vapidKey: keyOf(found) };
}

function base64url(bytes: Uint8Array): string {
  return btoa(String.fromCharCode(...bytes))
    .replaceAll('+', '-')
    .replaceAll('/', '_')
    .replace(/=+$/, '');
}

/**
 * The service worker: keeps the app's own files, so that it opens without a network, shows pushes, and takes taps on
 * them. Joins the parts beside it with the browser's events. Must not know screens.
 */
import '../app/no-eval.js';
import { cleanupOutdatedCaches, precacheAndRoute } from 'workbox-precaching';
import { readToWorker } from '../push/messages.js';
import { keyOf, subscriptionsOf } from '../push/subscription.js';
import { browserPorts } from './ports.js';
import { alertHandedOver, pushArrived } from './show-alert.js';
import { subscriptionChanged } from './subscription-changed.js';
import { tapped } from './tapped.js';

/** Put in by the build: every file of the app with its revision. */
declare const __KEPT_FILES__: { url: string; revision: string | null }[];
declare const self: ServiceWorkerGlobalScope;

precacheAndRoute(__KEPT_FILES__, { ignoreURLParametersMatching: [/.*/] });
cleanupOutdatedCaches();

const ports = browserPorts(self);

self.addEventListener('push', (event) => {
  // Of a push without a body, `data` is null.
  event.waitUntil(
    pushArrived(event.data === null ? undefined : new Uint8Array(event.data.arrayBuffer()), ports),
  );
});

self.addEventListener('notificationclick', (event) => {
  const { action, notification } = event;
  if (action === '') notification.close();
  event.waitUntil(tapped({ action, title: notification.title, data: notification.data as unknown }, ports));
});

self.addEventListener('pushsubscriptionchange', (event) => {
  const ended = event as ExtendableEvent & { readonly oldSubscription?: PushSubscription | null };
  const service = subscriptionsOf(() => self.registration.pushManager);
  // Failing leaves it to the app, which compares at every start.
  const done = subscriptionChanged(
    ended.oldSubscription == null ? undefined : keyOf(ended.oldSubscription),
    service,
    ports,
  );
  event.waitUntil(done.catch(() => undefined));
});

self.addEventListener('message', (event) => {
  const message = readToWorker(event.data);
  // A page asks for the change once nothing is open in it that could get lost.
  if (message?.type === 'take-over') event.waitUntil(self.skipWaiting());
  if (message?.type !== 'show') return;
  const [port] = event.ports;
  event.waitUntil(alertHandedOver(message.alert, ports).then((isShown) => port?.postMessage(isShown)));
});

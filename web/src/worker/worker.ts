/**
 * The service worker: keeps the app's own files, so that it opens without a network. Must not know keys or screens.
 */
import { cleanupOutdatedCaches, precacheAndRoute } from 'workbox-precaching';

/** Put in by the build: every file of the app with its revision. */
declare const __KEPT_FILES__: { url: string; revision: string | null }[];
declare const self: ServiceWorkerGlobalScope;

precacheAndRoute(__KEPT_FILES__, { ignoreURLParametersMatching: [/.*/] });
cleanupOutdatedCaches();

// A page asks for the change once nothing is open in it that could get lost.
self.addEventListener('message', (event) => {
  if ((event.data as { type?: unknown } | null)?.type === 'take-over') void self.skipWaiting();
});

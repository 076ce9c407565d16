/** Hands an alert to the service worker, which shows it: so every notification looks and acts alike. */
import type { Alert } from '@countersign/client-sdk';
import type { ToWorker } from './messages.js';

/** A worker that is just being replaced may stay silent. */
const PATIENCE_MS = 10_000;

/** True once it stands on the screen; false where notifications are not allowed, or nobody answers. */
export async function showByWorker(alert: Alert): Promise<boolean> {
  if (!('serviceWorker' in navigator) || globalThis.Notification?.permission !== 'granted') return false;
  const worker = (await navigator.serviceWorker.getRegistration())?.active;
  if (worker == null) return false;
  return new Promise((resolve) => {
    const { port1, port2 } = new MessageChannel();
    const timer = setTimeout(() => resolve(false), PATIENCE_MS);
    port1.onmessage = ({ data }) => {
      clearTimeout(timer);
      resolve(data === true);
    };
    const message: ToWorker = { type: 'show', alert };
    worker.postMessage(message, [port2]);
  });
}

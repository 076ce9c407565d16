/** What the service worker asks of a page: to go to an item, or to answer one, since only a page may hold the connection. */
import type { Device } from '../state/device.js';
import type { Route } from '../state/route.js';
import { type GivePorts, giveShown } from './give-shown.js';
import { readToPage, TAKEN } from './messages.js';

export interface WorkerListenerPorts extends GivePorts {
  readonly inbox: Device['inbox'];
  readonly route: Pick<Route, 'go'>;
  /** The browser took the subscription away, or gave another. */
  subscriptionChanged(): void;
}

/** `worker`: `navigator.serviceWorker`, where messages of the worker arrive. */
export function listenToWorker(worker: EventTarget, ports: WorkerListenerPorts): void {
  worker.addEventListener('message', (event) => {
    const { data, ports: channels } = event as MessageEvent<unknown>;
    const message = readToPage(data);
    if (message?.type === 'go_inbox') ports.route.go({ screen: 'inbox' });
    if (message?.type === 'subscription_changed') ports.subscriptionChanged();
    if (message?.type === 'go') {
      const { pairingId, requestId } = message;
      ports.route.go({ screen: 'item', pairingId, requestId });
    }
    if (message?.type !== 'answer' || !isConnectedHere(ports)) return;
    const [channel] = channels;
    channel?.postMessage(TAKEN);
    void giveShown(message, ports).then((outcome) => channel?.postMessage(outcome));
  });
}

function isConnectedHere({ inbox }: Pick<WorkerListenerPorts, 'inbox'>): boolean {
  return inbox.value.pairings.every(({ problem }) => problem?.code !== 'open_elsewhere');
}

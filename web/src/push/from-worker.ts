/** What the service worker asks of a page: to go to an item, or to answer one, since only a page may hold the connection. */
import type { Device } from '../state/device.js';
import type { Route } from '../state/route.js';
import { type AnswerPorts, answerShown } from './answer-shown.js';
import { readToPage, TAKEN } from './messages.js';

export interface WorkerListenerPorts {
  readonly device: Pick<Device, 'client' | 'inbox'>;
  readonly route: Pick<Route, 'go'>;
  readonly give: AnswerPorts['give'];
  /** Of this origin's service worker. */
  readonly messages: EventTarget;
}

export function listenToWorker({ device, route, give, messages }: WorkerListenerPorts): void {
  messages.addEventListener('message', (event) => {
    const { data, ports } = event as MessageEvent<unknown>;
    const message = readToPage(data);
    if (message === undefined) return;
    if (message.type === 'go_inbox') route.go({ screen: 'inbox' });
    else if (message.type === 'go') {
      const { pairingId, requestId } = message;
      route.go({ screen: 'item', pairingId, requestId });
    } else if (isConnectedHere(device)) {
      const [port] = ports;
      port?.postMessage(TAKEN);
      void answerShown(message, { client: device.client, give }).then((outcome) =>
        port?.postMessage(outcome),
      );
    }
  });
}

function isConnectedHere({ inbox }: WorkerListenerPorts['device']): boolean {
  return inbox.value.pairings.every(({ problem }) => problem?.code !== 'open_elsewhere');
}

/** Joins {@link Push} with the browser and the device: looked at now, after every pairing, and when a relay's key changed. */
import { fetchPushInfo } from '@countersign/client-sdk';
import { effect } from '@preact/signals';
import type { Device } from '../state/device.js';
import { browserPush } from './browser-push.js';
import { Push } from './push.js';

export function keepPush(device: Device): Push {
  const push = new Push({
    service: browserPush(),
    client: device.client,
    pairings: () => device.pairings.peek(),
    fetchInfo: (relayUrl) => fetchPushInfo(relayUrl),
  });
  effect(() => {
    void device.pairings.value;
    void push.refresh();
  });
  return push;
}

/** Takes notifications off the screen whose items ended or were answered in the app. Must not know how any is shown. */
import { reconcileNotifications, type Storage } from '@countersign/client-sdk';
import { effect } from '@preact/signals';
import type { Device } from '../state/device.js';
import { LOOK_TAG, readItemName } from './messages.js';
import { showByWorker } from './to-worker.js';

export function tidyScreen({ inbox }: Pick<Device, 'inbox'>, storage: Storage): void {
  if (!('serviceWorker' in navigator)) return;
  let isTidying = false;
  effect(() => {
    void inbox.value;
    if (isTidying) return;
    isTidying = true;
    // What fails now is done at the next change, and a tap on what stays says what became of it.
    tidy(storage)
      .catch(() => undefined)
      .finally(() => {
        isTidying = false;
      });
  });
}

async function tidy(storage: Storage): Promise<void> {
  const registration = await navigator.serviceWorker.getRegistration();
  const present = (await registration?.getNotifications()) ?? [];
  // Who looks at the app needs no word that there is something to look at.
  if (document.visibilityState === 'visible') {
    for (const one of present) if (one.tag === LOOK_TAG) one.close();
  }
  const shown = present.flatMap(({ tag, data }) => {
    const item = readItemName(data);
    // One that says already how it ended stays until it is taken away.
    const saysSo = (data as { ended?: unknown } | null)?.ended !== undefined;
    return item === undefined || saysSo ? [] : [{ tag, ...item }];
  });
  if (shown.length === 0) return;
  for (const change of await reconcileNotifications(shown, storage)) {
    if (change.do === 'replace') await showByWorker(change.alert);
    else for (const one of present) if (one.tag === change.tag) one.close();
  }
}

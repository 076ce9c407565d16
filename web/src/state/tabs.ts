/**
 * One tab of this app holds the connection (02 §2). Another may ask for it: then this one lets go. Must not know the
 * SDK or screens.
 */
import { type ReadonlySignal, signal } from '@preact/signals';

const CHANNEL = 'countersign-tabs';
const ASK = 'use-here';

export interface Tabs {
  /** True once another tab has taken over: nothing works here any more. */
  readonly handedOver: ReadonlySignal<boolean>;
  /** Asks every other tab to let go. */
  takeOver(): void;
}

/** `letGo` ends connections and frees the storage. */
export function watchTabs(letGo: () => Promise<void>, channel = new BroadcastChannel(CHANNEL)): Tabs {
  const handedOver = signal(false);
  channel.addEventListener('message', ({ data }) => {
    if (data !== ASK || handedOver.value) return;
    handedOver.value = true;
    // What fails here fails with the page: the browser frees its lock then.
    letGo().catch(() => undefined);
  });
  return { handedOver, takeOver: () => channel.postMessage(ASK) };
}

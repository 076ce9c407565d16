/** Time as screens see it: a signal that moves once a second while somebody looks. */
import { type ReadonlySignal, signal } from '@preact/signals';

const TICK_MS = 1000;

export interface Clock {
  /** Unix ms of this device. */
  readonly now: ReadonlySignal<number>;
}

export function startClock(page: Document = document): Clock {
  const now = signal(Date.now());
  const tick = () => {
    if (page.visibilityState === 'visible') now.value = Date.now();
  };
  setInterval(tick, TICK_MS);
  page.addEventListener('visibilitychange', tick);
  return { now };
}

/** The number of open items on the tab's title, its icon, and the installed app's icon. */
import { effect } from '@preact/signals';
import type { Device } from '../state/device.js';

const NAME = 'Countersign';

type Badging = { setAppBadge?: (count: number) => Promise<void>; clearAppBadge?: () => Promise<void> };

export function keepTitle(device: Device, page: Document = document): void {
  effect(() => {
    const { badge } = device.inbox.value;
    page.title = badge === 0 ? NAME : `(${badge}) ${NAME}`;
    const icon = page.querySelector<HTMLLinkElement>('link[rel="icon"]');
    if (icon !== null) icon.href = badge === 0 ? './icon.svg' : './icon-waiting.svg';
    const badging = navigator as Navigator & Badging;
    const shown = badge === 0 ? badging.clearAppBadge?.() : badging.setAppBadge?.(badge);
    // Not every platform that has the method lets a page use it.
    shown?.catch(() => undefined);
  });
}

/** Notifications and the badge as the platform has them. Must not know what is said. */
import type { ShownAnswer } from '@countersign/client-sdk';
import { readShownAnswer } from '../push/messages.js';
import type { Notice } from './notice.js';

/** TypeScript's library leaves out what not every browser has. */
type Options = NotificationOptions & { renotify?: boolean; actions?: { action: string; title: string }[] };
type Badging = { setAppBadge?(count: number): Promise<void>; clearAppBadge?(): Promise<void> };
type Limits = { maxActions?: number };

export class Screen {
  readonly #registration: ServiceWorkerRegistration;

  constructor(registration: ServiceWorkerRegistration) {
    this.#registration = registration;
  }

  get takesButtons(): boolean {
    return ((globalThis.Notification as Limits | undefined)?.maxActions ?? 0) >= 2;
  }

  /** @throws TypeError where notifications are not allowed. */
  async show({ title, body, tag, buttons, quiet, data }: Notice): Promise<void> {
    const options: Options = {
      body,
      tag,
      data,
      icon: './icon-192.png',
      badge: './icon-192.png',
      dir: 'auto',
      silent: quiet,
      renotify: !quiet,
      actions: [...buttons],
    };
    await this.#registration.showNotification(title, options);
  }

  /** Of the item that a notification on the screen is about. */
  async summaryUnder(tag: string): Promise<string | undefined> {
    const [present] = await this.#registration.getNotifications({ tag });
    const summary: unknown = (present?.data as { summary?: unknown } | null | undefined)?.summary;
    return typeof summary === 'string' ? summary : undefined;
  }

  async badge(count: number): Promise<void> {
    const badging = navigator as Badging;
    // Not every platform that has the method lets a worker use it.
    await (count > 0 ? badging.setAppBadge?.(count) : badging.clearAppBadge?.())?.catch(() => undefined);
  }
}

/** The answer that a tap on a button stands for; undefined for a tap beside them. */
export function answerOf(action: string, data: unknown): ShownAnswer | undefined {
  if (action !== 'approve' && action !== 'reject') return undefined;
  return readShownAnswer({ ...(data as object), decision: action });
}

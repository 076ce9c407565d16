/**
 * The browser took the subscription away or gave another. A page sees to it; without one the worker subscribes under the
 * same key and tells the relays at once, for until then no push arrives.
 */
import type { ToPage } from '../push/messages.js';
import type { Subscriptions } from '../push/subscription.js';
import { openHere } from './connect.js';
import { pagesOf } from './pages.js';
import { type WorkerPorts, withStored } from './ports.js';

/** For the logins; what was not told then, is told at the next one. */
const LOGIN_MS = 10_000;

/** `vapidKey`: of the subscription that ended; undefined where the browser does not say, and the app must see to it. */
export async function subscriptionChanged(
  vapidKey: string | undefined,
  service: Subscriptions,
  ports: WorkerPorts,
): Promise<void> {
  const pages = await pagesOf(ports.clients, ports.scope);
  const message: ToPage = { type: 'subscription_changed' };
  for (const page of pages) page.postMessage(message);
  if (pages.length > 0 || vapidKey === undefined) return;
  const present = await service.current();
  const { subscription } = present?.vapidKey === vapidKey ? present : await service.subscribe(vapidKey);
  await withStored(ports, async (opened) => {
    const client = await openHere(opened, ports);
    await client.registerPush({ platform: 'web', subscription, vapidKey });
    await new Promise<void>((resolve) => {
      const timer = setTimeout(resolve, LOGIN_MS);
      client.inbox.subscribe(({ pairings }) => {
        if (!pairings.every(({ connection }) => connection === 'online')) return;
        clearTimeout(timer);
        resolve();
      });
    });
    await client.close();
  });
}

/** Waits for a fact to become true: an event loop turn at a time, never a fixed sleep. */
import type { Client, InboxItem, InboxSnapshot } from '@countersign/client-sdk';

const DEADLINE_MS = 8000;

/** Asks again after every turn of the event loop until there is something. */
export async function until<T>(look: () => T | undefined | false): Promise<T> {
  const deadline = Date.now() + DEADLINE_MS;
  for (;;) {
    const found = look();
    if (found !== undefined && found !== false) return found;
    if (Date.now() > deadline) throw new Error(`waited too long for ${look}`);
    await new Promise((resolve) => setTimeout(resolve, 2));
  }
}

/** The inbox, as soon as the test holds for it. */
export function inboxWhen(client: Client, test: (inbox: InboxSnapshot) => boolean): Promise<InboxSnapshot> {
  return until(() => {
    const inbox = client.inbox.get();
    return test(inbox) ? inbox : undefined;
  });
}

export function itemWhen(
  client: Client,
  requestId: unknown,
  test = (item: InboxItem) => item.state === 'open',
) {
  return until(() => client.inbox.get().items.find((item) => item.requestId === requestId && test(item)));
}

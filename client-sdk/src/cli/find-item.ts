/** Finds the item a person means by its id, or by a part of it that no other has. Must not know commands. */
import type { Client, InboxItem } from '../api.js';
import { isSettled, saidSince, whenInbox } from './device.js';
import { CliError, EXIT } from './exit-codes.js';
import type { Io } from './io.js';

/**
 * Waits up to `ms` for the item; `openedAt` is when the client was opened.
 * @throws CliError 4 when it is not there, 2 when several match.
 */
export async function findItem(
  client: Client,
  wanted: string,
  when: { openedAt: number; ms: number },
  io: Io,
): Promise<InboxItem> {
  const settled = isSettled(when.openedAt);
  const isFresh = () => {
    const inbox = client.inbox.get();
    const found = matching(inbox.items, wanted)[0];
    const pairing = inbox.pairings.find(({ id }) => id === found?.pairingId);
    return found !== undefined && saidSince(when.openedAt, pairing?.snapshotAt);
  };
  await whenInbox(client, (inbox) => isFresh() || settled(inbox), when.ms, io.interrupted);
  const found = matching(client.inbox.get().items, wanted);
  if (found.length === 1) return found[0] as InboxItem;
  if (found.length > 1) {
    throw new CliError(
      EXIT.usage,
      'ambiguous',
      `"${wanted}" means ${found.length} items: give more of the id.`,
    );
  }
  throw new CliError(EXIT.notFound, 'no_such_item', noSuchItem(client));
}

function matching(items: readonly InboxItem[], wanted: string): InboxItem[] {
  const exact = items.filter(({ requestId }) => requestId === wanted);
  if (exact.length > 0) return exact;
  return items.filter(({ requestId }) => requestId.startsWith(wanted) || requestId.endsWith(wanted));
}

function noSuchItem(client: Client): string {
  const { pairings } = client.inbox.get();
  if (pairings.length === 0)
    return 'This device is not paired. Get a link at the agent, then run: countersign-phone pair LINK';
  const problems = pairings.flatMap(({ agentName, problem }) =>
    problem ? [`${agentName}: ${problem.message}`] : [],
  );
  return ['No such item is pending. Run "list" to see what is.', ...problems].join('\n');
}

/**
 * What changed between two looks at the inbox, as events. Pure. Must not know terminals.
 */
import type { AnswerState, InboxItem, InboxSnapshot, PairingStatus } from '../api.js';

export type WatchEvent =
  /** `item`: can be answered, or came back. */
  | { event: 'item'; item: InboxItem }
  | { event: 'answer'; item: InboxItem; answer: AnswerState }
  /** It left the inbox: answered, or ended elsewhere. */
  | { event: 'ended'; item: InboxItem }
  | { event: 'status'; pairing: PairingStatus };

export class WatchDiff {
  #items = new Map<string, InboxItem>();
  #pairings = new Map<string, string>();

  next(inbox: InboxSnapshot): WatchEvent[] {
    const items = new Map(inbox.items.map((item) => [keyOf(item), item] as const));
    const events: WatchEvent[] = [...this.#statuses(inbox)];
    for (const [key, item] of items) events.push(...changes(this.#items.get(key), item));
    for (const [key, item] of this.#items) if (!items.has(key)) events.push({ event: 'ended', item });
    this.#items = items;
    return events;
  }

  #statuses(inbox: InboxSnapshot): WatchEvent[] {
    return inbox.pairings.flatMap((pairing) => {
      const { connection, agentOnline, problem } = pairing;
      const seen = JSON.stringify([connection, agentOnline, problem?.code]);
      if (this.#pairings.get(pairing.id) === seen) return [];
      this.#pairings.set(pairing.id, seen);
      return [{ event: 'status', pairing }];
    });
  }
}

export function keyOf(item: InboxItem): string {
  return `${item.pairingId}/${item.kind}/${item.requestId}`;
}

/** No agent may change an item (02 §4); one that does shows what it is now, before any key decides on it. */
function isOther(earlier: InboxItem, item: InboxItem): boolean {
  return earlier.state !== item.state || earlier.whole !== item.whole || earlier.digest !== item.digest;
}

function changes(earlier: InboxItem | undefined, item: InboxItem): WatchEvent[] {
  const answerable = item.state !== 'answered';
  const appeared = answerable && (earlier === undefined || isOther(earlier, item));
  const answered =
    item.answer !== undefined && JSON.stringify(earlier?.answer) !== JSON.stringify(item.answer);
  return [
    ...(appeared ? [{ event: 'item' as const, item }] : []),
    ...(answered && item.answer ? [{ event: 'answer' as const, item, answer: item.answer }] : []),
  ];
}

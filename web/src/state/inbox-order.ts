/** In which order cards stand, and which: high risk first, then what waits longest. Pure. */
import type { InboxItem } from '@countersign/client-sdk';

const RANK = { high: 0, normal: 1, low: 2 } as const;

/** Cards of the inbox: answered ones leave at once and come back if the agent still asks (03 §6). */
export function cardsOf(items: readonly InboxItem[]): InboxItem[] {
  return items
    .filter(({ state }) => state !== 'answered')
    .toSorted((a, b) => RANK[a.risk] - RANK[b.risk] || a.createdAt - b.createdAt);
}

/** Answers on their way: given here, not confirmed by the agent yet. */
export function onTheirWay(items: readonly InboxItem[]): InboxItem[] {
  return items.filter(({ state, answer }) => state === 'answered' && answer?.phase !== 'confirmed');
}

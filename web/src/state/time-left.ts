/** Time left of an item, by the agent's clock as far as it is known. Pure. */
import type { InboxItem, InboxSnapshot } from '@countersign/client-sdk';

/** Milliseconds until the item ends; 0 when it has. `now` in this device's clock. */
export function remainingMs(
  item: Pick<InboxItem, 'pairingId' | 'expiresAt'>,
  inbox: Pick<InboxSnapshot, 'pairings'>,
  now: number,
): number {
  const offset = inbox.pairings.find(({ id }) => id === item.pairingId)?.clockOffsetMs ?? 0;
  return Math.max(0, item.expiresAt - (now + offset));
}

/** How an item ended, in the few words of a notification that takes the place of the first one (03 §3). */
import type { ItemRow } from '../store/index.js';
import { decodeDecision } from './stored-decision.js';

export function outcomeWords(row: ItemRow): string {
  const by = decodeDecision(row.decision).by?.name;
  if (by !== undefined && ['approved', 'rejected', 'answered'].includes(row.state))
    return `${row.state} on ${by}`;
  return row.state;
}

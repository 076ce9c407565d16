/**
 * What a person may do with an approval right now, exactly as the agent offers it (03 §5). Pure. Must not know
 * screens, nor any tool by name.
 */
import type { InboxItem } from '@countersign/client-sdk';
import { CONTENT } from '@countersign/protocol';
import { isJsonObject, offerOf } from '@countersign/protocol/payloads';

/** Why an approval is not possible at this moment. */
export type Hindrance = 'waiting' | 'unreadable' | 'altered' | 'partial' | 'expired' | 'unseen';

export interface Rule {
  readonly id: string;
  readonly label: string;
}

export interface ApprovalOffer {
  readonly once: boolean;
  readonly session: boolean;
  /** Seconds of a standing approval; undefined when none is offered. */
  readonly forSecs: number | undefined;
  readonly rules: readonly Rule[];
  readonly edit: boolean;
  readonly reason: boolean;
  readonly stop: boolean;
  readonly respond: boolean;
}

export function approvalOffer(item: Pick<InboxItem, 'entry' | 'state'>): ApprovalOffer {
  const { choices, ruleIds } = offerOf(item.entry);
  // An item that cannot be read offers nothing that can be read either.
  const has = (choice: (typeof choices)[number]) => item.state === 'open' && choices.includes(choice);
  return {
    once: has('approve'),
    session: has('approve_session'),
    forSecs: has('approve_for') ? CONTENT.quarterHourBypassSeconds : undefined,
    rules: has('approve_rule') ? rulesOf(item.entry.rules, ruleIds) : [],
    edit: has('edit'),
    reason: has('reject_with_reason'),
    stop: has('reject_and_stop'),
    respond: has('respond'),
  };
}

/** What stands in the way, the hardest first; undefined when nothing does. */
export function hindranceOf(
  item: Pick<InboxItem, 'state' | 'digest' | 'digestMatches' | 'whole' | 'risk'>,
  seen: { toItsEnd: boolean; leftMs: number },
): Hindrance | undefined {
  if (item.state === 'waiting') return 'waiting';
  if (item.state === 'unreadable') return 'unreadable';
  if (!item.digestMatches || item.digest === '') return 'altered';
  if (!item.whole) return 'partial';
  if (seen.leftMs <= 0) return 'expired';
  return item.risk === 'high' && !seen.toItsEnd ? 'unseen' : undefined;
}

function rulesOf(rules: unknown, ids: readonly string[]): Rule[] {
  const known = (Array.isArray(rules) ? rules : []).filter(isJsonObject);
  return ids.map((id) => {
    const label = known.find((rule) => rule.id === id)?.label;
    return { id, label: typeof label === 'string' && label !== '' ? label : id };
  });
}

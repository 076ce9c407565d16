/** Which answers an item offers (03 §5). Pure, shared by both ends. Must not judge answers (judge.ts). */
import { CONTENT } from '../frames/index.js';
import { isJsonObject } from './members.js';
import { CHOICES, type Choice, DEFAULT_CHOICES } from './words.js';

/** The members of an approval that say what it offers; as sent or as received. */
export interface Offering {
  choices?: unknown;
  rules?: unknown;
  input_schema?: unknown;
}

export interface Offer {
  /** Known choices only, in the order of 03 §5. */
  choices: readonly Choice[];
  /** What `approve_for` may be: any number of seconds, or only those of items without `choices`. */
  bypassSecs: 'any' | readonly number[];
  ruleIds: readonly string[];
}

/**
 * What an item offers. Absent `choices` are the default ones; a list without a known name offers nothing but what
 * always holds: a rejection. `edit` without a schema and `approve_rule` without rules are no offer. Never throws.
 */
export function offerOf(item: Offering): Offer {
  if (item.choices === undefined || item.choices === null) {
    return { choices: DEFAULT_CHOICES, bypassSecs: [CONTENT.quarterHourBypassSeconds], ruleIds: [] };
  }
  const listed: readonly unknown[] = Array.isArray(item.choices) ? item.choices : [];
  const ruleIds = ruleIdsOf(item.rules);
  const possible = (choice: Choice) => {
    if (choice === 'edit') return isJsonObject(item.input_schema);
    return choice !== 'approve_rule' || ruleIds.length > 0;
  };
  const choices = CHOICES.filter((choice) => listed.includes(choice) && possible(choice));
  return { choices, bypassSecs: 'any', ruleIds };
}

/** Whether an item offers this choice. */
export function offers(item: Offering, choice: Choice): boolean {
  return offerOf(item).choices.includes(choice);
}

function ruleIdsOf(rules: unknown): string[] {
  if (!Array.isArray(rules)) return [];
  return rules
    .map((rule: unknown) => (isJsonObject(rule) ? rule.id : undefined))
    .filter((id) => typeof id === 'string');
}

/**
 * What an approval response amounts to for the item it answers (03 §5). Pure rules that both ends share: the
 * device offers by them, the agent decides by them. Must not know receipts, clocks or storage.
 */
import { CONTENT } from '../frames/index.js';
import { type BypassVerdict, judgeBypass } from './bypass.js';
import { isJsonObject, type JsonObject } from './members.js';
import { type Offer, type Offering, offerOf } from './offer.js';
import type { Choice } from './words.js';

/** An approval response, as sent or as received. */
export interface ResponseMembers {
  decision: 'approved' | 'rejected';
  reason?: string | undefined;
  bypass_secs?: unknown;
  modified_arguments?: unknown;
  rule_id?: unknown;
  stop?: unknown;
  respond?: unknown;
}

export type ApprovedScope = 'once' | 'session' | { forSecs: number } | { ruleId: string };

export type ApprovalVerdict =
  | {
      verdict: 'approved';
      scope: ApprovedScope;
      /** Still to be validated against the item's `input_schema`. */
      modifiedArguments?: JsonObject;
      /** The host's ceiling lowered the bypass to this: the ack says so. */
      loweredToSecs?: number;
    }
  | { verdict: 'rejected'; reason?: string; stop: boolean }
  | { verdict: 'answered'; answer: string }
  /** Ack `invalid`. `member` is the part that is not offered or makes no sense. */
  | { verdict: 'invalid'; member: keyof ResponseMembers };

export interface JudgeOptions {
  /** The device named the feature `choices`: what is not offered is refused. An older one's answer is reduced. */
  namedChoices: boolean;
  /** The host's ceiling of a bypass; default 86,400 s. */
  bypassCeilingSecs?: number | undefined;
  /** How long ago it was decided, by the agent's clock; over 2 minutes it counts as once. */
  decidedAgoMs?: number | undefined;
}

/**
 * Judges a response. A plain rejection, with or without a reason, always applies, whatever stands beside it.
 * Reducing for older devices: a scope that is not offered becomes once, stop and respond a rejection; changed
 * arguments are never dropped, since something would run that nobody approved. Never throws.
 */
export function judgeApproval(
  response: ResponseMembers,
  item: Offering,
  options: JudgeOptions,
): ApprovalVerdict {
  const offer = offerOf(item);
  if (response.decision === 'approved') return judgeApproved(response, offer, options);
  if (response.respond === true) return judgeRespond(response, offer, options);
  const stop = response.stop === true;
  if (stop && !offer.choices.includes('reject_and_stop')) {
    return options.namedChoices ? invalid('stop') : rejected(response, false);
  }
  return rejected(response, stop);
}

/**
 * For a device, before it signs: the member of its response that the item does not offer, or undefined. Here a
 * reason needs its own choice too.
 */
export function notOffered(response: ResponseMembers, item: Offering): keyof ResponseMembers | undefined {
  const verdict = judgeApproval(response, item, { namedChoices: true });
  if (verdict.verdict === 'invalid') return verdict.member;
  if (verdict.verdict !== 'rejected' || verdict.stop) return undefined;
  const { choices } = offerOf(item);
  return response.reason !== undefined && !choices.includes('reject_with_reason') ? 'reason' : undefined;
}

function judgeRespond(response: ResponseMembers, offer: Offer, options: JudgeOptions): ApprovalVerdict {
  if (response.stop === true) return invalid('stop');
  if (!offer.choices.includes('respond')) {
    return options.namedChoices ? invalid('respond') : rejected(response, false);
  }
  return response.reason ? { verdict: 'answered', answer: response.reason } : invalid('reason');
}

function judgeApproved(response: ResponseMembers, offer: Offer, options: JudgeOptions): ApprovalVerdict {
  const misplaced = misplacedMember(response, offer);
  if (misplaced !== undefined) return invalid(misplaced);
  const bypass = judgeBypass(response.bypass_secs, options.bypassCeilingSecs);
  if (bypass.asks === 'invalid') return invalid('bypass_secs');
  const asked = askedScope(bypass, response.rule_id ?? undefined);
  if (asked === 'invalid') return invalid('rule_id');
  const edited = isJsonObject(response.modified_arguments) ? response.modified_arguments : undefined;
  const onceOffered = edited !== undefined || offer.choices.includes('approve');
  const refused = refusedMember(asked, bypass, offer, onceOffered);
  if (refused !== undefined && (options.namedChoices || !onceOffered)) return invalid(refused);
  const scope = refused !== undefined || isStale(options) ? 'once' : asked;
  return {
    verdict: 'approved',
    scope,
    ...(edited === undefined ? {} : { modifiedArguments: edited }),
    ...loweredTo(scope, bypass),
  };
}

/** What no approval may carry, or not this one. Changed arguments are never reduced away. */
function misplacedMember(response: ResponseMembers, offer: Offer): keyof ResponseMembers | undefined {
  if (response.stop === true) return 'stop';
  if (response.respond === true) return 'respond';
  const modified = response.modified_arguments ?? undefined;
  const allowed = modified === undefined || (isJsonObject(modified) && offer.choices.includes('edit'));
  return allowed ? undefined : 'modified_arguments';
}

/** What the response wants to last; a rule beside a bypass makes no sense. */
function askedScope(bypass: BypassVerdict, ruleId: unknown): ApprovedScope | 'invalid' {
  if (ruleId !== undefined) {
    return typeof ruleId === 'string' && bypass.asks === 'once' ? { ruleId } : 'invalid';
  }
  if (bypass.asks === 'time') return { forSecs: bypass.secs };
  return bypass.asks === 'session' ? 'session' : 'once';
}

/** The member by which a response asks for a scope that is not offered. */
function refusedMember(
  scope: ApprovedScope,
  bypass: BypassVerdict,
  offer: Offer,
  onceOffered: boolean,
): keyof ResponseMembers | undefined {
  const has = (choice: Choice) => offer.choices.includes(choice);
  if (scope === 'once') return onceOffered ? undefined : 'decision';
  if (scope === 'session') return has('approve_session') ? undefined : 'bypass_secs';
  if ('ruleId' in scope) {
    return has('approve_rule') && offer.ruleIds.includes(scope.ruleId) ? undefined : 'rule_id';
  }
  const wanted = bypass.asks === 'time' ? bypass.wanted : undefined;
  const allowed = offer.bypassSecs === 'any' || offer.bypassSecs.some((secs) => secs === wanted);
  return allowed && has('approve_for') ? undefined : 'bypass_secs';
}

function isStale(options: JudgeOptions): boolean {
  return (options.decidedAgoMs ?? 0) > CONTENT.freshAnswerMs;
}

function loweredTo(scope: ApprovedScope, bypass: BypassVerdict): { loweredToSecs?: number } {
  if (scope === 'once' || bypass.asks !== 'time' || bypass.secs === bypass.wanted) return {};
  return { loweredToSecs: bypass.secs };
}

function rejected(response: ResponseMembers, stop: boolean): ApprovalVerdict {
  return { verdict: 'rejected', stop, ...(response.reason ? { reason: response.reason } : {}) };
}

function invalid(member: keyof ResponseMembers): ApprovalVerdict {
  return { verdict: 'invalid', member };
}

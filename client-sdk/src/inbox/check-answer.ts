/**
 * Whether a person may answer an item this way, before anything is signed. Pure. Must not know keys or sockets.
 * Every refusal is a CountersignError `invalid_request` that says what to do.
 */
import { CONTENT, CountersignError } from '@countersign/protocol';
import { offerOf } from '@countersign/protocol/payloads';
import type { AnswerContent, ApproveOptions, RejectOptions } from '../api.js';
import type { StoredItem } from './inbox-records.js';

export function refuse(message: string): never {
  throw new CountersignError('invalid_request', message);
}

/** @throws CountersignError `invalid_request` unless the item is whole, undamaged, and offers this. */
export function checkApproval(item: StoredItem, options: ApproveOptions): void {
  if (item.kind !== 'approval') refuse(`This is a ${item.kind}: answer it instead of approving it.`);
  if (!item.readable)
    refuse('This app cannot read the item, so it cannot be approved here. Update the app, or reject it.');
  if (!item.digestMatches || item.digest === '') {
    refuse('The item arrived altered (its digest does not match), so it cannot be approved here. Reject it.');
  }
  if (options.shown === 'summary' && item.risk === 'high') {
    refuse('An item of high risk is approved on its whole view, not on its summary. Open it.');
  }
  if (!item.whole) refuse('Only a part of the item has arrived. Load it whole first, or reject it.');
  if (options.modifiedArguments !== undefined) offered(item, 'edit', 'change the arguments');
  checkScope(item, options);
}

/** Once, for the session, for a time, or by a rule: exactly one of them, and one the agent offers. */
function checkScope(item: StoredItem, { bypassSecs, ruleId }: ApproveOptions): void {
  if (ruleId !== undefined && bypassSecs !== undefined) refuse('Choose a rule or a time, not both.');
  if (ruleId !== undefined) checkRule(item, ruleId);
  else if (bypassSecs === undefined) offered(item, 'approve', 'approve once');
  else checkTime(item, bypassSecs);
}

function checkTime(item: StoredItem, bypassSecs: number): void {
  const max = CONTENT.maxBypassSeconds;
  if (!Number.isInteger(bypassSecs) || bypassSecs < 0 || bypassSecs > max) {
    refuse(`The time must be a whole number of seconds, from 0 (this session) to ${max}.`);
  }
  const forSession = bypassSecs === CONTENT.sessionBypassSeconds;
  if (forSession) offered(item, 'approve_session', 'approve for the session');
  else offered(item, 'approve_for', 'approve for a time');
  const { bypassSecs: lengths } = offerOf(item.entry);
  if (!forSession && lengths !== 'any' && !lengths.includes(bypassSecs)) {
    refuse(`This agent offers ${lengths.join(', ')} seconds only.`);
  }
}

function checkRule(item: StoredItem, ruleId: string): void {
  offered(item, 'approve_rule', 'approve by a rule');
  if (!offerOf(item.entry).ruleIds.includes(ruleId)) refuse('The item has no such rule.');
}

/** A rejection needs neither the whole item nor a matching digest: it always applies (02 §4). */
export function checkRejection(item: StoredItem, { reason, stop, respond }: RejectOptions): void {
  if (item.kind !== 'approval') refuse(`This is a ${item.kind}: answer it instead of rejecting it.`);
  if (item.entry.request_id !== item.requestId) refuse('The item has no id: nothing can be answered to it.');
  const hasReason = reason !== undefined && reason !== '';
  if (stop === true && respond === true) refuse('Choose to stop the run or to answer, not both.');
  if (respond === true && !hasReason) refuse('An answer needs its text.');
  if (respond === true) offered(item, 'respond', 'answer instead of deciding');
  else if (stop === true) offered(item, 'reject_and_stop', 'stop the run');
  // An unreadable item offers nothing that can be read; refusing it is always possible.
  else if (hasReason && item.readable) offered(item, 'reject_with_reason', 'give a reason');
}

export function checkContent(item: StoredItem, content: AnswerContent): void {
  if (item.kind !== content.kind) refuse(`This is a ${item.kind}, not a ${content.kind}.`);
  if (!item.readable) refuse('This app cannot read the item, so it cannot be answered here. Update the app.');
  if (content.kind === 'elicitation' && content.action === 'accept') checkMembers(item, content.content);
}

/** Without a form, the one member is named by the item (03 §5). */
function checkMembers(item: StoredItem, content: Record<string, unknown>): void {
  if (item.entry.requested_schema !== undefined && item.entry.requested_schema !== null) return;
  const name = answerField(item);
  if (Object.keys(content).some((key) => key !== name)) refuse(`The answer has one member, named "${name}".`);
}

export function answerField(item: StoredItem): string {
  const { field_name } = item.entry;
  return typeof field_name === 'string' && field_name !== '' ? field_name : 'value';
}

function offered(item: StoredItem, choice: string, what: string): void {
  if (!item.choices.includes(choice)) refuse(`The agent does not offer to ${what} here.`);
}

/** What an answer to each kind of item amounts to (03 §5). Pure but for validating; must not store or send. */
import { freezeArguments } from '@countersign/protocol/e2e';
import {
  elicitationContent,
  judgeApproval,
  type ReceivedApprovalResponse,
  type ReceivedClarificationResponse,
  type ReceivedElicitationResponse,
} from '@countersign/protocol/payloads';
import { grantedBypass } from './bypasses.js';
import { compileSchema } from './json-schema.js';
import { approver, INVALID, type JudgeContext, type Judgement, mayAct } from './judgement.js';

export function judgeApprovalAnswer(response: ReceivedApprovalResponse, context: JudgeContext): Judgement {
  const { entry, device, receipt, now, policy } = context;
  const verdict = judgeApproval(response, entry, {
    namedChoices: device.features.has('choices'),
    bypassCeilingSecs: policy.bypassCeilingSecs,
    // A decision of the future is no fresher than one of the past: whoever held it back must not gain by its clock.
    decidedAgoMs: receipt.state === 'ok' ? Math.abs(now - receipt.receipt.decided_at) : undefined,
  });
  const by = approver(device);
  switch (verdict.verdict) {
    case 'invalid':
      return INVALID;
    case 'rejected':
      return { state: 'rejected', decision: { ...by, reason: verdict.reason, stop: verdict.stop }, receipt };
    case 'answered':
      // The words go to the model as a result only when they are countersigned; the refusal holds in any case.
      return mayAct(context)
        ? { state: 'answered', decision: { ...by, answer: verdict.answer }, receipt }
        : { state: 'rejected', decision: { ...by, reason: verdict.answer, stop: false }, receipt };
    case 'approved':
      return mayAct(context) && shownEnough(context) ? approve(verdict, context) : INVALID;
  }
}

type Approved = Extract<ReturnType<typeof judgeApproval>, { verdict: 'approved' }>;

function approve(verdict: Approved, context: JudgeContext): Judgement {
  const { entry, device, receipt, now } = context;
  const { scope, modifiedArguments, loweredToSecs } = verdict;
  if (modifiedArguments !== undefined && !isValidEdit(modifiedArguments, entry.input_schema)) return INVALID;
  return {
    state: 'approved',
    decision: { ...approver(device), scope, modified: modifiedArguments !== undefined },
    receipt,
    runArguments: modifiedArguments,
    bypass: grantedBypass(scope, entry, device.id, now),
    loweredToSecs,
  };
}

/** A decision taken on a notification's summary is good for low and normal risk (03 §5). */
function shownEnough({ receipt, entry }: JudgeContext): boolean {
  return receipt.state !== 'ok' || receipt.receipt.shown === 'full' || entry.risk !== 'high';
}

/** What runs is exactly what was sent back, so it must be a call that can be frozen like any other. */
function isValidEdit(modified: Record<string, unknown>, schema: unknown): boolean {
  if (typeof schema !== 'object' || schema === null) return false;
  try {
    if (freezeArguments({ arguments: modified }).arguments === undefined) return false;
    return compileSchema(schema as Record<string, unknown>, 'inputSchema')(modified);
  } catch {
    return false;
  }
}

export function judgeClarificationAnswer(
  response: ReceivedClarificationResponse,
  context: JudgeContext,
): Judgement {
  if (response.answer === '' || !mayAct(context)) return INVALID;
  const decision = { ...approver(context.device), answer: response.answer };
  return { state: 'answered', decision, receipt: context.receipt };
}

export function judgeElicitationAnswer(
  response: ReceivedElicitationResponse,
  context: JudgeContext,
): Judgement {
  const { device, entry, receipt, row } = context;
  const decision = { ...approver(device), action: response.action };
  if (response.action !== 'accept') return { state: 'answered', decision, receipt };
  const content = elicitationContent(entry, response) ?? {};
  if (!mayAct(context) || !isAskedFor(content, entry)) return INVALID;
  return row.sensitive === 1
    ? { state: 'answered', decision, receipt, secret: content }
    : { state: 'answered', decision: { ...decision, content }, receipt };
}

/** By the schema if there is one, else the one field; a confirmation or a visited address may come without. */
function isAskedFor(content: Record<string, unknown>, entry: Record<string, unknown>): boolean {
  const schema = entry.requested_schema;
  if (typeof schema === 'object' && schema !== null) {
    return compileSchema(schema as Record<string, unknown>, 'requestedSchema')(content);
  }
  const values = Object.values(content);
  if (values.length === 0) return entry.is_confirmation === true || typeof entry.url === 'string';
  return values.every((value) => ['string', 'number', 'boolean'].includes(typeof value));
}

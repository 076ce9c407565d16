/**
 * An approval request as the entry devices see (03 §2): arguments frozen, view described, every member checked.
 * Must not know stores or devices.
 */
import { CONTENT, type CountersignError } from '@countersign/protocol';
import {
  degradeView,
  escapeToLine,
  isSummaryLine,
  summaryLine,
  titleLine,
  toWellFormed,
  type View,
  viewSchema,
} from '@countersign/protocol/blocks';
import { type FrozenArguments, freezeArguments } from '@countersign/protocol/e2e';
import { CHOICES, RISKS } from '@countersign/protocol/payloads';
import type { ApprovalRequest } from '../api.js';
import type { Unfrozen } from './frozen-item.js';
import { compileSchema } from './json-schema.js';
import {
  expiryOf,
  jsonCopy,
  nameOf,
  newRequestId,
  optionalName,
  present,
  refuse,
  wellFormedDeep,
} from './request-checks.js';
import { MAX_RULES } from './request-limits.js';
import type { Words } from './wording.js';

export interface FreezeContext {
  readonly now: number;
  readonly label: string;
  readonly words: Words;
}

/** What is described: a tool's name and its frozen arguments. */
export interface FrozenCall {
  readonly toolName: string;
  readonly frozen: FrozenArguments;
}

/** @throws CountersignError `invalid_request` naming the member, `payload_too_large`. */
export function frozenCall(request: ApprovalRequest): FrozenCall {
  return { toolName: nameOf(request.toolName, 'toolName'), frozen: argumentsOf(request) };
}

/** @throws CountersignError `invalid_request` naming the member. */
export function approvalEntry(
  request: ApprovalRequest,
  { toolName, frozen }: FrozenCall,
  context: FreezeContext,
): Unfrozen {
  const given = riskOf(request.risk);
  const view = viewOf(request, toolName, context.words, given === undefined);
  const entry = present({
    request_id: newRequestId('approval'),
    tool_name: toolName,
    agent_label: context.label,
    summary: view.summary,
    blocks: view,
    ...(frozen.arguments === undefined
      ? { arguments_text: frozen.argumentsText }
      : { arguments: frozen.arguments }),
    detail: request.detail === undefined ? undefined : toWellFormed(String(request.detail)),
    created_at: context.now,
    expires_at: context.now + expiryOf(request.expiresInMs, defaultExpiry(given)),
    risk: given ?? context.words.risk.level,
    session_id: optionalName(request.sessionId, 'sessionId'),
    call_id: optionalName(request.callId, 'callId'),
    ...offerOf(request),
  });
  return { kind: 'approval', entry, toolName };
}

function argumentsOf(request: ApprovalRequest): FrozenArguments {
  if (request.argumentsText === undefined) return freezeArguments({ arguments: request.arguments ?? {} });
  if (request.arguments !== undefined) throw refuse('argumentsText', 'cannot stand beside arguments');
  if (typeof request.argumentsText !== 'string') throw refuse('argumentsText', 'must be a text');
  return freezeArguments({ argumentsText: request.argumentsText });
}

function riskOf(risk: ApprovalRequest['risk']) {
  if (risk === undefined) return undefined;
  const known = RISKS.find((one) => one === risk);
  if (known === undefined) throw refuse('risk', 'must be low, normal or high');
  return known;
}

/** By the host's own word alone: an estimate lets nothing expire sooner. */
function defaultExpiry(risk: string | undefined): number {
  return risk === 'high' ? CONTENT.defaultHighRiskExpiresInMs : CONTENT.defaultExpiresInMs;
}

/** The host's own view if it gave one that can be sent, else the described one; no approval leaves without. */
function viewOf(request: ApprovalRequest, toolName: string, words: Words, estimated: boolean): View {
  const described = estimated ? withReasons(words) : words.view;
  const own = request.summary === undefined ? undefined : summaryLine(toWellFormed(request.summary));
  const summary = own || described.summary || summaryLine(toolName);
  if (request.blocks === undefined) return { ...described, summary };
  const given = degradeView(jsonCopyOfView(request.blocks), { summary }).view;
  const checked = viewSchema.safeParse({ ...given, summary });
  if (!checked.success) throw refuse('blocks', 'must be a view or a list of blocks');
  return checked.data;
}

/** Whether a host's summary is too long to be shown whole: devices and pushes get its beginning. */
export function isShortened(summary: string | undefined): boolean {
  return summary !== undefined && !isSummaryLine(escapeToLine(toWellFormed(summary)));
}

/** An estimate explains itself where it asks for care. */
function withReasons({ view, risk }: Words): View {
  if (risk.level !== 'high' || risk.reasons.length === 0) return view;
  const why = { type: 'key_value' as const, key: 'High risk', value: risk.reasons.join('\n') };
  return { ...view, blocks: [why, ...view.blocks] };
}

function jsonCopyOfView(blocks: unknown): unknown {
  try {
    return wellFormedDeep(JSON.parse(JSON.stringify(blocks)));
  } catch {
    throw refuse('blocks', 'must be JSON');
  }
}

function offerOf(request: ApprovalRequest) {
  const choices = choicesOf(request.choices);
  const rules = rulesOf(request.rules);
  if (choices?.includes('edit') && request.inputSchema === undefined) {
    throw refuse('choices', 'can hold edit only with inputSchema');
  }
  if (choices?.includes('approve_rule') && rules === undefined) {
    throw refuse('choices', 'can hold approve_rule only with rules');
  }
  return { choices, input_schema: schemaOf(request.inputSchema), rules };
}

function choicesOf(choices: ApprovalRequest['choices']) {
  if (choices === undefined) return undefined;
  const known = CHOICES.filter((choice) => choices.includes(choice));
  if (known.length === 0 || known.length !== new Set(choices).size) throw unknownChoice();
  return known;
}

function unknownChoice(): CountersignError {
  return refuse('choices', `must be some of ${CHOICES.join(', ')}`);
}

function schemaOf(schema: Record<string, unknown> | undefined) {
  if (schema === undefined) return undefined;
  const copy = jsonCopy(schema, 'inputSchema');
  compileSchema(copy, 'inputSchema');
  return copy;
}

function rulesOf(rules: ApprovalRequest['rules']) {
  if (rules === undefined || rules.length === 0) return undefined;
  if (rules.length > MAX_RULES) throw refuse('rules', `must be at most ${MAX_RULES}`);
  const checked = rules.map(({ id, label }) => ({
    id: nameOf(id, 'rules.id'),
    label: titleLine(nameOf(label, 'rules.label')),
  }));
  if (new Set(checked.map(({ id }) => id)).size !== checked.length)
    throw refuse('rules', 'must have different ids');
  return checked;
}

/** Clarifications and elicitations as the entries devices see (03 §2). Must not know stores or devices. */
import { CONTENT, parseUrl } from '@countersign/protocol';
import { toWellFormed } from '@countersign/protocol/blocks';
import type { ClarificationRequest, ElicitationRequest } from '../api.js';
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
  textOf,
} from './request-checks.js';
import { MAX_QUESTION_BYTES, MAX_SUGGESTIONS } from './request-limits.js';

interface Context {
  readonly now: number;
  readonly label: string;
}

/** @throws CountersignError `invalid_request` naming the member. */
export function clarificationEntry(request: ClarificationRequest, context: Context): Unfrozen {
  const entry = present({
    request_id: newRequestId('clarification'),
    question: textOf(request.question, 'question', MAX_QUESTION_BYTES),
    context: request.context === undefined ? undefined : toWellFormed(String(request.context)),
    suggested_answers: suggestionsOf(request.suggestedAnswers),
    agent_label: context.label,
    created_at: context.now,
    expires_at: context.now + expiryOf(request.expiresInMs, CONTENT.defaultExpiresInMs),
  });
  return { kind: 'clarification', entry };
}

function suggestionsOf(answers: ClarificationRequest['suggestedAnswers']): string[] | undefined {
  if (answers === undefined) return undefined;
  if (answers.length > MAX_SUGGESTIONS)
    throw refuse('suggestedAnswers', `must be at most ${MAX_SUGGESTIONS}`);
  return answers.map((answer) => textOf(answer, 'suggestedAnswers', MAX_QUESTION_BYTES));
}

/** @throws CountersignError `invalid_request` naming the member. */
export function elicitationEntry(request: ElicitationRequest, context: Context): Unfrozen {
  const sensitive = request.sensitive ?? false;
  const entry = present({
    request_id: newRequestId('elicitation'),
    server_name: nameOf(request.serverName, 'serverName'),
    message: textOf(request.message, 'message', MAX_QUESTION_BYTES),
    field_name: optionalName(request.fieldName, 'fieldName') ?? null,
    sensitive,
    is_confirmation: request.isConfirmation ?? false,
    requested_schema: requestedSchema(request.requestedSchema),
    url: urlOf(request.url),
    created_at: context.now,
    expires_at: context.now + expiryOf(request.expiresInMs, CONTENT.defaultExpiresInMs),
  });
  return { kind: 'elicitation', entry, sensitive };
}

const PRIMITIVES: ReadonlySet<unknown> = new Set(['string', 'number', 'integer', 'boolean', 'array']);

/** A flat object, as MCP's form mode has it; `array` is a choice of several strings. */
function requestedSchema(schema: Record<string, unknown> | undefined) {
  if (schema === undefined) return undefined;
  const copy = jsonCopy(schema, 'requestedSchema');
  const { properties } = copy;
  const flat =
    typeof properties === 'object' &&
    properties !== null &&
    Object.values(properties).every((one) => PRIMITIVES.has((one as { type?: unknown } | null)?.type));
  if (!flat) throw refuse('requestedSchema', 'must describe an object whose members are no objects');
  compileSchema(copy, 'requestedSchema');
  return copy;
}

function urlOf(url: string | undefined): string | undefined {
  if (url === undefined) return undefined;
  if (parseUrl(url)?.protocol !== 'https:') throw refuse('url', 'must begin with https://');
  return textOf(url, 'url', MAX_QUESTION_BYTES);
}

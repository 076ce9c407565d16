/**
 * The entries of an `inbox_update` (03 §2): as senders write them, and the same shapes widened for receivers. Must
 * not know how items are sealed, cut or decided.
 */

import { z } from 'zod';
import { viewSchema } from '../blocks/index.js';
import { parseUrl } from '../frames/index.js';
import {
  anyHex,
  anyId,
  anyText,
  anyTime,
  anything,
  hex64,
  id,
  jsonObject,
  orAbsent,
  shownSummary,
  shownTitle,
  someText,
  summary,
  text,
  title,
  unixMs,
  wideObject,
} from './members.js';
import { CHOICES, type ItemKind, REQUEST_ID_PREFIX, RISKS } from './words.js';

const ruleSchema = z.strictObject({ id, label: title });

/** An id of ours: never reused, and its prefix says what it names. */
function requestId(kind: ItemKind) {
  return text.regex(
    new RegExp(`^${REQUEST_ID_PREFIX[kind]}.`),
    `does not begin with ${REQUEST_ID_PREFIX[kind]}`,
  );
}

/** Members every item has. */
const common = {
  created_at: unixMs,
  expires_at: unixMs,
  digest: hex64.optional(),
  truncated: z.boolean().optional(),
};

const approval = {
  ...common,
  request_id: requestId('approval'),
  tool_name: someText,
  agent_label: title,
  summary,
  blocks: viewSchema.optional(),
  arguments: jsonObject.optional(),
  arguments_text: text.optional(),
  detail: text.optional(),
  risk: z.enum(RISKS).optional(),
  session_id: id.optional(),
  call_id: id.optional(),
  choices: z.array(z.enum(CHOICES)).min(1).optional(),
  input_schema: jsonObject.optional(),
  rules: z.array(ruleSchema).optional(),
};

const clarification = {
  ...common,
  request_id: requestId('clarification'),
  question: someText,
  context: text.optional(),
  suggested_answers: z.array(text).optional(),
  agent_label: title,
};

const httpsUrl = text.refine(
  (url) => url.startsWith('https://') && parseUrl(url) !== undefined,
  'is not an https URL',
);

const elicitation = {
  ...common,
  request_id: requestId('elicitation'),
  server_name: someText,
  message: text,
  /** Null: the answer's member is named `value`. */
  field_name: text.nullable(),
  sensitive: z.boolean(),
  is_confirmation: z.boolean(),
  requested_schema: jsonObject.optional(),
  url: httpsUrl.optional(),
};

export const approvalSchema = z
  .strictObject(approval)
  .refine((item) => item.arguments === undefined || item.arguments_text === undefined, {
    path: ['arguments_text'],
    error: 'stands beside arguments',
  });
export const clarificationSchema = z.strictObject(clarification);
export const elicitationSchema = z.strictObject(elicitation);

export type ApprovalItem = z.infer<typeof approvalSchema>;
export type ClarificationItem = z.infer<typeof clarificationSchema>;
export type ElicitationItem = z.infer<typeof elicitationSchema>;
export type Item = ApprovalItem | ClarificationItem | ElicitationItem;

const wideTexts = orAbsent(
  z.array(z.unknown()).transform((list) => list.filter((one) => typeof one === 'string')),
);

const wideRules = orAbsent(
  z
    .array(z.unknown())
    .transform((list) => list.map((rule) => wideRule.safeParse(rule)).flatMap((rule) => rule.data ?? [])),
);
const wideRule = wideObject({ id: anyId, label: anyText });

const wideCommon = {
  request_id: anyId,
  created_at: anyTime,
  expires_at: anyTime.optional(),
  digest: anyHex.optional(),
  truncated: orAbsent(z.boolean()),
};

/** `blocks` is read by `degradeView(item.blocks, {v: item.v, summary: item.summary})`. */
export const receivedApprovalSchema = wideObject({
  ...approval,
  ...wideCommon,
  tool_name: anyText,
  agent_label: shownTitle,
  summary: shownSummary,
  blocks: anything,
  v: anything,
  arguments_text: anyText.optional(),
  detail: orAbsent(anyText),
  /** A risk nobody knows is taken as the highest. */
  risk: z.enum(RISKS).optional().catch('high'),
  session_id: orAbsent(anyId),
  call_id: orAbsent(anyId),
  choices: z.array(z.unknown()).optional().catch([]),
  input_schema: orAbsent(jsonObject),
  rules: wideRules,
});

export const receivedClarificationSchema = wideObject({
  ...clarification,
  ...wideCommon,
  question: anyText,
  context: orAbsent(anyText),
  suggested_answers: wideTexts,
  agent_label: shownTitle.optional().catch(undefined),
});

export const receivedElicitationSchema = wideObject(
  {
    ...elicitation,
    ...wideCommon,
    server_name: anyText,
    message: anyText,
    field_name: z.string().nullable().default(null),
    sensitive: z.boolean().default(false),
    is_confirmation: z.boolean().default(false),
    requested_schema: orAbsent(jsonObject),
  },
  ['field_name'],
);

export type ReceivedApproval = z.infer<typeof receivedApprovalSchema>;
export type ReceivedClarification = z.infer<typeof receivedClarificationSchema>;
export type ReceivedElicitation = z.infer<typeof receivedElicitationSchema>;

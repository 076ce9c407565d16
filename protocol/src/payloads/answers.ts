/**
 * What a device answers and what the agent says became of it (03 §5): as senders write it, and widened for
 * receivers. Must not know whether an answer is offered (judge.ts) nor whether a receipt holds (e2e).
 */
import { z } from 'zod';
import { CONTENT } from '../frames/index.js';
import {
  anyId,
  anyText,
  anyTime,
  anything,
  count,
  hex64,
  hex128,
  id,
  isJsonObject,
  jsonObject,
  orAbsent,
  shownTitle,
  text,
  unixMs,
} from './members.js';
import { ACK_STATUSES, ITEM_KINDS, OUTCOMES } from './words.js';

/** A receipt of 02 §4. */
export const receiptSchema = z.strictObject({
  v: z.literal(1),
  alg: z.literal('ed25519'),
  namespace_id: hex64,
  device: hex64,
  kind: z.enum(ITEM_KINDS),
  request_id: id,
  item_digest: hex64,
  answer: jsonObject,
  shown: z.enum(['full', 'summary']),
  decided_at: unixMs,
  sig: hex128,
});
export type ReceiptPayload = z.infer<typeof receiptSchema>;

const receipt = { receipt: receiptSchema.optional() };

const approvalResponse = {
  request_id: id,
  decision: z.enum(['approved', 'rejected']),
  reason: text.optional(),
  bypass_secs: z.int().min(0).max(CONTENT.maxBypassSeconds).optional(),
  modified_arguments: jsonObject.optional(),
  rule_id: id.optional(),
  stop: z.boolean().optional(),
  respond: z.boolean().optional(),
  ...receipt,
};

const elicitationResponse = {
  request_id: id,
  action: z.enum(['accept', 'decline', 'cancel']),
  content: jsonObject.optional(),
  ...receipt,
};

export const answerShapes = {
  approval_response: approvalResponse,
  clarification_response: { request_id: id, answer: text, ...receipt },
  elicitation_response: elicitationResponse,
  ack: {
    ref_id: id,
    /** Absent only where the acknowledged payload names no item (`bypass_end`). */
    request_id: id.optional(),
    status: z.enum(ACK_STATUSES),
    outcome: z.enum(OUTCOMES).optional(),
    /** Name of the device that decided. */
    by: text.optional(),
    /** The agent's clock, unix ms. */
    now: unixMs.optional(),
    /** What a bypass was lowered to. */
    bypass_secs: z.int().nonnegative().optional(),
  },
};

/** Kept as it came: a receipt that is present is always checked, by e2e, on the received value. */
const wideReceipt = { receipt: anything };

/**
 * Wide on purpose: a rejection must come through whatever stands beside it, and what an approval carries is judged
 * (`judgeApproval`), not dropped.
 */
export const receivedAnswerShapes = {
  approval_response: {
    request_id: anyId,
    decision: approvalResponse.decision,
    reason: orAbsent(anyText),
    bypass_secs: anything,
    modified_arguments: anything,
    rule_id: anything,
    stop: anything,
    respond: anything,
    ...wideReceipt,
  },
  clarification_response: { request_id: anyId, answer: anyText, ...wideReceipt },
  elicitation_response: {
    request_id: anyId,
    action: elicitationResponse.action,
    content: orAbsent(jsonObject),
    ...wideReceipt,
  },
  ack: {
    ref_id: anyId,
    request_id: orAbsent(anyId),
    status: z.enum(ACK_STATUSES),
    outcome: orAbsent(anyText),
    by: orAbsent(shownTitle),
    now: orAbsent(anyTime),
    bypass_secs: orAbsent(count),
  },
};

/** Members whose null is not absence: a `bypass_secs` of null is invalid (03 §5). */
export const ANSWER_NULLS: readonly string[] = ['bypass_secs'];

/** What contradicts itself in an approval response of ours, or undefined. Names the member. */
export function contradiction(response: Readonly<Record<string, unknown>>): string | undefined {
  const approved = response.decision === 'approved';
  const forbidden = approved ? ['stop', 'respond'] : ['bypass_secs', 'modified_arguments', 'rule_id'];
  const misplaced = forbidden.find((name) => response[name] !== undefined && response[name] !== false);
  if (misplaced !== undefined) return misplaced;
  if (response.bypass_secs !== undefined && response.rule_id !== undefined) return 'rule_id';
  if (response.respond !== true) return undefined;
  return response.stop === true ? 'stop' : response.reason ? undefined : 'reason';
}

/**
 * The content that counts in an answer to an elicitation: only with accept, and only the members the item asked
 * for: those of its `requested_schema`, else its `field_name`, else `value`. Anything else is dropped.
 */
export function elicitationContent(
  item: { field_name?: string | null | undefined; requested_schema?: unknown },
  response: { action: string; content?: unknown },
): Record<string, unknown> | undefined {
  if (response.action !== 'accept' || !isJsonObject(response.content)) return undefined;
  const content = response.content;
  const wanted = wantedNames(item).filter((name) => Object.hasOwn(content, name));
  return Object.fromEntries(wanted.map((name) => [name, content[name]]));
}

function wantedNames(item: { field_name?: string | null | undefined; requested_schema?: unknown }): string[] {
  const schema = item.requested_schema;
  const properties = isJsonObject(schema) ? schema.properties : undefined;
  return isJsonObject(properties) ? Object.keys(properties) : [item.field_name ?? 'value'];
}

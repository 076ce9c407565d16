/**
 * The payload of an answer with its receipt (02 §4, 03 §5). Must not know how it is sent.
 */
import { CountersignError, SEAL, utf8 } from '@countersign/protocol';
import { toWellFormed } from '@countersign/protocol/blocks';
import { receiptAnswer, signReceipt } from '@countersign/protocol/e2e';
import { JsonError } from '@countersign/protocol/json';
import { checkSend } from '@countersign/protocol/payloads';
import type { AnswerContent, ApproveOptions, RejectOptions } from '../api.js';
import type { StoredItem } from './inbox-records.js';

/** What signs: the device, and whose clock it writes. */
export interface Signer {
  namespaceId: string;
  deviceId: string;
  ed25519Secret: Uint8Array;
}

export interface Envelope {
  id: string;
  /** Unix ms as the envelope says. */
  ts: number;
  /** Unix ms of the agent's clock. */
  decidedAt: number;
}

export type Members = Record<string, unknown>;

export function approvalMembers(item: StoredItem, options: ApproveOptions): Members {
  return {
    request_id: item.requestId,
    decision: 'approved',
    ...(options.bypassSecs === undefined ? {} : { bypass_secs: options.bypassSecs }),
    ...(options.ruleId === undefined ? {} : { rule_id: options.ruleId }),
    ...(options.modifiedArguments === undefined ? {} : { modified_arguments: options.modifiedArguments }),
  };
}

export function rejectionMembers(item: StoredItem, options: RejectOptions): Members {
  return {
    request_id: item.requestId,
    decision: 'rejected',
    ...(options.reason === undefined || options.reason === ''
      ? {}
      : { reason: toWellFormed(options.reason) }),
    ...(options.stop === true ? { stop: true } : {}),
    ...(options.respond === true ? { respond: true } : {}),
  };
}

export function contentMembers(item: StoredItem, content: AnswerContent): Members {
  if (content.kind === 'clarification') {
    return { request_id: item.requestId, answer: toWellFormed(content.answer) };
  }
  if (content.action !== 'accept') return { request_id: item.requestId, action: content.action };
  return { request_id: item.requestId, action: 'accept', content: textual(content.content) };
}

/** Bytes are a secret's UTF-8; they become text only here, right before sealing. */
function textual(content: Record<string, unknown>): Record<string, unknown> {
  const decoder = new TextDecoder();
  return Object.fromEntries(
    Object.entries(content).map(([key, value]) => [
      key,
      value instanceof Uint8Array ? decoder.decode(value) : value,
    ]),
  );
}

/** Overwrites the byte arrays a caller passed in a secret answer. */
export function wipeContent(content: AnswerContent): void {
  if (content.kind !== 'elicitation' || content.action !== 'accept') return;
  for (const value of Object.values(content.content)) if (value instanceof Uint8Array) value.fill(0);
}

/**
 * The complete payload. @throws CountersignError `payload_too_large` when no channel carries it (before anything is
 * signed), `invalid_request` when a member is not what the protocol allows.
 */
export async function composeAnswer(
  item: StoredItem,
  members: Members,
  envelope: Envelope,
  signer: Signer,
  options: { shown: 'full' | 'summary' },
): Promise<{ payload: Record<string, unknown>; fitsQueue: boolean }> {
  const bare = { v: 1, kind: `${item.kind}_response`, id: envelope.id, ts: envelope.ts, ...members };
  // A digest that cannot be computed leaves nothing to sign; only a rejection gets here, and it always applies.
  const unsigned =
    item.digest === ''
      ? undefined
      : await receiptOf(item, members, envelope, signer, options.shown).catch(asRequestError);
  const size = jsonBytes({ ...bare, ...(unsigned && { receipt: { ...unsigned, sig: '0'.repeat(128) } }) });
  if (size > SEAL.maxLivePlaintextBytes - SEAL.headerBytes) throw tooLarge();
  const payload =
    unsigned === undefined ? bare : { ...bare, receipt: await signReceipt(unsigned, signer.ed25519Secret) };
  checkSend(payload);
  return { payload, fitsQueue: size <= SEAL.maxQueuedPlaintextBytes - SEAL.headerBytes };
}

async function receiptOf(
  item: StoredItem,
  members: Members,
  envelope: Envelope,
  signer: Signer,
  shown: 'full' | 'summary',
) {
  return {
    v: 1 as const,
    alg: 'ed25519' as const,
    namespace_id: signer.namespaceId,
    device: signer.deviceId,
    kind: item.kind,
    request_id: item.requestId,
    item_digest: item.digest,
    answer: await receiptAnswer(members, sensitiveFields(item, members)),
    shown,
    decided_at: envelope.decidedAt,
  };
}

export function isSensitive(item: StoredItem): boolean {
  return item.kind === 'elicitation' && item.entry.sensitive === true;
}

function sensitiveFields(item: StoredItem, members: Members): string[] {
  const { content } = members;
  return isSensitive(item) && typeof content === 'object' && content !== null ? Object.keys(content) : [];
}

function asRequestError(error: unknown): never {
  if (!(error instanceof JsonError)) throw error;
  throw new CountersignError('invalid_request', `The changed arguments are not JSON (${error.code}).`);
}

function jsonBytes(value: unknown): number {
  return utf8(JSON.stringify(value)).length;
}

function tooLarge(): CountersignError {
  return new CountersignError('payload_too_large', 'The answer is too long to be sent. Shorten it.', {
    details: { limitBytes: SEAL.maxLivePlaintextBytes },
  });
}

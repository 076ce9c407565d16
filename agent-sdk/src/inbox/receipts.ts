/**
 * Whether an answer is countersigned for just this item and just this answer (02 §4). Must not decide what an
 * answer without one is worth.
 */
import { fromHex, toHex, WIRE } from '@countersign/protocol';
import { type Receipt, receiptAnswer, verifyReceipt } from '@countersign/protocol/e2e';
import { canonicalize, JsonError } from '@countersign/protocol/json';
import type { ItemKind } from '../store/index.js';

export type ReceiptCheck = { state: 'absent' } | { state: 'bad' } | { state: 'ok'; receipt: Receipt };

export interface ReceiptContext {
  readonly namespaceId: Uint8Array;
  /** Ed25519 key, hex. */
  readonly device: string;
  readonly kind: ItemKind;
  readonly requestId: string;
  /** Digests of the item in the forms it goes out in. */
  readonly digests: readonly (string | null)[];
  /** Members of `content` that no receipt holds. */
  readonly sensitiveFields: readonly string[];
}

/** @param response the answer as parsed, before any schema. Never throws. */
export async function checkReceipt(
  response: Readonly<Record<string, unknown>>,
  context: ReceiptContext,
): Promise<ReceiptCheck> {
  const { receipt } = response;
  if (receipt === undefined || receipt === null) return { state: 'absent' };
  const key = fromHex(context.device, WIRE.ed25519PublicBytes);
  if (key === undefined || (await verifyReceipt(receipt, key)) !== 'ok') return { state: 'bad' };
  const signed = receipt as Receipt;
  const fits = namesThis(signed, context) && (await signsThis(signed, response, context));
  return fits ? { state: 'ok', receipt: signed } : { state: 'bad' };
}

function namesThis(receipt: Receipt, context: ReceiptContext): boolean {
  return (
    receipt.namespace_id.toLowerCase() === toHex(context.namespaceId) &&
    receipt.kind === context.kind &&
    receipt.request_id === context.requestId &&
    context.digests.includes(receipt.item_digest.toLowerCase())
  );
}

async function signsThis(
  receipt: Receipt,
  response: Readonly<Record<string, unknown>>,
  context: ReceiptContext,
): Promise<boolean> {
  try {
    const answered = await receiptAnswer(response, context.sensitiveFields);
    return canonicalize(receipt.answer) === canonicalize(answered);
  } catch (error) {
    if (error instanceof JsonError) return false;
    throw error;
  }
}

/**
 * Receipts: a device's signature over what was shown and what was answered (02 §4). Must not know whether an answer
 * is acceptable: the agent compares digest, answer and time itself.
 */
import { cryptoReady, ED25519_SIGNATURE_BYTES, signEd25519, verifyEd25519 } from '../auth/index.js';
import { bytesEqual, concatBytes, fromHex, toHex, utf8, WIRE } from '../frames/index.js';
import { canonicalize, isPlainObject, JsonError } from '../json/index.js';
import { argsDigest, type ItemKindName, type JsonObject, without } from './freeze.js';

export interface UnsignedReceipt {
  v: 1;
  alg: 'ed25519';
  /** Hex, 64 characters each. */
  namespace_id: string;
  device: string;
  kind: ItemKindName;
  request_id: string;
  item_digest: string;
  /** As {@link receiptAnswer} gives it. */
  answer: JsonObject;
  shown: 'full' | 'summary';
  /** Unix ms of the agent's clock. */
  decided_at: number;
}

export interface Receipt extends UnsignedReceipt {
  /** Hex, 128 characters. */
  sig: string;
}

const RECEIPT_TAG = utf8('countersign-receipt-v1');
const ZERO = new Uint8Array(1);
const HASH_BYTES = 32;
const SIG: ReadonlySet<string> = new Set(['sig']);
const NOT_ANSWER: ReadonlySet<string> = new Set(['v', 'kind', 'id', 'ts', 'receipt']);
const KINDS: ReadonlySet<unknown> = new Set(['approval', 'clarification', 'elicitation']);

/**
 * The `answer` of a receipt: every member of the response but envelope and receipt, `modified_arguments` replaced by
 * its digest, and the members of `content` named in `sensitiveFields` left out.
 * @throws JsonError when `modified_arguments` is not JSON.
 */
export async function receiptAnswer(
  response: object,
  sensitiveFields: readonly string[] = [],
): Promise<JsonObject> {
  const answer = without(response, NOT_ANSWER);
  if (Object.hasOwn(answer, 'modified_arguments')) {
    answer.modified_arguments = await argsDigest(answer.modified_arguments);
  }
  const { content } = answer;
  if (typeof content === 'object' && content !== null && !Array.isArray(content)) {
    answer.content = without(content, new Set(sensitiveFields));
  }
  return answer as JsonObject;
}

/** "countersign-receipt-v1" ‖ 0 ‖ JCS(receipt without sig). */
function signedBytes(receipt: object): Uint8Array {
  return concatBytes(RECEIPT_TAG, ZERO, utf8(canonicalize(without(receipt, SIG))));
}

/** Signs with the device's Ed25519 secret key or seed. @throws JsonError when the answer is not JSON. */
export async function signReceipt(unsigned: UnsignedReceipt, ed25519Secret: Uint8Array): Promise<Receipt> {
  await cryptoReady;
  return { ...unsigned, sig: toHex(signEd25519(signedBytes(unsigned), ed25519Secret)) };
}

/** Members this version does not know are allowed: the signature covers them. */
export function isReceipt(value: unknown): value is Receipt {
  if (typeof value !== 'object' || value === null || !isPlainObject(value)) return false;
  const { v, alg, kind, request_id, answer, shown, decided_at } = value;
  return (
    v === 1 &&
    alg === 'ed25519' &&
    KINDS.has(kind) &&
    typeof request_id === 'string' &&
    request_id !== '' &&
    typeof answer === 'object' &&
    answer !== null &&
    isPlainObject(answer) &&
    (shown === 'full' || shown === 'summary') &&
    Number.isSafeInteger(decided_at) &&
    (decided_at as number) >= 0 &&
    hasHexMembers(value)
  );
}

function hasHexMembers(value: Record<string, unknown>): boolean {
  return (
    fromHex(value.namespace_id, WIRE.namespaceIdBytes) !== undefined &&
    fromHex(value.device, WIRE.ed25519PublicBytes) !== undefined &&
    fromHex(value.item_digest, HASH_BYTES) !== undefined &&
    fromHex(value.sig, ED25519_SIGNATURE_BYTES) !== undefined
  );
}

/**
 * Checks a receipt as parsed, before any schema strips it. `bad_signature` also when it names another device.
 * Hex may be written in capitals. Never throws.
 */
export async function verifyReceipt(
  receipt: unknown,
  deviceEd25519: Uint8Array,
): Promise<'ok' | 'malformed' | 'bad_signature'> {
  if (!isReceipt(receipt)) return 'malformed';
  await cryptoReady;
  let message: Uint8Array;
  try {
    message = signedBytes(receipt);
  } catch (error) {
    if (error instanceof JsonError) return 'malformed';
    throw error;
  }
  const device = fromHex(receipt.device, WIRE.ed25519PublicBytes) as Uint8Array;
  const sig = fromHex(receipt.sig, ED25519_SIGNATURE_BYTES) as Uint8Array;
  const valid = bytesEqual(device, deviceEd25519) && verifyEd25519(sig, message, deviceEd25519);
  return valid ? 'ok' : 'bad_signature';
}

/** Canonical JSON, item digests and receipts (02 §4), of our own. Knows no connection. */
import { type Identity, sha256, verifySignature } from './crypto.js';

export type Json = Record<string, unknown>;

/** RFC 8785: members by UTF-16 code units, numbers and strings as ECMAScript prints them. */
export function canonical(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(canonical).join(',')}]`;
  if (typeof value !== 'object' || value === null) return JSON.stringify(value);
  const members = Object.entries(value)
    .filter(([, member]) => member !== undefined)
    .sort(([a], [b]) => (a < b ? -1 : 1));
  return `{${members.map(([name, member]) => `${JSON.stringify(name)}:${canonical(member)}`).join(',')}}`;
}

export type Kind = 'approval' | 'clarification' | 'elicitation';

export function itemDigest(kind: Kind, namespaceId: Buffer, entry: Json): string {
  const { digest: _digest, truncated: _truncated, ...item } = entry;
  const whole = canonical({ ...item, kind, namespace_id: namespaceId.toString('hex') });
  return sha256('countersign-item-v1', '\0', whole).toString('hex');
}

export const receiptText = (unsigned: Json): Buffer =>
  Buffer.from(`countersign-receipt-v1\0${canonical(unsigned)}`);

export interface ReceiptFacts {
  namespaceId: Buffer;
  kind: Kind;
  requestId: string;
  itemDigest: string;
  answer: Json;
  shown?: 'full' | 'summary';
  decidedAt: number;
}

/** What of an answer is signed: `modified_arguments` by its hash. */
export function signedAnswer(answer: Json): Json {
  if (answer.modified_arguments === undefined) return answer;
  const hash = sha256('countersign-args-v1', '\0', canonical(answer.modified_arguments));
  return { ...answer, modified_arguments: hash.toString('hex') };
}

export function receiptOf(signer: Identity, facts: ReceiptFacts): Json {
  const unsigned = {
    v: 1,
    alg: 'ed25519',
    namespace_id: facts.namespaceId.toString('hex'),
    device: signer.ed25519.toString('hex'),
    kind: facts.kind,
    request_id: facts.requestId,
    item_digest: facts.itemDigest,
    answer: signedAnswer(facts.answer),
    shown: facts.shown ?? 'full',
    decided_at: facts.decidedAt,
  };
  return { ...unsigned, sig: signer.sign(receiptText(unsigned)).toString('hex') };
}

export function receiptHolds(receipt: Json, device: Buffer): boolean {
  const { sig, ...unsigned } = receipt;
  return (
    unsigned.device === device.toString('hex') &&
    verifySignature(device, receiptText(unsigned), Buffer.from(String(sig), 'hex'))
  );
}

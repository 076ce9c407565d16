/**
 * What a push carries, in any of its forms (04 §1): `{ns, from, n, c}` (Web Push), `{d: {…}}` (APNs), FCM's
 * `{ns, f, n, c}`, or with a registration's handle `{h, n, c}`, as an object, its JSON text or the bytes of that. Everything is hostile. Must not know keys.
 */
import { fromHex, WIRE } from '@countersign/protocol';
import { parseStrict } from '@countersign/protocol/json';

export interface SealedPush {
  /** Whose it is, by what the relay calls it; says nothing until it opens. All in hex, lower case. */
  from: { namespaceId: string; sender: string } | { handle: string };
  nonce: Uint8Array;
  ciphertext: Uint8Array;
}

/** Bytes of a push as JSON; the largest provider takes 4 KiB. */
export const PUSH_MAX_BYTES = 8192;

/** Undefined for a wake, which carries nothing, and for whatever is no push of ours. */
export function readPush(input: unknown): SealedPush | undefined {
  const outer = asObject(input);
  const fields = outer !== undefined && isObject(own(outer, 'd')) ? asObject(own(outer, 'd')) : outer;
  if (fields === undefined) return undefined;
  const from = addressIn(fields);
  const nonce = fromHex(own(fields, 'n'), WIRE.messageNonceBytes);
  const ciphertext = fromBase64(own(fields, 'c'));
  return from && nonce && ciphertext && { from, nonce, ciphertext };
}

function addressIn(fields: Record<string, unknown>): SealedPush['from'] | undefined {
  const handle = own(fields, 'h');
  if (handle !== undefined) {
    return fromHex(handle, WIRE.pushHandleBytes) && { handle: hex(handle) };
  }
  const [namespaceId, sender] = [own(fields, 'ns'), own(fields, 'from') ?? own(fields, 'f')];
  const isWhole = fromHex(namespaceId, WIRE.namespaceIdBytes) && fromHex(sender, WIRE.ed25519PublicBytes);
  return isWhole && { namespaceId: hex(namespaceId), sender: hex(sender) };
}

function asObject(input: unknown): Record<string, unknown> | undefined {
  if (typeof input !== 'string' && !(input instanceof Uint8Array)) return isObject(input) ? input : undefined;
  if (input.length > PUSH_MAX_BYTES) return undefined;
  try {
    const value: unknown = parseStrict(input, { maxBytes: PUSH_MAX_BYTES });
    return isObject(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

/** Standard alphabet, padding optional (RFC 4648 §4). */
function fromBase64(text: unknown): Uint8Array | undefined {
  if (typeof text !== 'string' || text.length > PUSH_MAX_BYTES) return undefined;
  if (!/^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}(?:==)?|[A-Za-z0-9+/]{3}=?)?$/.test(text)) return undefined;
  return Uint8Array.from(atob(text), (char) => char.charCodeAt(0));
}

function hex(text: unknown): string {
  return String(text).toLowerCase();
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function own(object: Record<string, unknown>, name: string): unknown {
  return Object.hasOwn(object, name) ? object[name] : undefined;
}

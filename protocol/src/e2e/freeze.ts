/**
 * What is shown, what is signed and what runs are the same bytes (02 §4): freezing arguments, digesting items.
 * Must not know schemas: both ends hash the JSON as parsed.
 */
import { platform } from '#platform';
import { CountersignError, concatBytes, fromHex, toHex, utf8, WIRE } from '../frames/index.js';
import { canonicalize, isPlainObject, type Json, JsonError, parseStrict, wellFormed } from '../json/index.js';

export type JsonObject = { [key: string]: Json };
export type FrozenArguments =
  | { arguments: JsonObject; argumentsText?: undefined }
  | { arguments?: undefined; argumentsText: string };
export type ItemKindName = 'approval' | 'clarification' | 'elicitation';

/** Nesting of frozen arguments; leaves room for the payload around them within the parser's limit. */
export const MAX_ARGUMENTS_DEPTH = 48;
/** UTF-8 bytes of arguments as JSON; more never fits a payload. */
export const MAX_ARGUMENTS_BYTES = 512 * 1024;

const ZERO = new Uint8Array(1);
const ITEM_TAG = utf8('countersign-item-v1');
const ARGUMENTS_TAG = utf8('countersign-args-v1');

/** Members of a list entry that are not part of the item. */
const NOT_DIGESTED: ReadonlySet<string> = new Set(['digest', 'truncated']);

/**
 * Freezes the arguments of a call, given as a value or as JSON text. What the strict parser refuses, and what is no
 * object, comes back as text to be shown verbatim. Members that are `undefined` are absent, as in JSON.
 * @throws CountersignError `invalid_request` for a value JSON cannot express (NaN, bigint, function, class instance,
 * cycle), `payload_too_large` above 512 KiB.
 */
export function freezeArguments(input: { arguments: unknown } | { argumentsText: string }): FrozenArguments {
  const text = 'argumentsText' in input ? input.argumentsText : printValue(input.arguments);
  try {
    const value = parseStrict(text, { maxDepth: MAX_ARGUMENTS_DEPTH, maxBytes: MAX_ARGUMENTS_BYTES });
    if (isObject(value)) return { arguments: value };
  } catch (error) {
    if (!(error instanceof JsonError)) throw error;
    if (error.code === 'too_large') throw tooLarge();
  }
  return { argumentsText: wellFormed(text) };
}

function isObject(value: Json): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function tooLarge(): CountersignError {
  const details = { limitBytes: MAX_ARGUMENTS_BYTES };
  return new CountersignError('payload_too_large', 'The arguments are larger than 512 KiB', { details });
}

/** JSON text of a value, refusing what JSON.stringify would silently change. */
function printValue(value: unknown): string {
  let text: string | undefined;
  try {
    text = JSON.stringify(value, refuseUnprintable);
  } catch (cause) {
    throw notJson(cause instanceof CountersignError ? undefined : cause);
  }
  if (text === undefined) throw notJson();
  return text;
}

function refuseUnprintable(_key: string, value: unknown): unknown {
  const unprintable =
    typeof value === 'function' ||
    typeof value === 'symbol' ||
    (typeof value === 'number' && !Number.isFinite(value)) ||
    (typeof value === 'object' && value !== null && !Array.isArray(value) && !isPlainObject(value));
  if (unprintable) throw notJson();
  return value;
}

function notJson(cause?: unknown): CountersignError {
  return new CountersignError('invalid_request', 'Arguments must be a value that JSON can express', {
    cause,
  });
}

async function digestHex(tag: Uint8Array, canonical: string): Promise<string> {
  return toHex(await platform.sha256(concatBytes(tag, ZERO, utf8(canonical))));
}

/** Own members as parsed, without those in `leaveOut`. */
export function without(object: object, leaveOut: ReadonlySet<string>): Record<string, unknown> {
  return Object.fromEntries(Object.entries(object).filter(([key]) => !leaveOut.has(key)));
}

/** What {@link itemDigest} hashes, as RFC 8785 text. */
export function canonicalItem(kind: ItemKindName, namespaceIdHex: string, entry: object): string {
  const namespaceId = fromHex(namespaceIdHex, WIRE.namespaceIdBytes);
  if (namespaceId === undefined) throw new CountersignError('invalid_request', 'Not a namespace id');
  return canonicalize({ ...without(entry, NOT_DIGESTED), kind, namespace_id: toHex(namespaceId) });
}

/**
 * SHA-256("countersign-item-v1" ‖ 0 ‖ JCS(item)) in hex, item = the list entry as sent, minus `digest` and
 * `truncated`, plus `kind` and `namespace_id`.
 * @throws JsonError when the entry is not JSON, such as a member that is `undefined`.
 */
export async function itemDigest(kind: ItemKindName, namespaceIdHex: string, entry: object): Promise<string> {
  return digestHex(ITEM_TAG, canonicalItem(kind, namespaceIdHex, entry));
}

/** SHA-256("countersign-args-v1" ‖ 0 ‖ JCS(args)) in hex. @throws JsonError when they are not JSON. */
export async function argsDigest(args: unknown): Promise<string> {
  return digestHex(ARGUMENTS_TAG, canonicalize(args));
}

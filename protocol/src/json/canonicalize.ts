/** JSON Canonicalization Scheme (RFC 8785). Must not know what is canonicalized. */
import { hasLoneSurrogate, JsonError } from './json.types.js';

/** Arrays and objects inside one another; above what any parsed payload has. */
export const MAX_CANONICAL_DEPTH = 256;

/** An object literal or a parsed object, of whatever realm: no class instance. */
export function isPlainObject(value: object): value is Record<string, unknown> {
  const prototype: unknown = Object.getPrototypeOf(value);
  return prototype === null || Object.getPrototypeOf(prototype) === null;
}

function printString(text: string): string {
  if (hasLoneSurrogate(text)) throw new JsonError('lone_surrogate');
  return JSON.stringify(text); // ECMAScript's escapes are the ones of RFC 8785 §3.2.2.2.
}

function print(value: unknown, around: readonly object[]): string {
  switch (typeof value) {
    case 'string':
      return printString(value);
    case 'number':
      if (!Number.isFinite(value)) throw new JsonError('not_json');
      return String(value); // RFC 8785 §3.2.2.3 is Number::toString; −0 prints as 0.
    case 'boolean':
      return String(value);
    case 'object':
      return value === null ? 'null' : printNested(value, around);
    default:
      throw new JsonError('not_json');
  }
}

function printNested(value: object, around: readonly object[]): string {
  if (around.includes(value)) throw new JsonError('not_json');
  if (around.length >= MAX_CANONICAL_DEPTH) throw new JsonError('too_deep');
  const path = [...around, value];
  if (Array.isArray(value)) return `[${Array.from(value, (item) => print(item, path)).join(',')}]`;
  if (!isPlainObject(value)) throw new JsonError('not_json');
  // The default order of sort is by UTF-16 code units, as RFC 8785 §3.2.3 asks.
  const members = Object.keys(value)
    .sort()
    .map((key) => `${printString(key)}:${print(value[key], path)}`);
  return `{${members.join(',')}}`;
}

/**
 * The canonical text of a JSON value (RFC 8785).
 * @throws JsonError `not_json` (undefined, NaN, infinity, bigint, functions, class instances, cycles), `lone_surrogate`,
 * `too_deep`.
 */
export function canonicalize(value: unknown): string {
  return print(value, []);
}

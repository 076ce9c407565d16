/** Checks of what a host passes in, each naming the member. Must not know items. */
import { randomBytes } from 'node:crypto';
import { CONTENT, CountersignError, toHex, utf8 } from '@countersign/protocol';
import { MAX_ARGUMENTS_DEPTH } from '@countersign/protocol/e2e';
import { parseStrict, wellFormed } from '@countersign/protocol/json';
import { type ItemKind, REQUEST_ID_PREFIX } from '@countersign/protocol/payloads';
import { MAX_NAME_BYTES, MAX_SCHEMA_BYTES } from './request-limits.js';

const ID_BYTES = 16;

/** Globally unique, never reused (03 §2). */
export function newRequestId(kind: ItemKind): string {
  return REQUEST_ID_PREFIX[kind] + toHex(randomBytes(ID_BYTES));
}

export function refuse(member: string, what: string): CountersignError {
  return new CountersignError('invalid_request', `${member} ${what}.`, { details: { member } });
}

/** Well-formed text within the limit. @throws CountersignError `invalid_request`. */
export function textOf(value: unknown, member: string, maxBytes: number): string {
  if (typeof value !== 'string' || value.trim() === '')
    throw refuse(member, 'must be a text that is not blank');
  const text = wellFormed(value);
  if (utf8(text).length > maxBytes) throw refuse(member, `must be at most ${maxBytes} bytes`);
  return text;
}

export function nameOf(value: unknown, member: string): string {
  return textOf(value, member, MAX_NAME_BYTES);
}

export function optionalName(value: unknown, member: string): string | undefined {
  return value === undefined ? undefined : nameOf(value, member);
}

/** A copy of the value as devices will read it. @throws CountersignError `invalid_request`, `payload_too_large`. */
export function jsonCopy<T>(value: T, member: string): T {
  let text: string | undefined;
  try {
    text = JSON.stringify(value);
  } catch {
    text = undefined;
  }
  if (text === undefined) throw refuse(member, 'must be JSON');
  if (utf8(text).length > MAX_SCHEMA_BYTES) {
    throw new CountersignError('payload_too_large', `${member} is larger than ${MAX_SCHEMA_BYTES} bytes.`, {
      details: { member, limitBytes: MAX_SCHEMA_BYTES },
    });
  }
  try {
    const copy = JSON.stringify(wellFormedDeep(JSON.parse(text)));
    return parseStrict(copy, { numbers: 'any', maxDepth: MAX_ARGUMENTS_DEPTH }) as T;
  } catch {
    throw refuse(member, `must be JSON of at most ${MAX_ARGUMENTS_DEPTH} levels, without a "__proto__"`);
  }
}

/** Every text of a JSON value, names included, with U+FFFD for lone surrogates. */
export function wellFormedDeep(value: unknown): unknown {
  if (typeof value === 'string') return wellFormed(value);
  if (Array.isArray(value)) return value.map(wellFormedDeep);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, one]) => [wellFormed(name), wellFormedDeep(one)]),
  );
}

/** @throws CountersignError `invalid_request` outside 5 s to 6 days. */
export function expiryOf(expiresInMs: number | undefined, defaultMs: number): number {
  if (expiresInMs === undefined) return defaultMs;
  const { minExpiresInMs, maxExpiresInMs } = CONTENT;
  if (!(expiresInMs >= minExpiresInMs && expiresInMs <= maxExpiresInMs)) {
    throw refuse('expiresInMs', `must be ${minExpiresInMs} to ${maxExpiresInMs} (5 seconds to 6 days)`);
  }
  return Math.round(expiresInMs);
}

/** The same object without members that are undefined: JSON has none. */
export function present<T extends object>(object: T): { [K in keyof T]: Exclude<T[K], undefined> } {
  const entries = Object.entries(object).filter(([, value]) => value !== undefined);
  return Object.fromEntries(entries) as { [K in keyof T]: Exclude<T[K], undefined> };
}

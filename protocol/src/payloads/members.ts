/**
 * Building blocks of the payload schemas: members as senders must write them and as receivers take them. Must not
 * know any payload.
 */
import { z } from 'zod';
import { isSummaryLine, isTitleLine, isWellFormed, summaryLine, titleLine } from '../blocks/index.js';
import { toHex, utf8 } from '../frames/index.js';

export type JsonObject = Record<string, unknown>;

/** An object that is no list. The very object is passed on: members named like those of a prototype are data. */
export function isJsonObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

export const jsonObject = z.custom<JsonObject>(isJsonObject, 'is not an object');

/** Text as senders write it. */
export const text = z.string().refine(isWellFormed, 'is not well-formed Unicode');
export const someText = text.min(1);
/** An id of any form. */
export const id = someText;
export const uuid = z.uuid({ version: 'v4', error: 'is not a UUID of version 4' });
export const hex64 = z.string().regex(/^[0-9a-f]{64}$/, 'is not 64 lower-case hex characters');
export const hex128 = z.string().regex(/^[0-9a-f]{128}$/, 'is not 128 lower-case hex characters');
/** Unix milliseconds. */
export const unixMs = z.int().nonnegative();
/** A number that JSON carried as an integer and that a double holds exactly. */
export const count = z.int().nonnegative();

export const summary = text
  .min(1)
  .refine(isSummaryLine, 'is not one escaped line within the limits of a summary');
export const title = text.min(1).refine(isTitleLine, 'is not one escaped line within the limits of a title');

/** The same members as receivers take them: shown within the limits, whatever came. */
export const shownSummary = z.string().transform(summaryLine);
export const shownTitle = z.string().transform(titleLine);
/** Read later, by whoever knows how; may be absent. */
export const anything = z.unknown().optional();
export const anyText = z.string();
export const anyId = z.string().min(1);
/** Swift and others may write a fraction of a millisecond. */
export const anyTime = z.number();
export const anyHex = z.string().transform((hex) => hex.toLowerCase());

/** A wide member: what does not fit is as if absent. */
export function orAbsent<T extends z.ZodType>(schema: T) {
  return schema.optional().catch(undefined);
}

/** A new UUID of version 4 (RFC 9562 §5.4) from 16 random bytes. */
export function uuidV4(random: Uint8Array): string {
  const bytes = Uint8Array.from(random.subarray(0, 16));
  bytes[6] = ((bytes[6] ?? 0) & 0x0f) | 0x40;
  bytes[8] = ((bytes[8] ?? 0) & 0x3f) | 0x80;
  const hex = toHex(bytes);
  return [hex.slice(0, 8), hex.slice(8, 12), hex.slice(12, 16), hex.slice(16, 20), hex.slice(20)].join('-');
}

/** Bytes of a value as JSON in UTF-8. */
export function jsonBytes(value: unknown): number {
  return utf8(JSON.stringify(value)).length;
}

/**
 * A shallow copy without the members that are null: null on an optional member means absent, and a required one is
 * then missing. `kept` names the members whose null has a meaning. A `__proto__` of JSON is left behind: no schema
 * has one.
 */
export function withoutNulls(value: unknown, kept: readonly string[] = []): unknown {
  if (!isJsonObject(value)) return value;
  const present = Object.entries(value).filter(
    ([name, member]) => name !== '__proto__' && (member !== null || kept.includes(name)),
  );
  return Object.fromEntries(present);
}

/** A wide object: null members are absent, unknown ones ignored. */
export function wideObject<S extends z.ZodRawShape>(shape: S, kept: readonly string[] = []) {
  return z.preprocess((value) => withoutNulls(value, kept), z.object(shape));
}

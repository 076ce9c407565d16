/**
 * Whether what a person filled in meets the schema, by an interpreter (no code is made from a schema here). The agent
 * checks once more. Loaded only when a form is sent.
 */
import { type Schema, Validator } from '@cfworker/json-schema';
import type { JsonObject } from '@countersign/protocol/payloads';

export const FAULTS = [
  'required',
  'type',
  'minLength',
  'maxLength',
  'pattern',
  'format',
  'minimum',
  'maximum',
  'enum',
  'invalid',
] as const;
export type Fault = (typeof FAULTS)[number];

/** Faults by field name; those of the whole under the empty name. Empty: all is well. */
export function validateValues(schema: JsonObject, values: JsonObject): Map<string, Fault> {
  const faults = new Map<string, Fault>();
  const { valid, errors } = check(schema, values);
  if (valid) return faults;
  for (const { instanceLocation, keyword, error } of errors) {
    const name = nameOf(instanceLocation) || (keyword === 'required' ? quoted(error) : '');
    if (isSummary(keyword) && errors.length > 1) continue;
    if (!faults.has(name)) faults.set(name, faultOf(keyword));
  }
  return faults;
}

function check(schema: JsonObject, values: JsonObject): ReturnType<Validator['validate']> {
  try {
    return new Validator(schema as Schema, '2020-12', false).validate(values);
  } catch {
    // A schema that cannot be followed checks nothing: the agent will.
    return { valid: true, errors: [] };
  }
}

/** Keywords that only say that something below them failed. */
function isSummary(keyword: string): boolean {
  return ['properties', 'allOf', '$ref', 'additionalProperties'].includes(keyword);
}

function nameOf(pointer: string): string {
  const [, first = ''] = pointer.replace(/^#/, '').split('/');
  return decodeURIComponent(first).replaceAll('~1', '/').replaceAll('~0', '~');
}

/** The library names a missing member only in its sentence. */
function quoted(sentence: string): string {
  return /"([^"]*)"/.exec(sentence)?.[1] ?? '';
}

function faultOf(keyword: string): Fault {
  return FAULTS.find((known) => known === keyword) ?? 'invalid';
}

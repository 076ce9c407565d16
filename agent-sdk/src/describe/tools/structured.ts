/** Rows of arguments that are objects or lists, as JSON a person reads. Must not know any tool. */
import { type Block, jsonText } from '@countersign/protocol/blocks';
import type { JsonObject } from '../call.js';
import { inferValue } from '../infer.js';
import { valueRow } from '../rows.js';
import { asObject } from './given.js';

const MAX_PARSED_UNITS = 100_000;

/** A row of whatever value; none when it is not there. */
export function jsonRow(label: string, value: unknown): Block[] {
  return value === undefined || value === null ? [] : [valueRow(label, inferValue('', value, {}))];
}

/** An object, or the JSON text of one. */
export function objectIn(value: unknown): JsonObject | undefined {
  if (typeof value !== 'string') return asObject(value);
  if (value.length > MAX_PARSED_UNITS || !/^\s*\{/.test(value)) return undefined;
  try {
    return asObject(JSON.parse(value));
  } catch {
    return undefined;
  }
}

/** For a line: a text as it is, anything else as JSON. */
export function inLine(value: unknown): string {
  return typeof value === 'string' ? value : jsonText(value);
}

/** Blocks that are always fit to be sent, and rows for arguments a describer has no words for. Must not know tools. */
import { type Block, toWellFormed, type ValueType } from '@countersign/protocol/blocks';
import type { JsonObject } from './call.js';
import { inferValue, type Shown } from './infer.js';

/** Values up to this length stay beside their name. */
const MAX_COMPACT_UNITS = 60;
const BLOCK_TYPES: ReadonlySet<string> = new Set(['code', 'command', 'diff', 'markdown']);

/** A compact row. */
export function row(key: string, value: string, valueType: ValueType = 'string'): Block {
  return { type: 'key_value', key: nameOf(key), value: toWellFormed(value), value_type: valueType };
}

/** A label with one line below it. */
export function field(label: string, value: string, valueType: ValueType = 'string'): Block {
  return { type: 'field', label: nameOf(label), value: toWellFormed(value), value_type: valueType };
}

/** A label with a viewer of several lines. */
export function block(label: string, value: string, valueType: ValueType = 'text', lang?: string): Block {
  const cell = { value: toWellFormed(value), value_type: valueType };
  return { type: 'block', label: nameOf(label), ...cell, ...(lang === undefined ? {} : { lang }) };
}

/** The row or block that suits a value of whatever length. */
export function valueRow(name: string, shown: Shown): Block {
  const large = shown.value.length > MAX_COMPACT_UNITS || /[\n\r]/.test(shown.value);
  if (large || BLOCK_TYPES.has(shown.value_type))
    return block(name, shown.value, shown.value_type, shown.lang);
  const cell = row(name, shown.value, shown.value_type);
  return shown.lang === undefined ? cell : { ...cell, lang: shown.lang };
}

/** The generic row of one argument, also under another name than its own. */
export function argumentRow(args: JsonObject, name: string, label = name): Block {
  return valueRow(label, inferValue(name, args[name], args));
}

/** Generic rows, in the caller's order, of every argument that is not among `shown`: nothing stays hidden. */
export function otherRows(args: JsonObject, shown: readonly string[]): Block[] {
  return Object.keys(args)
    .filter((name) => !shown.includes(name))
    .map((name) => argumentRow(args, name));
}

/** The first of these arguments that is a text, with its name. Only own members: `constructor` is none. */
export function textArgument(
  args: JsonObject,
  names: readonly string[],
): { name: string; text: string } | undefined {
  const name = names.find((one) => Object.hasOwn(args, one) && typeof args[one] === 'string');
  return name === undefined ? undefined : { name, text: args[name] as string };
}

function nameOf(name: string): string {
  return toWellFormed(name) || '""';
}

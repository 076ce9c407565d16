/**
 * From a function that puts a call into words to a describer: finds the arguments where they are wrapped, adds what
 * the words leave out, and warns where arguments contradict each other. Must not know any tool.
 */

import { type Block, findSecrets, jsonText, rowName, toWellFormed } from '@countersign/protocol/blocks';
import type { JsonObject } from '../call.js';
import {
  type DescribeContext,
  type Describer,
  type DescriberEntry,
  end,
  middle,
  oncePerCall,
  type RiskEstimate,
  type RiskLevel,
  type SummaryPart,
} from '../describer.js';
import { listOf } from '../list-of.js';
import { argumentRow, otherRows, row, valueRow } from '../rows.js';
import { asObject, Given } from './given.js';
import { hiddenIn } from './shell/hidden.js';

export interface Reason {
  readonly level: RiskLevel;
  readonly reason: string;
}

/** A call in words. */
export interface Told {
  readonly summary: readonly SummaryPart[];
  readonly blocks: readonly Block[];
  readonly reasons?: readonly Reason[];
  /** The estimate without any reason. */
  readonly least?: RiskLevel;
}

/** Undefined: not a call of the shape this one knows. Arguments it does not read are shown by themselves. */
export type Tell = (given: Given, context: DescribeContext) => Told | undefined;

interface Found {
  readonly told: Told;
  readonly given: Given;
  /** The member of the arguments that holds those read. */
  readonly wrapper: string | undefined;
}

/** Members that hold the arguments proper, when nothing else is there. */
const WRAPPERS: ReadonlySet<string> = new Set([
  ...listOf('__arg1 args arguments body data input kwargs options parameters params payload request'),
  ...listOf('tool_input'),
]);
const MAX_PARSED_UNITS = 100_000;
/** Of one argument, so many values are looked for in what is shown. */
const MAX_LEAVES = 200;

export function toldDescriber(tell: Tell): Describer {
  const find = (args: JsonObject, context: DescribeContext): Found | undefined =>
    oncePerCall(context, tell, () => found(tell, args, context));
  const known = (args: JsonObject, context: DescribeContext): Found => {
    const one = find(args, context);
    if (one === undefined) throw new TypeError('not a call of this shape');
    return one;
  };
  return {
    accepts: (args, context) => find(args, context) !== undefined,
    summary: (args, context) => summaryOf(known(args, context)),
    view: (args, context) => viewOf(args, known(args, context)),
    risk: (args, context) => riskOf(known(args, context)),
  };
}

/** One describer under many names. */
export function entries(names: readonly string[], tell: Tell): DescriberEntry[] {
  const describer = toldDescriber(tell);
  return names.map((name) => [name, describer]);
}

function found(tell: Tell, args: JsonObject, context: DescribeContext): Found | undefined {
  const given = new Given(args);
  const told = tell(given, context);
  if (told !== undefined) return { told, given, wrapper: undefined };
  const [wrapper, ...more] = Object.keys(args).filter((name) => WRAPPERS.has(name));
  const inner = wrapper === undefined || more.length > 0 ? undefined : unwrapped(args[wrapper]);
  if (inner === undefined) return undefined;
  const innerGiven = new Given(inner);
  const innerTold = tell(innerGiven, context);
  return innerTold === undefined ? undefined : { told: innerTold, given: innerGiven, wrapper };
}

/** An object, or the text of one. */
function unwrapped(value: unknown): JsonObject | undefined {
  if (typeof value !== 'string') return asObject(value);
  if (value.length > MAX_PARSED_UNITS || !/^\s*\{/.test(value)) return undefined;
  try {
    return asObject(JSON.parse(value));
  } catch {
    return undefined;
  }
}

function summaryOf({ told, given }: Found): SummaryPart[] {
  return given.rivals.length > 0 ? ['⚠ ', ...told.summary] : [...told.summary];
}

function viewOf(args: JsonObject, { told, given, wrapper }: Found): Block[] {
  const blocks = [
    ...told.blocks,
    ...given.rivals.map((names) => row('Watch out', `${names} disagree: the tool may take either`)),
    ...leftOut(given, told),
    ...otherRows(given.args, given.used),
    ...(wrapper === undefined ? [] : otherRows(args, [wrapper])),
  ];
  return blocks.length > 0 ? blocks : [row('Arguments', 'none')];
}

/** Rows of arguments that were read and whose values are nowhere to be seen: words may say less than they were told. */
function leftOut(given: Given, { blocks }: Told): Block[] {
  const missing = given.used.filter((name) =>
    leavesOf(given.args[name]).some((leaf) => !isShown(leaf, blocks)),
  );
  return missing.map((name) => argumentRow(given.args, name));
}

/** As it is, or as JSON writes it. */
function isShown(leaf: string, blocks: readonly Block[]): boolean {
  if (blocks.some((one) => one.value.includes(leaf) || rowName(one).includes(leaf))) return true;
  const written = jsonText(leaf).slice(1, -1);
  return written !== leaf && blocks.some(({ value }) => value.includes(written));
}

/** The texts and numbers in a value; as many as are looked for. */
function leavesOf(value: unknown): string[] {
  const leaves: string[] = [];
  const open = [value];
  for (let next = open.pop(); next !== undefined && leaves.length < MAX_LEAVES; next = open.pop()) {
    if (typeof next === 'string' && next.trim() !== '') leaves.push(toWellFormed(next.trim()));
    else if (typeof next === 'number') leaves.push(String(next));
    else if (typeof next === 'object' && next !== null)
      open.push(...Object.values(next).slice(0, MAX_LEAVES));
  }
  return leaves;
}

function riskOf({ told, given }: Found): RiskEstimate {
  const rivals = given.rivals.map((names) => high(`${names} disagree`));
  const reasons = [...(told.reasons ?? []), ...rivals];
  const level = worst([told.least ?? 'normal', ...reasons.map((one) => one.level)]);
  const order = (one: Reason) => LEVELS.indexOf(one.level);
  return { level, reasons: reasons.toSorted((a, b) => order(b) - order(a)).map(({ reason }) => reason) };
}

const LEVELS: readonly RiskLevel[] = ['low', 'normal', 'high'];

export function worst(levels: readonly RiskLevel[]): RiskLevel {
  return LEVELS[Math.max(0, ...levels.map((level) => LEVELS.indexOf(level)))] ?? 'normal';
}

export function high(reason: string): Reason {
  return { level: 'high', reason };
}

export function normal(reason: string): Reason {
  return { level: 'normal', reason };
}

export function low(reason: string): Reason {
  return { level: 'low', reason };
}

/** Words and a value after them; nothing when there is no value. */
export function and(words: string, text: string | undefined, cut: 'middle' | 'end' = 'end'): SummaryPart[] {
  return text === undefined ? [] : [words, cut === 'end' ? end(text) : middle(text)];
}

/** The first of some, and how many more there are. */
export function firstOf(list: readonly string[], shown = 2): SummaryPart[] {
  const parts = list
    .slice(0, shown)
    .flatMap((one, at): SummaryPart[] => (at === 0 ? [middle(one)] : [', ', middle(one)]));
  return list.length > shown ? [...parts, ` +${list.length - shown}`] : parts;
}

/** A row of a value that may not be there. */
export function shown(
  label: string,
  value: string | undefined,
  type: Parameters<typeof valueRow>[1]['value_type'] = 'string',
  lang?: string,
): Block[] {
  if (value === undefined) return [];
  return [valueRow(label, { value, value_type: type, ...(lang === undefined ? {} : { lang }) })];
}

/** A row of several values, one a line; nothing when there are none. */
export function listed(label: string, values: readonly string[]): Block[] {
  if (values.length === 0) return [];
  return shown(label, values.join('\n'), values.length > 1 ? 'text' : 'string');
}

/** Rows for what a text hides: invisible characters, text far to the right or far below, letters that look alike. */
export function watchOut(texts: readonly (string | undefined)[]): Block[] {
  return [...new Set(hiddenWords(texts))].map((words) => row('Watch out', words));
}

export function hiddenReasons(texts: readonly (string | undefined)[]): Reason[] {
  return [...new Set(hiddenWords(texts))].map(high);
}

/** A token or a key in what goes to others. */
export function leakReasons(texts: readonly (string | undefined)[]): Reason[] {
  const leaks = texts.some(
    (text) => text !== undefined && findSecrets(text.slice(0, MAX_PARSED_UNITS)).length > 0,
  );
  return leaks ? [high('it gives away a secret')] : [];
}

function hiddenWords(texts: readonly (string | undefined)[]): string[] {
  return texts.flatMap((text) =>
    text === undefined ? [] : hiddenIn(text).flatMap(({ grave, words }) => (grave ? [words] : [])),
  );
}

export function count(amount: number, thing: string): string {
  return `${amount} ${thing}${amount === 1 ? '' : 's'}`;
}

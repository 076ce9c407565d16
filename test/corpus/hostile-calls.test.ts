/**
 * Calls of the corpus with their values replaced by what nobody sends by accident: huge, deep, wide, broken. Whatever
 * comes, the words are fit to be sent, hide nothing, and are there in a moment.
 */
import { createRegistry } from '@countersign/agent-sdk/describe';
import {
  escapeInvisible,
  isSummaryLine,
  isWellFormed,
  linearise,
  renderPlain,
  viewSchema,
} from '@countersign/protocol/blocks';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type CorpusCall, describeWith, families, readCalls } from './corpus.js';

const registry = createRegistry();
const calls = families().flatMap(readCalls);
/** One call of each tool. */
const tools = [...new Map(calls.map((call) => [call.tool, call])).values()];
/** Of every family some. */
const some = tools.filter((_, at) => at % 7 === 0);
/** On a busy machine, with everything around a describer; tests of the describers have 50 ms for each alone. */
const MAX_CPU_MS = 1000;

function check(call: CorpusCall): void {
  const before = process.cpuUsage();
  const { view, risk } = describeWith(registry, call);
  const { user, system } = process.cpuUsage(before);
  expect([call.tool, (user + system) / 1000 < MAX_CPU_MS]).toEqual([call.tool, true]);
  expect(viewSchema.safeParse(view).success).toBe(true);
  expect(isSummaryLine(view.summary)).toBe(true);
  const texts = [renderPlain(linearise(view)), ...risk.reasons];
  for (const text of texts) expect(isWellFormed(text) && escapeInvisible(text) === text).toBe(true);
}

/** The call with every text in it replaced. */
function withTexts(call: CorpusCall, text: string): CorpusCall {
  const replaced = (value: unknown): unknown => {
    if (typeof value === 'string') return text;
    if (Array.isArray(value)) return value.map(replaced);
    if (typeof value !== 'object' || value === null) return value;
    return Object.fromEntries(Object.entries(value).map(([name, member]) => [name, replaced(member)]));
  };
  return { ...call, args: replaced(call.args) };
}

const KIB = 1024;
const TEXTS: readonly (readonly [string, string])[] = [
  ['lone surrogates', '\uD800x\uDC00'.repeat(20)],
  ['blanks', ' '.repeat(2 * KIB)],
  ['line breaks', '\r\n'.repeat(2 * KIB)],
  ['quotes that never end', `"'\`$(`.repeat(KIB / 2)],
  ['brackets that never close', '$({<'.repeat(KIB / 2)],
  ['commands', 'a; rm -rf /; '.repeat(150)],
  ['statements', 'DELETE FROM t; '.repeat(150)],
  ['addresses', 'https://a@b.c/d?e=f, '.repeat(150)],
  ['escapes', '\\u202e\u202e\\x00\u0000'.repeat(100)],
  ['names of prototypes', '__proto__ constructor toString'],
  ['numbers', '9'.repeat(2 * KIB)],
];

describe.each(TEXTS.map(([name, text], at) => [name, text, at] as const))('%s', (_, text, turn) => {
  it('in every text of a call of every third tool, each time others', () => {
    for (const call of tools.filter((_, at) => at % 3 === turn % 3)) check(withTexts(call, text));
  });
});

describe('one megabyte', () => {
  const LARGE = KIB * KIB;
  it.each([
    ['of one letter', 'a'.repeat(LARGE)],
    ['of blanks', ' '.repeat(LARGE)],
    ['of short lines', 'x y\n'.repeat(LARGE / 4)],
    ['of commands', 'echo a && '.repeat(LARGE / 10)],
    ['of hidden characters', '\u202E\u200B'.repeat(LARGE / 8)],
    ['of something like secrets', 'password=a1b2c3d4 '.repeat(LARGE / 18)],
  ])('%s, as the first text of a call', (_, text) => {
    for (const call of some.filter((_, at) => at % 4 === 0)) {
      const first = Object.entries(call.args as object).find(([, value]) => typeof value === 'string');
      if (first !== undefined) check({ ...call, args: { ...(call.args as object), [first[0]]: text } });
    }
  });
});

describe('shapes', () => {
  const deep = (depth: number): unknown => {
    let value: unknown = 'end';
    for (let level = 0; level < depth; level++) value = level % 2 === 0 ? [value] : { a: value };
    return value;
  };
  const wide = Object.fromEntries(Array.from({ length: 1_000 }, (_, at) => [`key${at}`, at]));
  it.each([
    ['deep', deep(2_000)],
    ['wide', wide],
    ['a long list', Array.from({ length: 3_000 }, (_, at) => at)],
    ['huge numbers', [1e308, -1e308, Number.MAX_SAFE_INTEGER * 2, 5e-324]],
    ['a prototype', JSON.parse('{"__proto__":{"a":1},"constructor":{"prototype":{}}}')],
    ['nothing', null],
  ])('%s, in place of each argument', (_, value) => {
    for (const call of some) {
      const names = Object.keys(call.args as object).slice(0, 3);
      check({ ...call, args: Object.fromEntries(names.map((name) => [name, value])) });
      if (names[0] !== undefined) check({ ...call, args: { ...(call.args as object), [names[0]]: value } });
    }
  });

  it.each([[null], ['text'], [5], [[1, 2]], [deep(2_000)]])('arguments that are no object: %#', (args) => {
    for (const call of some) check({ ...call, args });
  });

  it('anything at all', () => {
    fc.assert(
      fc.property(fc.constantFrom(...calls), fc.jsonValue({ maxDepth: 3 }), fc.nat(), (call, value, at) => {
        const names = Object.keys(call.args as object);
        const name = names[at % Math.max(1, names.length)] ?? 'x';
        check({ ...call, args: { ...(call.args as object), [name]: value } });
      }),
      { numRuns: 200 },
    );
  });
});

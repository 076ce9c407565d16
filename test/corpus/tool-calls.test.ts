/**
 * Every call of the corpus in words. To accept new words: `UPDATE_CORPUS=1 npx vitest run test/corpus`, then read
 * the difference as the person who has to decide.
 */
import { createRegistry } from '@countersign/agent-sdk/describe';
import {
  escapeInvisible,
  isSummaryLine,
  linearise,
  renderPlain,
  viewSchema,
} from '@countersign/protocol/blocks';
import { describe, expect, it } from 'vitest';
import { describeWith, expectedOf, families, readCalls, writeCalls } from './corpus.js';

const registry = createRegistry();
const corpus = families().map((family) => ({ family, calls: readCalls(family) }));

if (process.env.UPDATE_CORPUS) {
  for (const { family, calls } of corpus) {
    writeCalls(
      family,
      calls.map((call) => ({ ...call, ...expectedOf(describeWith(registry, call)) })),
    );
  }
}

describe('the corpus', () => {
  const all = corpus.flatMap(({ calls }) => calls);

  it('has calls of many tools', () => {
    expect(all.length).toBeGreaterThanOrEqual(300);
    expect(new Set(all.map(({ tool }) => tool)).size).toBeGreaterThanOrEqual(60);
  });

  it('shows every argument of every call: none is swallowed', () => {
    const lost: unknown[] = [];
    for (const call of all) {
      const { view } = describeWith(registry, call);
      const text = renderPlain(linearise(view, { maskSecrets: false }));
      // A diff leaves lines out that stay as they are.
      const known = Object.values(call.around?.files ?? {}).flatMap((file) =>
        'text' in file ? [file.text] : [],
      );
      const missing = leaves(call.args).filter((leaf) => !isShown(leaf, [text, ...known].join('\n')));
      if (missing.length > 0) lost.push([call.tool, missing]);
    }
    expect(lost).toEqual([]);
  });

  it('gives only what may be sent and hides nothing', () => {
    for (const call of all) {
      const { view } = describeWith(registry, call);
      expect(viewSchema.safeParse(view).success).toBe(true);
      expect(isSummaryLine(view.summary)).toBe(true);
      const text = renderPlain(linearise(view));
      expect(escapeInvisible(text)).toBe(text);
    }
  });
});

describe.each(families())('calls of %s', (family) => {
  it.each(readCalls(family).map((call, at) => [`${at + 1}: ${call.tool}`, call] as const))(
    '%s',
    (_, call) => {
      const { summary, blocks, risk } = call;
      expect(expectedOf(describeWith(registry, call))).toEqual({ summary, blocks, risk });
    },
  );
});

/** Texts and numbers at any depth. */
function leaves(value: unknown): string[] {
  if (typeof value === 'string') return value === '' ? [] : [value];
  if (typeof value === 'number') return [JSON.stringify(value)];
  return typeof value === 'object' && value !== null ? Object.values(value).flatMap(leaves) : [];
}

/** Of file tools that do several things: said by the verb of the summary. */
const VERBS: ReadonlySet<string> = new Set(['create', 'delete', 'insert', 'str_replace', 'undo_edit']);
/** What holds a patch together. */
const PATCH_MARK = /^(?:\*\*\* |@@|--- a|\+\+\+ b|<{7} |={7}$|>{7} )/;

/** Each line of it, as it is or as JSON writes it; the lines of a patch by what they say. */
function isShown(leaf: string, text: string): boolean {
  const isPatch = leaf.split('\n').some((line) => PATCH_MARK.test(line));
  return leaf
    .split(/[\n\r]+/)
    .filter((line) => !PATCH_MARK.test(line) && !VERBS.has(line))
    .map((line) => (isPatch ? line.slice(1) : line).trim())
    .every((line) => {
      const shown = escapeInvisible(line);
      return text.includes(shown) || text.includes(JSON.stringify(shown).slice(1, -1));
    });
}

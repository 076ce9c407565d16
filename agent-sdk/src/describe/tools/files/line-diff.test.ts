import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { diffText } from './diff-text.js';
import { diffLines, linesOf, MAX_CHANGED_LINES } from './line-diff.js';

const numbers = (count: number, change = (line: string) => line) =>
  Array.from({ length: count }, (_, i) => change(`line ${i}`));
const text = (before: readonly string[], after: readonly string[]) =>
  diffText(diffLines(before, after), before, after);

describe('lines', () => {
  it('end with a break or not', () => {
    expect([linesOf(''), linesOf('a'), linesOf('a\n'), linesOf('a\n\n'), linesOf('\n')]).toEqual([
      [],
      ['a'],
      ['a'],
      ['a', ''],
      [''],
    ]);
  });
});

describe('a diff', () => {
  it('turns the old lines into the new ones, whatever they are', () => {
    const lines = fc.array(fc.constantFrom('a', 'b', 'c', '', '- x', '= y'), { maxLength: 40 });
    fc.assert(
      fc.property(lines, lines, (before, after) => {
        const { stretches = [], added, removed } = diffLines(before, after, 10_000);
        const side = (name: 'removed' | 'added') =>
          stretches.flatMap((one) => ('same' in one ? one.same : one[name]));
        expect(side('removed')).toEqual(before);
        expect(side('added')).toEqual(after);
        expect(added - removed).toBe(after.length - before.length);
      }),
      { numRuns: 300 },
    );
  });

  it('shows three lines around each change and counts the others', () => {
    const after = numbers(60).with(30, 'changed');
    expect(text(numbers(60), after).value.split('\n')).toEqual([
      '= ⋯ 27 unchanged lines',
      '= line 27',
      '= line 28',
      '= line 29',
      '- line 30',
      '+ changed',
      '= line 31',
      '= line 32',
      '= line 33',
      '= ⋯ 26 unchanged lines',
    ]);
  });

  it('leaves no single line out', () => {
    expect(text(['a', 'b', 'c', 'd', 'e'], ['a', 'b', 'c', 'd', 'E']).value).toBe(
      '= a\n= b\n= c\n= d\n- e\n+ E',
    );
  });

  it('shows a long line around what changes in it', () => {
    const long = (middle: string) => [`${'x'.repeat(5_000)}${middle}${'y'.repeat(5_000)}`];
    const { value, cut } = text(long('old'), long('new'));
    expect(value).toMatch(
      /^- ⋯ 4,940 characters ⋯ x{60}oldy{60} ⋯ 4,940 characters ⋯\n\+ ⋯ .*newy{60} ⋯ .*⋯$/,
    );
    expect(cut).toBe(true);
  });

  it('is whole up to the limit of changed lines', () => {
    expect(diffLines([], numbers(MAX_CHANGED_LINES)).stretches).toHaveLength(1);
    expect(
      diffLines(
        numbers(MAX_CHANGED_LINES / 2),
        numbers(MAX_CHANGED_LINES / 2, (line) => `${line}!`),
        60_000,
      ).stretches,
    ).toBeDefined();
  });

  it('beyond it counts, and shows both ends of the old and of the new text', () => {
    const [before, after] = [numbers(100), numbers(MAX_CHANGED_LINES + 1, (line) => `${line}!`)];
    const diff = diffLines(before, after);
    expect(diff).toEqual({ stretches: undefined, added: MAX_CHANGED_LINES + 1, removed: 100 });
    const lines = diffText(diff, before, after).value.split('\n');
    expect(lines[0]).toBe('- line 0');
    expect(lines).toContain('= ⋯ 45 old lines left out');
    expect(lines).toContain('= ⋯ 1,946 new lines left out');
    expect(lines.at(-1)).toBe(`+ line ${MAX_CHANGED_LINES}!`);
    expect(lines.length).toBeLessThan(150);
  });

  it('takes no longer than it may', () => {
    const before = numbers(30_000, (line) => line.replace(/\d$/, ''));
    const after = before.map((line, i) => (i % 31 === 0 ? `${line}!` : line));
    expect(diffLines(before, after, 0).stretches).toBeUndefined();
  });
});

import { describe, expect, it } from 'vitest';
import { applyEdits, MAX_EDITS } from './edit.js';

const edit = (old: string, young: string, all = false) => ({ old, young, all });

describe('edits', () => {
  it('come one after the other', () => {
    expect(applyEdits('a b', [edit('a', 'b'), edit('b', 'c', true)])).toEqual({ text: 'c c', problems: [] });
  });

  it('put in what is written, not what a pattern would mean', () => {
    expect(applyEdits('a.b', [edit('.', '$&$1')]).text).toBe('a$&$1b');
  });

  it('that do not fit are told, and nothing is guessed', () => {
    const missing = applyEdits('a', [edit('x', 'y')]);
    expect(missing).toEqual({
      text: undefined,
      problems: ['the text to replace is not in the file as it is now'],
    });
    const second = applyEdits('a', [edit('a', 'b'), edit('a', 'c')]);
    expect(second.problems).toEqual(['the text to replace in edit 2 is not in the file as it is now']);
    expect(applyEdits('a', [edit('', 'b')]).text).toBeUndefined();
  });

  it('that fit more than once replace the first and say so', () => {
    expect(applyEdits('aa', [edit('a', 'b')])).toEqual({
      text: 'ba',
      problems: ['the text to replace stands 2 times in the file'],
    });
  });

  it('make a file out of nothing', () => {
    expect(applyEdits('', [edit('', 'new')]).text).toBe('new');
  });

  it('that are too many, or make too much, are not applied', () => {
    expect(applyEdits('a', Array(MAX_EDITS + 1).fill(edit('a', 'a'))).text).toBeUndefined();
    expect(applyEdits(' '.repeat(100_000), [edit(' ', 'x'.repeat(1_000), true)]).text).toBeUndefined();
  });
});

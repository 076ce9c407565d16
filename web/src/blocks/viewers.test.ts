/** What viewers make of values before they are drawn. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { localTime } from './datetime/local-time.js';
import { changedPairs, diffLines } from './diff/diff-lines.js';
import { MAX_LINE_UNITS, MAX_PAIRS, wordMarks } from './diff/word-marks.js';
import { mailTarget } from './email/email-value.js';
import { jsonNodes, MAX_NODES } from './json/json-nodes.js';
import { textsOf } from './texts.js';
import { webTarget } from './url/url-value.js';
import { isWide } from './view-blocks.js';

describe('a diff', () => {
  it('has its lines with their signs and numbers, past what was left out', () => {
    expect(diffLines('= a\n= ⋯ 1,042 unchanged lines\n- b\n+ c\n=\nx')).toEqual([
      { kind: 'same', text: 'a', oldNumber: 1, newNumber: 1 },
      { kind: 'gap', text: '⋯ 1,042 unchanged lines' },
      { kind: 'old', text: 'b', oldNumber: 1044 },
      { kind: 'new', text: 'c', newNumber: 1044 },
      { kind: 'same', text: '', oldNumber: 1045, newNumber: 1045 },
      { kind: 'plain', text: 'x' },
    ]);
  });

  it('loses no character of any value', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), (value) => {
        const length = diffLines(value).reduce((sum, { text }) => sum + text.length, 0);
        expect(length).toBeGreaterThanOrEqual(value.length - 3 * value.split('\n').length);
      }),
    );
  });

  it('marks the words of lines that changed into each other', () => {
    const marks = wordMarks(diffLines('- the old word here\n+ the new word here'));
    expect(marks.get(0)?.filter(({ marked }) => marked)).toEqual([{ text: 'old', marked: true }]);
    expect(
      marks
        .get(1)
        ?.map(({ text }) => text)
        .join(''),
    ).toBe('the new word here');
  });

  it('marks nothing in lines with little in common, too long ones, and past the last pair', () => {
    expect(wordMarks(diffLines('- abc\n+ xyz')).size).toBe(0);
    const long = 'a '.repeat(MAX_LINE_UNITS);
    expect(wordMarks(diffLines(`- ${long}\n+ ${long}b`)).size).toBe(0);
    const many = `- same a\n+ same b\n= -\n`.repeat(MAX_PAIRS + 5);
    expect(wordMarks(diffLines(many)).size).toBe(2 * MAX_PAIRS);
  });

  it('pairs runs of lines one to one', () => {
    expect(changedPairs(diffLines('- a\n- b\n+ c\n= d\n+ e'))).toEqual([[0, 2]]);
  });
});

describe('JSON', () => {
  it('keeps numbers as they were written', () => {
    expect(jsonNodes('{"n":12345678901234567890,"f":1.50}')).toMatchObject({
      entries: [{ node: { text: '12345678901234567890' } }, { node: { text: '1.50' } }],
    });
  });

  it('is secret under a secret name, all the way down', () => {
    expect(jsonNodes('{"password":{"a":["x"]}}')).toMatchObject({
      entries: [{ node: { entries: [{ node: { entries: [{ node: { kind: 'secret', text: 'x' } }] } }] } }],
    });
  });

  it.each(['{', '', '{"a":1,"a":2}', `[${'1,'.repeat(MAX_NODES)}1]`, '['.repeat(100) + ']'.repeat(100)])(
    'that is none, or is too much for a tree, is not one',
    (text) => {
      expect(jsonNodes(text)).toBeUndefined();
    },
  );
});

describe('a link', () => {
  it.each([
    ['https://good.example@evil.example/', 'https://good.example@evil.example/'],
    ['https://аpple.com', 'https://xn--pple-43d.com/'],
    ['javascript:alert(1)', undefined],
    ['data:text/html,x', undefined],
    ['not a url', undefined],
  ])('%j opens %j', (value, target) => {
    expect(webTarget(value)).toBe(target);
  });

  it.each([
    ['ann@example.org', 'mailto:ann@example.org'],
    ['ann@example.org?bcc=eve', 'mailto:ann@example.org%3Fbcc%3Deve'],
    ['ann@example.org?bcc=eve@example.org', undefined],
    ['a@b, c@d', undefined],
    ['Ann <ann@example.org>', undefined],
  ])('to %j writes to %j', (value, target) => {
    expect(mailTarget(value)).toBe(target);
  });
});

describe('a time', () => {
  it('is said in the person’s zone', () => {
    expect(localTime('2026-12-24T18:00:00+01:00', 'America/New_York')).toContain('12:00');
  });

  it.each(['2026-12-24', '2026-12-24T18:00', 'tomorrow', '9999-99-99T99:99Z'])(
    '%j is none that is known',
    (text) => {
      expect(localTime(text)).toBeUndefined();
    },
  );
});

it('texts hide the secrets of the view and of the arguments, and show what hides', () => {
  const view = {
    v: 1 as const,
    summary: '',
    blocks: [{ type: 'field' as const, label: 'Key', value: 'abcd-secret', value_type: 'secret' as const }],
  };
  const texts = textsOf(view, { password: 'from-arguments' });
  expect(texts.show('abcd-secret and from-arguments\u202E')).toBe('•••••••• and ••••••••⟨U+202E⟩');
  expect(texts.hides('nothing')).toBe(false);
});

it('a value that does not fit a row has the whole width', () => {
  const row = (value: string) => isWide({ type: 'key_value', key: 'a', value });
  expect([row('x'), row('x\ny'), row('x'.repeat(161))]).toEqual([false, true, true]);
});

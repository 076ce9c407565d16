import { readFileSync } from 'node:fs';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { degradeView } from './degrade.js';
import { type Line, linearise } from './linearise.js';
import { collectSecrets, MASK } from './mask.js';
import { PLAIN_INDENT, renderPlain } from './plain.js';
import { nastyText, someView } from './view.fixtures.js';
import { type Block, rowName, VALUE_TYPES, type View, viewSchema } from './view.js';
import { escapeInvisible, escapeToLine } from './visible.js';

const vectors = JSON.parse(
  readFileSync(new URL('../../vectors/countersign-v1.json', import.meta.url), 'utf8'),
) as { views_of_the_users_document: View[] };
const [email, file] = vectors.views_of_the_users_document as [View, View];

function viewOf(...blocks: unknown[]): View {
  const { view } = degradeView({ v: 1, summary: 's', blocks });
  if (view === undefined) throw new Error('no view');
  return view;
}

function plain(...blocks: unknown[]): string {
  return renderPlain(linearise(viewOf(...blocks)));
}

describe("the two views of the user's document", () => {
  it('are what a sender may send', () => {
    expect(viewSchema.parse(email)).toEqual(email);
    expect(viewSchema.parse(file)).toEqual(file);
  });

  it('come out of degrading as they went in', () => {
    expect(degradeView(email).view).toEqual(email);
    expect(degradeView(file).view).toEqual(file);
  });

  it('flatten to text: the email', () => {
    expect(linearise(email)).toEqual([
      { kind: 'text', text: 'Send an email to to@mail.com' },
      { kind: 'pair', key: 'Email-To', value: 'to@mail.com' },
      { kind: 'pair', key: 'Subject', value: 'Q3 Estimate' },
      { kind: 'pair', key: 'Body', value: '…body…' },
    ]);
    expect(renderPlain(linearise(email))).toBe(
      'Send an email to to@mail.com\nEmail-To: to@mail.com\nSubject: Q3 Estimate\nBody: …body…',
    );
  });

  it('flatten to text: the file, its diff in monospace', () => {
    expect(linearise(file)).toEqual([
      { kind: 'text', text: 'Write /path/x.rs' },
      { kind: 'pair', key: 'File', value: '/path/x.rs' },
      { kind: 'pre', label: 'Diff', lang: 'diff', text: '= same\n- old line\n+ new line' },
    ]);
    expect(renderPlain(linearise(file))).toBe(
      'Write /path/x.rs\nFile: /path/x.rs\nDiff:\n    = same\n    - old line\n    + new line',
    );
  });
});

describe('degrading', () => {
  it('takes a bare list as version 1, unless a version beside it says otherwise', () => {
    const bare = [{ type: 'field', label: 'A', value: 'b', value_type: 'string' }];
    expect(degradeView(bare, { summary: 'S' }).view).toEqual({ v: 1, summary: 'S', blocks: bare });
    expect(degradeView(bare, { v: 1 }).view?.blocks).toEqual(bare);
    expect(degradeView(bare, { v: 2 })).toEqual({});
  });

  it.each([
    ['another version', { v: 2, summary: 's', blocks: [{}] }],
    ['a version as text', { v: '1', summary: 's', blocks: [{}] }],
    ['no version', { summary: 's', blocks: [{}] }],
    ['no blocks', { v: 1, summary: 's' }],
    ['an empty list', { v: 1, summary: 's', blocks: [] }],
    ['an empty bare list', []],
    ['null', null],
    ['nothing', undefined],
    ['a string', 'view'],
    ['blocks that are no list', { v: 1, blocks: { length: 1 } }],
  ])('sees no view in %s', (_name, value) => {
    expect(degradeView(value)).toEqual({});
  });

  it('reads an unknown type as key_value and an unknown value type as string', () => {
    expect(viewOf({ type: 'hologram', label: 'L', value: 'v', value_type: 'smell' }).blocks).toEqual([
      { type: 'key_value', key: 'L', value: 'v', value_type: 'string' },
    ]);
  });

  it('takes an absent value type as string', () => {
    expect(viewOf({ type: 'field', label: 'L', value: 'v' }).blocks[0]?.value_type).toBe('string');
  });

  it('names a row by key, else label, else Value', () => {
    const names = [
      { key: 'k', label: 'l', value: '' },
      { label: 'l', value: '' },
      { key: null, value: '' },
    ].map((block) => rowName(viewOf(block).blocks[0] as Block));
    expect(names).toEqual(['k', 'l', 'Value']);
  });

  it.each([
    [{ a: [1, null] }, '{"a":[1,null]}'],
    [[1, 2], '[1,2]'],
    [false, 'false'],
    [1.5, '1.5'],
    [null, 'null'],
  ])('shows the value %j as JSON', (value, shown) => {
    expect(viewOf({ type: 'field', label: 'L', value }).blocks[0]?.value).toBe(shown);
  });

  it.each([
    ['a string', 'boo', '"boo"'],
    ['null', null, 'null'],
    ['a list', [1], '[1]'],
    ['a block without a value', { type: 'field', label: 'L' }, '{"type":"field","label":"L"}'],
    [
      'a member named like a prototype',
      JSON.parse('{"__proto__":{"value":"x"}}'),
      '{"__proto__":{"value":"x"}}',
    ],
  ])('shows %s as its raw JSON, never skipped', (_name, block, shown) => {
    expect(viewOf(block).blocks).toEqual([
      { type: 'key_value', key: 'Value', value: shown, value_type: 'json' },
    ]);
  });

  it('keeps the number of blocks and throws at nothing', () => {
    fc.assert(
      fc.property(fc.array(fc.anything(), { minLength: 1 }), fc.anything(), (blocks, v) => {
        const { view } = degradeView({ v: 1, summary: v, blocks });
        expect(view?.blocks.length).toBe(blocks.length);
        renderPlain(linearise(view as View));
        degradeView(v);
      }),
    );
  });

  it('says so when a value cannot be shown at all', () => {
    const cycle: unknown[] = [];
    cycle.push(cycle);
    expect(viewOf({ key: 'k', value: cycle }).blocks[0]?.value).toMatch(/cannot be shown/);
  });
});

describe('flattening', () => {
  it('shows every value whole, line breaks and all, whatever the layout', () => {
    const value = 'first\nsecond\n\nfourth';
    for (const type of ['key_value', 'field', 'block']) {
      const lines = linearise(viewOf({ type, label: 'L', value, value_type: 'text' }));
      expect(lines[1]).toEqual({ kind: 'pair', key: 'L', value });
    }
  });

  it('puts commands, code, diffs and JSON of several lines in monospace', () => {
    const kinds = VALUE_TYPES.map((value_type) => {
      const lines = linearise(viewOf({ type: 'block', label: 'L', value: '{\n}', value_type }));
      return lines[1]?.kind === 'pre' ? value_type : '';
    }).filter((name) => name !== '');
    expect(kinds).toEqual(['code', 'diff', 'command', 'json']);
  });

  it('names a language only if it is a name', () => {
    const langs = ['rust', 'c++', '`x', 'a b', '<b>', 'x'.repeat(40)].map((lang) => {
      const line = linearise(viewOf({ type: 'block', label: 'L', value: 'v', value_type: 'code', lang }))[1];
      return line?.kind === 'pre' ? line.lang : 'none';
    });
    expect(langs).toEqual(['rust', 'c++', undefined, undefined, undefined, undefined]);
  });

  it('marks a value that its sender cut', () => {
    expect(plain({ key: 'Log', value: 'abc', truncated: true })).toBe('s\nLog (cut): abc');
  });

  it('masks a secret in its own row, in other rows, and in the summary', () => {
    const { view } = degradeView({
      v: 1,
      summary: 'Log in with hunter2',
      blocks: [
        { type: 'key_value', key: 'Password', value: 'hunter2', value_type: 'secret' },
        { type: 'block', label: 'Command', value: 'login -p hunter2', value_type: 'command' },
      ],
    });
    const text = renderPlain(linearise(view as View));
    expect(text).not.toContain('hunter2');
    expect(text).toBe(`Log in with ${MASK}\nPassword: ${MASK}\nCommand:\n    login -p ${MASK}`);
  });

  it('shows secrets only where they are asked for, still marked', () => {
    const lines = linearise(viewOf({ key: 'Token', value: 'abc', value_type: 'secret' }), {
      maskSecrets: false,
    });
    expect(lines[1]).toEqual({ kind: 'pair', key: 'Token', value: 'abc', secret: true });
  });

  it('loses nothing and doubles nothing of any view', () => {
    fc.assert(
      fc.property(someView, (view) => {
        const lines = linearise(view, { maskSecrets: false });
        const rows = lines.slice(view.summary === '' ? 0 : 1);
        expect(rows.map(shownValue)).toEqual(view.blocks.map((block) => escapeInvisible(block.value)));
        expect(rows.map(shownName)).toEqual(view.blocks.map((block) => escapeToLine(rowName(block))));
      }),
    );
  });

  it('is quick with as many blocks and secrets as a payload can hold', () => {
    const secrets = Array.from({ length: 200 }, (_, at) => ({ key: 'token', value: `secret-number-${at}` }));
    const small = Array.from({ length: 30_000 }, () => ({ key: 'k', value: 'v' }));
    const { view } = degradeView([...secrets, ...small]);
    const began = performance.now();
    expect(linearise(view as View)).toHaveLength(30_200);
    expect(performance.now() - began).toBeLessThan(8000);
  });

  it('lets no secret of a view through', () => {
    fc.assert(
      fc.property(someView, nastyText, (view, secret) => {
        fc.pre(secret.trim().length >= 4 && !/[•()]/.test(secret));
        const planted = {
          ...view,
          blocks: [
            ...view.blocks,
            { type: 'key_value' as const, key: 'Token', value: secret, value_type: 'secret' as const },
            { type: 'block' as const, label: 'Note', value: `(${secret})`, value_type: 'text' as const },
          ],
        };
        expect(collectSecrets(planted)).toContain(secret);
        expect(linearise(planted).at(-1)).toEqual({ kind: 'pair', key: 'Note', value: `(${MASK})` });
      }),
    );
  });
});

function shownValue(line: Line): string {
  return line.kind === 'pair' ? line.value : line.text;
}

function shownName(line: Line): string {
  return line.kind === 'pair' ? line.key : line.kind === 'pre' ? (line.label ?? '') : '';
}

describe('the plain dialect', () => {
  it('lets no value write a row of its own', () => {
    expect(plain({ key: 'Note', value: 'harmless\nCommand: ls' })).toBe(
      's\nNote:\n    harmless\n    Command: ls',
    );
  });

  it('gives every value of several lines back when the indent is taken away', () => {
    fc.assert(
      fc.property(nastyText, (value) => {
        const rendered = renderPlain([{ kind: 'pre', text: value }]);
        const back = rendered.split('\n').map((line) => line.slice(PLAIN_INDENT.length));
        expect(back.join('\n')).toBe(value);
      }),
    );
  });

  it('begins exactly one line per row in the first column', () => {
    fc.assert(
      fc.property(someView, (view) => {
        const lines = linearise(view);
        const starts = renderPlain(lines)
          .split('\n')
          .filter((line) => !line.startsWith(PLAIN_INDENT));
        const rows = lines.filter((line) => !renderPlain([line]).startsWith(PLAIN_INDENT));
        expect(starts.length).toBe(rows.length);
      }),
    );
  });

  it('holds no hidden character and is well-formed', () => {
    fc.assert(
      fc.property(someView, (view) => {
        const text = renderPlain(linearise(view));
        expect(escapeInvisible(text)).toBe(text);
      }),
    );
  });
});

describe('what a sender may send', () => {
  const block = { type: 'key_value', key: 'K', value: 'v', value_type: 'string' };
  it.each([
    ['a value that is no string', { ...block, value: 5 }],
    ['a key_value with a label', { type: 'key_value', label: 'L', value: 'v' }],
    ['a field with a key', { type: 'field', key: 'K', value: 'v' }],
    ['an unknown type', { ...block, type: 'table' }],
    ['an unknown value type', { ...block, value_type: 'smell' }],
    ['an unknown member', { ...block, color: 'red' }],
    ['a lone surrogate', { ...block, value: '\uD800' }],
  ])('not %s', (_name, bad) => {
    expect(viewSchema.safeParse({ v: 1, summary: 's', blocks: [block] }).success).toBe(true);
    expect(viewSchema.safeParse({ v: 1, summary: 's', blocks: [bad] }).success).toBe(false);
  });
});

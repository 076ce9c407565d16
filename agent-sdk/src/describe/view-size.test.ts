import { type Block, MASK, rowName, type View, viewSchema } from '@countersign/protocol/blocks';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { block, row } from './rows.js';
import { cutView, MAX_BLOCKS, MAX_VIEW_BYTES } from './view-size.js';

const view = (blocks: Block[]): View => ({ v: 1, summary: 'x', blocks });
const bytes = (given: View) => Buffer.byteLength(JSON.stringify(given.blocks));

describe('a view', () => {
  it('that fits stays as it is', () => {
    const given = view([row('a', '1'), block('b', 'two\nlines')]);
    expect(cutView(given)).toBe(given);
  });

  it('that is too large loses the middle of its largest values, and says how much', () => {
    const text = Array.from({ length: 40_000 }, (_, i) => `line ${i}`).join('\n');
    const cut = cutView(view([row('path', '/x'), block('Content', text)]));
    const [path, content] = cut.blocks;
    expect(path).toEqual(row('path', '/x'));
    expect(content).toMatchObject({ truncated: true, value_len: text.length });
    expect(content?.value).toMatch(
      /^line 0\nline 1\n[\s\S]*\n⋯ \d+ characters left out\n[\s\S]*\nline 39999$/,
    );
    expect(bytes(cut)).toBeLessThanOrEqual(MAX_VIEW_BYTES + 1_000);
    expect(bytes(cut)).toBeGreaterThan(MAX_VIEW_BYTES * 0.8);
  });

  it('says in a line of the diff what it left out of it', () => {
    const diff = '+ added line\n'.repeat(20_000);
    expect(cutView(view([block('Changes', diff, 'diff')])).blocks[0]?.value).toMatch(
      /\n= ⋯ \d+ characters left out\n/,
    );
  });

  it('counts rows beyond the limit', () => {
    const rows = Array.from({ length: MAX_BLOCKS + 1 }, (_, i) => row(`r${i}`, 'x'));
    expect(cutView(view(rows.slice(1))).blocks).toHaveLength(MAX_BLOCKS);
    const cut = cutView(view(rows)).blocks;
    expect(cut).toHaveLength(MAX_BLOCKS);
    expect(cut.at(-1)).toMatchObject({ value: '2 more rows', truncated: true });
  });

  it('shortens a name that is no name', () => {
    const cut = cutView(view([row('n'.repeat(1_000_000), 'x')])).blocks[0] as Block;
    expect(rowName(cut).length).toBeLessThan(300);
    expect(cut.truncated).toBe(true);
  });

  it('leaves no half of a token where it cuts', () => {
    const token = `ghp_${'a1B2c3D4e5F6'.repeat(3)}`;
    const text = `${'x '.repeat(1_000)}${`${token} `.repeat(10_000)}`;
    const value = cutView(view([block('Content', text)])).blocks[0]?.value ?? '';
    expect(value).not.toContain('ghp_');
    expect(value).toContain(MASK);
  });

  it('shows no end of a secret', () => {
    const key = `${'k'.repeat(400_000)}END`;
    expect(cutView(view([row('Key', key, 'secret')])).blocks[0]?.value).not.toContain('END');
  });

  it('is always within the limit and fit to be sent', () => {
    const text = fc
      .tuple(fc.string({ unit: 'binary', minLength: 1, maxLength: 6 }), fc.integer({ min: 0, max: 60_000 }))
      .map(([piece, times]) => piece.repeat(times));
    fc.assert(
      fc.property(fc.array(text, { minLength: 1, maxLength: 4 }), (values) => {
        const cut = cutView(view(values.map((value) => block('Value', value))));
        expect(viewSchema.safeParse(cut).success).toBe(true);
        expect(bytes(cut)).toBeLessThanOrEqual(MAX_VIEW_BYTES + 1_000);
      }),
      { numRuns: 40 },
    );
  });
});

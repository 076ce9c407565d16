/**
 * The golden pages are what the dialects write. To accept a change: `UPDATE_GOLDEN=1 npx vitest run test/golden`, then
 * read the difference.
 */
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { GOLDEN_CALLS } from './calls.js';
import { goldenPage } from './page.js';

const fileOf = (name: string): URL => new URL(`./${name}.md`, import.meta.url);

if (process.env.UPDATE_GOLDEN)
  for (const call of GOLDEN_CALLS) writeFileSync(fileOf(call.name), goldenPage(call));

describe('the golden page', () => {
  it.each(GOLDEN_CALLS.map((call) => [call.name, call] as const))('%s', (name, call) => {
    expect(existsSync(fileOf(name)) ? readFileSync(fileOf(name), 'utf8') : '').toBe(goldenPage(call));
  });

  it('is there for each of twenty calls and for nothing else', () => {
    const pages = readdirSync(new URL('./', import.meta.url)).filter((file) => /^\d\d-/.test(file));
    expect(pages.sort()).toEqual(GOLDEN_CALLS.map(({ name }) => `${name}.md`));
    expect(pages).toHaveLength(20);
  });
});

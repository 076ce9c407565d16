/** The page of metrics against the program. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { METRICS } from '../../server/src/observability/index.js';
import { createTally } from '../../server/src/ports/index.js';
import { root } from './source-graph.js';

const page = readFileSync(join(root, 'docs/metrics.md'), 'utf8');

it('the table of metrics has each with its kind, labels and meaning', () => {
  const [, table = ''] = page.split('| metric | kind | labels | meaning |\n| --- | --- | --- | --- |\n');
  const rows = table.split('\n\n')[0]?.split('\n');
  const expected = Object.values(METRICS).map(({ name, type, labels, help }) => {
    const named = labels.map((label) => `\`${label}\``).join(', ') || '–';
    return `| \`${name}\` | ${type} | ${named} | ${help} |`;
  });
  expect(rows).toEqual(expected);
});

it('every label is explained, and every fate and reason of a count is named', () => {
  const labels = Object.values(METRICS).flatMap((metric) => [...metric.labels]);
  const { live, queued, refused } = createTally();
  const values = [live, queued, refused].flatMap((counts) => Object.keys(counts));
  for (const label of labels) expect(page).toContain(`| \`${label}\` |`);
  for (const value of values) expect(page).toContain(`\`${value}\``);
});

/**
 * How fast the relay is, beside a baseline in the same run: `npm run bench -- [--quick] [--docs] [names]`. Writes all
 * it found as JSON into a file, and prints a table.
 */
import { mkdtempSync, writeFileSync } from 'node:fs';
import { loadavg, tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { durable } from './rows/durable.js';
import { live } from './rows/live.js';
import { machine } from './support/measure.js';
import { type Row, table } from './support/report.js';
import type { RunOptions } from './support/run-options.js';
import { pinGenerator } from './support/server-process.js';

const BENCHES: Readonly<Record<string, (options: RunOptions) => Promise<Row[]>>> = { live, durable };

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    quick: { type: 'boolean', default: false },
    /** A folder for the relay's processor profile. */
    profile: { type: 'string' },
  },
});

function optionsOf({ quick, profile }: typeof values): RunOptions {
  const flags = profile === undefined ? [] : ['--cpu-prof', `--cpu-prof-dir=${profile}`];
  return { quick, pairs: 5, runMs: quick ? 500 : 3000, profile: flags };
}

const names = positionals.length > 0 ? positionals : Object.keys(BENCHES);
const unknown = names.filter((name) => !Object.hasOwn(BENCHES, name));
if (unknown.length > 0) {
  console.error(`usage: npm run bench -- [--quick] [${Object.keys(BENCHES).join('|')}]`);
  process.exit(2);
}
const pinned = pinGenerator();
const load = { before: loadavg()[0] ?? 0 };
const rows: Row[] = [];
for (const name of names) {
  console.error(`measuring ${name} …`);
  rows.push(...((await BENCHES[name]?.(optionsOf(values))) ?? []));
}
const result = {
  bench: 'relay',
  machine: machine(),
  pinned,
  loadBefore: load.before,
  loadAfter: loadavg()[0],
  rows,
};
const file = join(mkdtempSync(join(tmpdir(), 'countersign-bench-')), 'relay.json');
writeFileSync(file, `${JSON.stringify(result, undefined, 2)}\n`);
console.log(table(rows));
console.log(`\n${file}`);

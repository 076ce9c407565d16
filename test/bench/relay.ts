/**
 * How fast the relay is, beside a baseline in the same run: `npm run bench -- [--quick] [--docs] [names]`. Writes all
 * it found as JSON into a file and prints a table; `--docs` puts the table into the documentation too.
 */
import { mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { cpus, loadavg, tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { drain } from './rows/drain.js';
import { durable } from './rows/durable.js';
import { live } from './rows/live.js';
import { logins } from './rows/logins.js';
import { push } from './rows/push.js';
import { scale } from './rows/scale.js';
import { start } from './rows/start.js';
import { machine } from './support/measure.js';
import { type Row, summary, table } from './support/report.js';
import type { RunOptions } from './support/run-options.js';
import { pinGenerator } from './support/server-process.js';

const BENCHES: Readonly<Record<string, (options: RunOptions) => Promise<Row[]>>> = {
  live,
  durable,
  drain,
  logins,
  scale,
  start,
  push,
};
const PAGE = fileURLToPath(new URL('../../docs/relay-bench.md', import.meta.url));
const MARKS = ['<!-- measured -->', '<!-- /measured -->'] as const;

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    quick: { type: 'boolean', default: false },
    docs: { type: 'boolean', default: false },
    /** Measurements of each side. */
    pairs: { type: 'string', default: '5' },
    /** A folder for the relay's processor profiles. */
    profile: { type: 'string' },
  },
});

function optionsOf({ quick, profile, pairs }: typeof values): RunOptions {
  const flags = profile === undefined ? [] : ['--cpu-prof', `--cpu-prof-dir=${profile}`];
  return { quick, pairs: Math.max(1, Number.parseInt(pairs, 10)), runMs: quick ? 500 : 3000, profile: flags };
}

function namesOf(given: readonly string[]): readonly string[] {
  if (given.every((name) => Object.hasOwn(BENCHES, name)))
    return given.length > 0 ? given : Object.keys(BENCHES);
  console.error(`usage: npm run bench -- [--quick] [--docs] [${Object.keys(BENCHES).join('|')}]`);
  process.exit(2);
}

/** Processes that wanted a core, over the last minute. */
const loadNow = (): number => Number((loadavg()[0] ?? 0).toFixed(1));

function circumstances(result: Awaited<ReturnType<typeof measureAll>>): string {
  const { machine: of, pinned, quick, loadBefore, loadAfter } = result;
  const isBusy = loadBefore > cpus().length / 2;
  return [
    `${of.cores} cores of ${of.cpu}, Node ${of.node}, ${quick ? 'short runs' : 'full runs'}, `,
    `server and generator ${pinned ? 'on a core each' : 'not kept apart'}; load average ${loadBefore} before, `,
    `${loadAfter} after${isBusy ? ': others were using the machine, so trust no single figure' : ''}.`,
  ].join('');
}

async function measureAll(names: readonly string[]) {
  const pinned = pinGenerator();
  const loadBefore = loadNow();
  const rows: Row[] = [];
  for (const name of names) {
    console.error(`measuring ${name} …`);
    const found = (await BENCHES[name]?.(optionsOf(values))) ?? [];
    for (const row of found) console.error(`  ${summary(row)}`);
    rows.push(...found);
  }
  const { quick } = values;
  return { bench: 'relay', machine: machine(), quick, pinned, loadBefore, loadAfter: loadNow(), rows };
}

function putIntoPage(text: string): void {
  const page = readFileSync(PAGE, 'utf8');
  const [before = '', rest = ''] = page.split(MARKS[0]);
  const [, after = ''] = rest.split(MARKS[1]);
  writeFileSync(PAGE, `${before}${MARKS[0]}\n\n${text}\n\n${MARKS[1]}${after}`);
}

const result = await measureAll(namesOf(positionals));
const file = join(mkdtempSync(join(tmpdir(), 'countersign-bench-')), 'relay.json');
writeFileSync(file, `${JSON.stringify(result, undefined, 2)}\n`);
const text = `${circumstances(result)}\n\n${table(result.rows)}`;
if (values.docs) putIntoPage(text);
console.log(`${text}\n\n${file}`);

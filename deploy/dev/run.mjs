#!/usr/bin/env node
/**
 * Where `npm start`, `npm test`, `npm run check`, `npm run bench` and the relay's trials enter. Uses nothing but Node,
 * because on a fresh clone nothing else is there: it installs when the lock file changed, builds, and hands over.
 */
import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { missingText, planTools } from './tools.mjs';

const root = join(dirname(fileURLToPath(import.meta.url)), '..', '..');
const OLDEST_NODE = [20, 19];

refuseOldNode();
const [command = '', ...rest] = process.argv.slice(2);
const trials = { chaos: trial('chaos'), fuzz: trial('fuzz'), abuse: trial('abuse') };
const commands = { start, test, check, build, setup: () => setup(), bench, ...trials };
if (!Object.hasOwn(commands, command)) {
  console.error(`usage: run.mjs ${Object.keys(commands).join('|')}`);
  process.exit(2);
}
process.chdir(root);
process.exit(commands[command](rest));

function refuseOldNode() {
  const [major = 0, minor = 0] = process.versions.node.split('.').map(Number);
  if (major > OLDEST_NODE[0] || (major === OLDEST_NODE[0] && minor >= OLDEST_NODE[1])) return;
  console.error(
    `Countersign needs Node ${OLDEST_NODE.join('.')} or newer; this is ${process.versions.node}. Install a newer Node and try again.`,
  );
  process.exit(1);
}

function setup(project = '.') {
  if (install()) console.log('Building …');
  return firstFailure([
    () => node('node_modules/typescript/bin/tsc', ['-b', project]),
    () => node('server/build.mjs', []),
  ]);
}

/** Builds what runs, not the tests. */
function start(args) {
  const built = firstFailure([() => setup('deploy'), app]);
  return built === 0 ? node('deploy/dist/demo/main.js', args) : built;
}

/** Everything that is built. */
function build() {
  return firstFailure([() => setup(), app]);
}

/** The web app, unless it is of these very sources. */
function app() {
  return node('web/build.mjs', []);
}

/** Types, formatting, lint with types, and the house rules (import fences, lock file). */
function check() {
  install();
  return firstFailure([
    () => node('node_modules/typescript/bin/tsc', ['-b']),
    () => node('node_modules/@biomejs/biome/bin/biome', ['check', '--error-on-warnings', '.']),
    () => node('node_modules/oxlint/bin/oxlint', ['--type-aware', '--deny-warnings']),
    () => node('node_modules/vitest/vitest.mjs', ['run', 'test/house', '--reporter=dot']),
  ]);
}

/** Everything of test/bench, or what is named: `describe`, or rows of the relay's bench, which measures what is built. */
function bench(args) {
  const built = setup('server');
  if (built !== 0) return built;
  const withoutDescribe = args.filter((arg) => arg !== 'describe');
  const isNamed = args.some((arg) => !arg.startsWith('-'));
  const steps = [];
  if (!isNamed || withoutDescribe.some((arg) => !arg.startsWith('-'))) {
    steps.push(() => fromSource('test/bench/relay.ts', withoutDescribe));
  }
  const isWhole = !isNamed && !args.includes('--quick');
  if (isWhole || args.includes('describe')) steps.push(() => fromSource('test/bench/describe.ts', []));
  return firstFailure(steps);
}

function fromSource(file, args) {
  const loader = new URL('../../test/support/typescript-loader.mjs', import.meta.url).href;
  return node(file, args, ['--import', loader]);
}

/** A trial of the relay that is built, whole: `npm run chaos -- --seed 1`. */
function trial(name) {
  return (args) => {
    const built = setup('server');
    return built === 0 ? fromSource(`test/${name}/main.ts`, args) : built;
  };
}

/**
 * Builds (commands under test run the built programs), runs vitest, and closes with the line CI reads. `--no-tools`
 * and `--no-browser` leave out tests that need programs from outside npm.
 */
function test(given) {
  const { args, left, missing } = planTools(given);
  if (missing.length > 0) {
    console.error(missingText(missing));
    return 1;
  }
  process.env.COUNTERSIGN_TESTS_LEFT_OUT = left.join(',');
  const built = build();
  if (built !== 0) return built;
  const report = join(root, 'node_modules', '.countersign-test-report.json');
  rmSync(report, { force: true });
  const status = node('node_modules/vitest/vitest.mjs', [
    'run',
    '--reporter=default',
    '--reporter=json',
    `--outputFile.json=${report}`,
    ...args,
  ]);
  for (const folder of left) console.log(`Left out as asked: ${folder}`);
  return closingLine(status, report);
}

function closingLine(status, report) {
  if (!existsSync(report)) {
    console.error('The test run ended without a report.');
    return status || 1;
  }
  const {
    numPassedTests: passed,
    numFailedTests: failed,
    numPendingTests: skipped,
    numTodoTests: todo,
  } = JSON.parse(readFileSync(report, 'utf8'));
  const left = skipped + todo;
  if (left > 0)
    console.error(`${left} tests were skipped; a skipped test needs a reason, and there is none.`);
  if (passed === 0) console.error('No test ran.');
  console.log(`${passed} passed, ${failed} failed`);
  return status || (left > 0 || passed === 0 ? 1 : 0);
}

/** `npm ci`, unless node_modules is what this lock file says. True when it installed. */
function install() {
  const lock = join(root, 'package-lock.json');
  const marker = join(root, 'node_modules', '.countersign-lock');
  const hash = createHash('sha256').update(readFileSync(lock)).digest('hex');
  if (existsSync(marker) ? readFileSync(marker, 'utf8') === hash : installedAfter(lock)) return false;
  console.log('Installing dependencies (once; SQLite may be compiled, which takes a minute or more) …');
  const npm = process.env.npm_execpath;
  const options = ['ci', '--no-audit', '--no-fund'];
  const done = npm
    ? spawnSync(process.execPath, [npm, ...options], { stdio: 'inherit' })
    : spawnSync('npm', options, { stdio: 'inherit', shell: process.platform === 'win32' });
  if (done.status !== 0) process.exit(done.status ?? 1);
  writeFileSync(marker, hash);
  return true;
}

function installedAfter(lock) {
  const installed = join(root, 'node_modules', '.package-lock.json');
  return existsSync(installed) && statSync(installed).mtimeMs >= statSync(lock).mtimeMs;
}

function firstFailure(steps) {
  for (const step of steps) {
    const status = step();
    if (status !== 0) return status;
  }
  return 0;
}

/** Runs a JavaScript file under this Node; Ctrl-C reaches the child, and its exit code is ours. */
function node(file, args, flags = []) {
  const ignore = () => {};
  process.on('SIGINT', ignore);
  const { status, signal } = spawnSync(process.execPath, [...flags, join(root, file), ...args], {
    stdio: 'inherit',
  });
  process.off('SIGINT', ignore);
  return status ?? (signal === 'SIGINT' ? 130 : 1);
}

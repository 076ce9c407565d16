#!/usr/bin/env node
/**
 * Builds the app unless the last build was of these very files: `node web/build.mjs [--force]`. The list of files
 * that works offline is made here and handed to the service worker's build.
 */
import { createHash } from 'node:crypto';
import { existsSync, mkdtempSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { brotliCompressSync, constants, gzipSync } from 'node:zlib';
import { build } from 'vite';
import { filesBelow, writeList } from './release-files.mjs';

const here = fileURLToPath(new URL('.', import.meta.url));
const root = join(here, '..');
const outDir = join(root, 'server', 'app');
const STAMP = '.built-from';
const stamp = join(outDir, STAMP);

/** Everything that the result depends on. */
const INPUTS = ['web', 'client-sdk/src', 'protocol/src', 'package-lock.json'];
const IGNORED = /(^|\/)(node_modules|dist)(\/|$)|\.(test|fixtures)\.tsx?$/;
/** Offline only what a page needs to open; the viewers come along, the QR reader too. */
const NOT_KEPT = /^\.|\.map$|^worker\.js$/;
const COMPRESSED = /\.(js|css|html|svg|wasm|webmanifest)$/;
/** Nearly as small as the highest, in a tenth of its time. */
const BROTLI_QUALITY = 9;

// A test runner says "test" here, and would get an app for development.
process.env.NODE_ENV = 'production';

const wanted = hashOfInputs();
const isCurrent = existsSync(stamp) && readFileSync(stamp, 'utf8') === wanted;
if (!isCurrent || process.argv.includes('--force')) await buildApp();

/** Aside, and put in place when it is whole: a relay may be serving, and another build may run. */
async function buildApp() {
  const folder = mkdtempSync(join(root, 'server', '.app-'));
  try {
    await buildInto(folder);
    rmSync(outDir, { recursive: true, force: true });
    renameSync(folder, outDir);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

async function buildInto(folder) {
  const common = { logLevel: 'warn', build: { outDir: folder } };
  await build({ ...common, configFile: join(here, 'vite.config.ts') });
  const files = filesBelow(folder).filter((path) => !NOT_KEPT.test(path));
  const kept = files.map((url) => ({ url, revision: isHashed(url) ? null : hashOf(join(folder, url)) }));
  await build({
    ...common,
    configFile: join(here, 'worker.config.ts'),
    define: { __KEPT_FILES__: JSON.stringify(kept), 'process.env.NODE_ENV': '"production"' },
  });
  const { version } = JSON.parse(readFileSync(join(here, 'package.json'), 'utf8'));
  writeList(folder, version);
  for (const path of filesBelow(folder)) if (COMPRESSED.test(path)) compress(join(folder, path));
  writeFileSync(join(folder, STAMP), wanted);
}

/** Beside the file, where the relay finds it for browsers that take it. */
function compress(file) {
  const content = readFileSync(file);
  writeFileSync(`${file}.gz`, gzipSync(content, { level: 9 }));
  const params = { [constants.BROTLI_PARAM_QUALITY]: BROTLI_QUALITY };
  writeFileSync(`${file}.br`, brotliCompressSync(content, { params }));
}

function hashOfInputs() {
  const hash = createHash('sha256');
  for (const input of INPUTS) {
    const path = join(root, input);
    const files = input.endsWith('.json') ? [''] : filesBelow(path).filter((file) => !IGNORED.test(file));
    for (const file of files) hash.update(`${input}/${file}\0`).update(readFileSync(join(path, file)));
  }
  return hash.digest('hex');
}

function isHashed(path) {
  return path.startsWith('assets/');
}

function hashOf(path) {
  return createHash('sha256').update(readFileSync(path)).digest('hex').slice(0, 16);
}

#!/usr/bin/env node
/**
 * Builds the app unless the last build was of these very files: `node web/build.mjs [--force]`. The list of files
 * that works offline is made here and handed to the service worker's build.
 */
import { createHash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'vite';

const here = fileURLToPath(new URL('.', import.meta.url));
const root = join(here, '..');
const outDir = join(root, 'server', 'app');
const stamp = join(outDir, '.built-from');

/** Everything that the result depends on. */
const INPUTS = ['web', 'client-sdk/src', 'protocol/src', 'package-lock.json'];
const IGNORED = /(^|\/)(node_modules|dist)(\/|$)|\.(test|fixtures)\.tsx?$/;
/** Offline only what a page needs to open; the viewers come along, the QR reader too. */
const NOT_KEPT = /^\.|\.map$|^worker\.js$/;

const wanted = hashOfInputs();
const isCurrent = existsSync(stamp) && readFileSync(stamp, 'utf8') === wanted;
if (!isCurrent || process.argv.includes('--force')) await buildApp();

async function buildApp() {
  const quiet = { logLevel: 'warn' };
  await build({ ...quiet, configFile: join(here, 'vite.config.ts') });
  const files = filesBelow(outDir).filter((path) => !NOT_KEPT.test(path));
  const kept = files.map((url) => ({ url, revision: isHashed(url) ? null : hashOf(join(outDir, url)) }));
  await build({
    ...quiet,
    configFile: join(here, 'worker.config.ts'),
    define: { __KEPT_FILES__: JSON.stringify(kept), 'process.env.NODE_ENV': '"production"' },
  });
  writeFileSync(stamp, wanted);
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

function filesBelow(folder) {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && !entry.parentPath.includes('node_modules'))
    .map((entry) => relative(folder, join(entry.parentPath, entry.name)).replaceAll('\\', '/'))
    .sort();
}

function isHashed(path) {
  return path.startsWith('assets/');
}

function hashOf(path) {
  return createHash('sha256').update(readFileSync(path)).digest('hex').slice(0, 16);
}

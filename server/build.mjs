#!/usr/bin/env node
/**
 * Bundles the built relay, because most of what starting takes is finding and reading a thousand files:
 * `node server/build.mjs`, after tsc. Nothing is minified, so that a stack trace says something. Leaves a bundle of these
 * very files alone.
 */
import { rmSync, writeFileSync } from 'node:fs';
import { builtinModules } from 'node:module';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { BUNDLE, builtFrom, isCurrent, STAMP } from './bin/bundle.mjs';

const server = fileURLToPath(new URL('.', import.meta.url));
const outDir = join(server, BUNDLE);
const MAIN = 'dist/main.js';
const WORKER = 'dist/adapters/store/sqlite/worker.js';

/** A binary, and what only those load who push. */
const FROM_NODE_MODULES = ['better-sqlite3', 'apn', 'web-push', /^firebase-admin(\/|$)/];
/** Parts of fastify that no route here needs; were one to, it would find them. */
const NOT_LOADED = ['@fastify/ajv-compiler', '@fastify/fast-json-stringify-compiler', 'light-my-request'];

/** Text beyond ASCII makes Node keep the whole file in two bytes a character. */
const ascii = {
  name: 'ascii',
  renderChunk: {
    order: 'post',
    handler: (code) =>
      code.replace(/[\u0080-\uffff]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`),
  },
};

/** The worker apart: of what both use it needs little, and that little is then all it loads. */
async function bundle(entry, name) {
  const { build } = await import('rolldown');
  await build({
    input: { [name]: join(server, entry) },
    platform: 'node',
    external: [...FROM_NODE_MODULES, ...NOT_LOADED, ...builtinModules],
    plugins: [ascii],
    output: {
      dir: outDir,
      format: 'esm',
      entryFileNames: '[name].js',
      chunkFileNames: `${name}-[name].js`,
      comments: { legal: true, annotation: false, jsdoc: false },
    },
  });
}

if (!isCurrent(server)) {
  rmSync(outDir, { recursive: true, force: true });
  await bundle(MAIN, 'main');
  await bundle(WORKER, 'worker');
  writeFileSync(join(outDir, STAMP), JSON.stringify(builtFrom(server)));
}

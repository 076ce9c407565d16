/**
 * Module hooks that let plain Node 20 run this repository's TypeScript sources: `./x.js` falls back to
 * `./x.ts`, our own packages resolve by their `source` condition, types are stripped by the transformer
 * that vite brings. Used by tests alone (worker threads and child processes); production runs `dist`.
 */
import { existsSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { fileURLToPath, pathToFileURL } from 'node:url';

const vite = createRequire(import.meta.url).resolve('vite');
const { transformSync } = await import(pathToFileURL(createRequire(vite).resolve('rolldown/utils')).href);

const isOurs = (specifier) => specifier.startsWith('#') || specifier.startsWith('@countersign/');

function typescriptTwin(specifier, parentUrl) {
  if (!specifier.endsWith('.js') || !/^(\.{0,2}\/|file:)/.test(specifier)) return undefined;
  const twin = new URL(specifier.replace(/\.js$/, '.ts'), parentUrl);
  return existsSync(fileURLToPath(twin)) ? twin.href : undefined;
}

export function resolve(specifier, context, nextResolve) {
  const twin = typescriptTwin(specifier, context.parentURL);
  if (twin !== undefined) return { url: twin, format: 'module', shortCircuit: true };
  const conditions = isOurs(specifier) ? ['source', ...context.conditions] : context.conditions;
  return nextResolve(specifier, { ...context, conditions });
}

export function load(url, context, nextLoad) {
  if (!url.startsWith('file:') || !url.endsWith('.ts')) return nextLoad(url, context);
  const file = fileURLToPath(url);
  const { code, errors } = transformSync(file, readFileSync(file, 'utf8'), { sourcemap: false });
  if (errors.length > 0) throw new SyntaxError(`${file}: ${errors[0].message}`);
  return { format: 'module', source: code, shortCircuit: true };
}

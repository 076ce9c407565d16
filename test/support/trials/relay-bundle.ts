/**
 * The relay's command as one file, built from its sources, so that a process of it starts in half a second. Native
 * packages and those that need their own files stay outside. Must not know what the relay does.
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'vite';

const root = fileURLToPath(new URL('../../../', import.meta.url));
const source = (path: string): string => join(root, 'server/src', path);

/** What cannot be part of a bundle, or is loaded only when it is used. */
const OUTSIDE = ['better-sqlite3', 'ws', 'firebase-admin', 'apn', 'web-push'];

let made: Promise<string> | undefined;

/** The path of the bundled command; built once per process and removed when that ends. */
export function relayBundle(): Promise<string> {
  made ??= bundle();
  return made;
}

async function bundle(): Promise<string> {
  // Below node_modules, where what stays outside is found.
  const outDir = mkdtempSync(join(root, 'node_modules/.countersign-relay-'));
  process.on('exit', () => rmSync(outDir, { recursive: true, force: true }));
  await build({
    root,
    configFile: false,
    logLevel: 'error',
    resolve: { conditions: ['source'] },
    ssr: { noExternal: true, external: OUTSIDE, resolve: { conditions: ['source'] } },
    build: {
      ssr: true,
      outDir,
      minify: false,
      target: 'node20',
      rolldownOptions: {
        input: { main: source('main.ts'), worker: source('adapters/store/sqlite/worker.ts') },
        output: { entryFileNames: '[name].js', chunkFileNames: '[name].js' },
      },
    },
  });
  return join(outDir, 'main.js');
}

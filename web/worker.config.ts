/** Builds the service worker as one classic script beside the app, with the list of files that it keeps. */
import { fileURLToPath } from 'node:url';
import { defineConfig } from 'vite';

export default defineConfig({
  root: fileURLToPath(new URL('.', import.meta.url)),
  publicDir: false,
  // libsodium looks there for a file that the browser's build of it does not have.
  define: { 'import.meta': '{}' },
  resolve: { conditions: ['source', 'browser', 'module', 'import', 'default'] },
  build: {
    emptyOutDir: false,
    target: 'es2022',
    reportCompressedSize: false,
    lib: {
      entry: fileURLToPath(new URL('./src/worker/worker.ts', import.meta.url)),
      formats: ['iife'],
      name: 'worker',
      fileName: () => 'worker.js',
    },
  },
});

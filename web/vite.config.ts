/**
 * Builds the app; `build.mjs` puts it into the relay's package (`server/app`), where `serveApp` finds it, and any
 * static host takes the same files. Reads the SDK's sources, so that no app holds a stale build of them.
 */
import { fileURLToPath } from 'node:url';
import { defineConfig } from 'vite';

export default defineConfig({
  root: fileURLToPath(new URL('.', import.meta.url)),
  base: './',
  resolve: { conditions: ['source', 'browser', 'module', 'import', 'default'] },
  oxc: { jsx: { runtime: 'automatic', importSource: 'preact' } },
  build: {
    emptyOutDir: true,
    target: 'es2022',
    // Inlined files would be `data:` addresses, which the content security policy does not know.
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    // Half of what is loaded first, and never changed: it stays in the browser's cache.
    rolldownOptions: {
      output: {
        strictExecutionOrder: true,
        codeSplitting: { groups: [{ name: 'sodium', test: /node_modules\/libsodium/ }] },
      },
    },
    reportCompressedSize: false,
    chunkSizeWarningLimit: 1500,
  },
});

import { defineConfig } from 'vitest/config';

export default defineConfig({
  // Tests read TypeScript sources through the `source` condition of each package, so none runs a stale build.
  resolve: { conditions: ['source'] },
  ssr: { resolve: { conditions: ['source'] } },
  test: {
    include: ['{protocol,server,agent-sdk,client-sdk,deploy}/**/*.test.ts', 'test/**/*.test.ts'],
    exclude: ['**/node_modules/**', '**/dist/**'],
    pool: 'forks',
    // Worker threads inherit this preload and so run the TypeScript sources too.
    execArgv: ['--import', new URL('./test/support/typescript-loader.mjs', import.meta.url).href],
    testTimeout: 20_000,
    hookTimeout: 20_000,
  },
});

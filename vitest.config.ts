import { defineConfig } from 'vitest/config';

/** Tests that replace a module or a global of the whole process, which would leak into files after them. */
const ALONE = [
  'client-sdk/src/storage/indexeddb/indexeddb-storage.test.ts',
  'protocol/src/e2e/known-answers.web.test.ts',
  'protocol/src/platform/socket.test.ts',
  'server/src/adapters/store/sqlite/store-thread.test.ts',
];

/** Folders that flags of `npm test` such as `--no-tools` leave out (deploy/dev/run.mjs). */
const leftOut = (process.env.COUNTERSIGN_TESTS_LEFT_OUT ?? '').split(',').filter((folder) => folder !== '');

const everywhere = {
  exclude: ['**/node_modules/**', '**/dist/**', ...leftOut.map((folder) => `${folder}/**`)],
  pool: 'forks' as const,
  // Worker threads inherit this preload and so run the TypeScript sources too.
  execArgv: ['--import', new URL('./test/support/typescript-loader.mjs', import.meta.url).href],
  testTimeout: 20_000,
  hookTimeout: 20_000,
};

export default defineConfig({
  // Tests read TypeScript sources through the `source` condition of each package, so none runs a stale build.
  resolve: { conditions: ['source'] },
  ssr: { resolve: { conditions: ['source'] } },
  test: {
    projects: [
      {
        extends: true,
        test: {
          ...everywhere,
          name: 'shared',
          include: ['{protocol,server,agent-sdk,client-sdk,deploy,web}/**/*.test.ts', 'test/**/*.test.ts'],
          exclude: [...everywhere.exclude, ...ALONE],
          // One process serves many files: loading the modules anew for each took longer than the tests.
          isolate: false,
        },
      },
      { extends: true, test: { ...everywhere, name: 'alone', include: ALONE } },
    ],
  },
});

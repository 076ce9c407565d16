/**
 * Preload (`node --import`) that turns the hooks beside it on. The main thread of a vitest runner has its
 * own transformer and is left alone, but its worker threads inherit this preload and need it.
 */
import { register } from 'node:module';
import { isMainThread } from 'node:worker_threads';

const isVitestRunner = isMainThread && /[\\/]node_modules[\\/]vitest[\\/]/.test(process.argv[1] ?? '');
if (!isVitestRunner) register('./typescript-hooks.mjs', import.meta.url);

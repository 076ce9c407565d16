/** Starts a TypeScript file of this repository as a process of its own, from its sources. */
import { type ChildProcessByStdio, spawn } from 'node:child_process';
import { createInterface } from 'node:readline';
import type { Readable } from 'node:stream';
import { fileURLToPath } from 'node:url';

const LOADER = new URL('./typescript-loader.mjs', import.meta.url).href;

export interface TypescriptProcess {
  readonly child: ChildProcessByStdio<null, Readable, null>;
  /** Its standard output, line by line; ends when the process does. */
  readonly lines: AsyncIterableIterator<string>;
  /** Kills it with the signal and resolves once it is gone. */
  kill(signal: NodeJS.Signals): Promise<void>;
}

/** `script` is relative to this directory. */
export function startTypescript(script: string, args: readonly string[]): TypescriptProcess {
  const file = fileURLToPath(new URL(script, import.meta.url));
  const child = spawn(process.execPath, ['--import', LOADER, file, ...args], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const gone = new Promise<void>((resolve) => child.once('close', () => resolve()));
  return {
    child,
    lines: createInterface({ input: child.stdout })[Symbol.asyncIterator](),
    kill: async (signal) => {
      child.kill(signal);
      await gone;
    },
  };
}

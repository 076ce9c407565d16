/** Runs countersign-phone from its sources: in this process, or as one of its own where that is what is tested. */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { Readable } from 'node:stream';
import { fileURLToPath } from 'node:url';
import { run } from '../../client-sdk/src/cli/run.js';
import { atEnd } from './world.js';

const LOADER = new URL('../support/typescript-loader.mjs', import.meta.url).href;
const MAIN = fileURLToPath(new URL('../../client-sdk/src/cli/main.ts', import.meta.url));

export interface Finished {
  code: number | null;
  out: string;
  err: string;
  /** The lines of its standard output as JSON. */
  json: Record<string, unknown>[];
}

export interface Phone {
  readonly child: ChildProcess;
  /** The first JSON line for which the test holds, also among those that came before. */
  line(test: (line: Record<string, unknown>) => boolean): Promise<Record<string, unknown>>;
  /** The first text line that contains this. */
  text(part: string): Promise<string>;
  finished: Promise<Finished>;
}

/** Killed after the test if it still runs. */
export function startPhone(args: readonly string[], env: Record<string, string> = {}): Phone {
  const child = spawn(process.execPath, ['--import', LOADER, MAIN, ...args], {
    env: { ...process.env, ...env },
    stdio: ['pipe', 'pipe', 'pipe'],
  });
  const lines: string[] = [];
  const waiting = new Set<() => void>();
  createInterface({ input: child.stdout }).on('line', (line) => {
    lines.push(line);
    for (const look of waiting) look();
  });
  let err = '';
  child.stderr.on('data', (data) => {
    err += data;
  });
  const closed = once(child, 'close').then(([code]) => code as number | null);
  atEnd(async () => {
    child.kill('SIGKILL');
    await closed;
  });
  const find = <T>(look: () => T | undefined) =>
    new Promise<T>((resolve, reject) => {
      const check = () => {
        const found = look();
        if (found === undefined) return;
        waiting.delete(check);
        resolve(found);
      };
      waiting.add(check);
      void closed.then(() => reject(new Error(`it ended before that: ${lines.join('\n')}\n${err}`)));
      check();
    });
  return {
    child,
    line: (test) => find(() => lines.map(asJson).find((line) => line !== undefined && test(line))),
    text: (part) => find(() => lines.find((line) => line.includes(part))),
    finished: closed.then((code) => ({
      code,
      out: lines.join('\n'),
      err,
      json: lines.map(asJson).filter((line) => line !== undefined),
    })),
  };
}

/** Runs one command in this process, to its end; `input` is its standard input. */
export async function phone(
  args: readonly string[],
  input = '',
  env: Record<string, string> = {},
): Promise<Finished> {
  const out: string[] = [];
  const err: string[] = [];
  const code = await run(args, {
    out: (line) => out.push(line),
    err: (line) => err.push(line),
    env,
    stdin: Readable.from([Buffer.from(input)]),
    interrupted: new AbortController().signal,
  });
  const text = out.join('\n');
  const json = text
    .split('\n')
    .map(asJson)
    .filter((line) => line !== undefined);
  return { code, out: text, err: err.join('\n'), json };
}

function asJson(line: string): Record<string, unknown> | undefined {
  try {
    return JSON.parse(line);
  } catch {
    return undefined;
  }
}

/** The built program `countersign` as a process: what it says, what is typed, how it ends. */
import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process';
import { fileURLToPath } from 'node:url';

const BIN = fileURLToPath(new URL('../../../agent-sdk/bin/countersign.mjs', import.meta.url));

export interface Ended {
  readonly exitCode: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

export interface CommandOptions {
  readonly env?: Readonly<Record<string, string>>;
  readonly cwd?: string;
  /** Written at once, then the input ends; without it the input stays open. */
  readonly input?: string;
  /** Arguments of Node itself. */
  readonly node?: readonly string[];
  readonly bin?: string;
}

export class CommandProcess {
  readonly child: ChildProcessWithoutNullStreams;
  readonly ended: Promise<Ended>;
  #said = '';
  #stdout = '';
  #stderr = '';
  readonly #waiting = new Set<() => void>();

  constructor(args: readonly string[], options: CommandOptions) {
    this.child = spawn(process.execPath, [...(options.node ?? []), options.bin ?? BIN, ...args], {
      env: { ...environment(), ...options.env },
      cwd: options.cwd,
    });
    this.child.stdin.on('error', () => undefined);
    if (options.input !== undefined) this.child.stdin.end(options.input);
    this.child.stdout.on('data', (chunk: Buffer) => {
      this.#stdout += chunk.toString();
      this.#heard(chunk);
    });
    this.child.stderr.on('data', (chunk: Buffer) => {
      this.#stderr += chunk.toString();
      this.#heard(chunk);
    });
    this.ended = new Promise((resolve) => {
      this.child.once('close', (exitCode) => {
        this.#wake();
        resolve({ exitCode, stdout: this.#stdout, stderr: this.#stderr });
      });
    });
  }

  /** Resolves with the match once either stream has said it. */
  async says(pattern: RegExp): Promise<RegExpMatchArray> {
    for (;;) {
      const match = this.#said.match(pattern);
      if (match !== null) return match;
      if (this.child.exitCode !== null) throw new Error(`It ended without saying ${pattern}:\n${this.#said}`);
      await new Promise<void>((resolve) => this.#waiting.add(resolve));
    }
  }

  type(line: string): void {
    this.child.stdin.write(`${line}\n`);
  }

  kill(signal: NodeJS.Signals): Promise<Ended> {
    this.child.kill(signal);
    return this.ended;
  }

  #heard(chunk: Buffer): void {
    this.#said += chunk.toString();
    this.#wake();
  }

  #wake(): void {
    for (const resolve of this.#waiting) resolve();
    this.#waiting.clear();
  }
}

/** Nothing of the person's own settings. */
function environment(): NodeJS.ProcessEnv {
  const { PATH, HOME, TMPDIR } = process.env;
  return { PATH, HOME, ...(TMPDIR === undefined ? {} : { TMPDIR }) };
}

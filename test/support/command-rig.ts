/** Runs the command inside the test: its directory is served by a scripted agent, what it says is kept. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { PassThrough, Readable } from 'node:stream';
import { type AgentSocket, type ServeOptions, serveAgentSocket } from '@countersign/agent-sdk';
import { ScriptedAgent } from './scripted-agent.js';

/** As `runCommandLine` of the agent SDK. */
type RunCommandLine = (
  args: readonly string[],
  io: {
    stdin: Readable;
    stdout: PassThrough;
    stderr: PassThrough;
    env: Record<string, string>;
    cwd: string;
    interrupts: { signal: AbortSignal; suspend(): () => void };
  },
) => Promise<number>;

export interface Ran {
  readonly exitCode: number;
  readonly stdout: string;
  readonly stderr: string;
}

export class CommandRig {
  readonly dir = mkdtempSync(join(tmpdir(), 'cs-test-'));
  readonly agent = new ScriptedAgent();
  readonly interrupt = new AbortController();
  readonly #runCommandLine: RunCommandLine;
  #socket: AgentSocket | undefined;

  constructor(runCommandLine: RunCommandLine) {
    this.#runCommandLine = runCommandLine;
  }

  /** Serves the directory, anew when it was served already. */
  async serve(options: ServeOptions = {}): Promise<void> {
    await this.#socket?.close();
    this.#socket = await serveAgentSocket(this.agent, this.dir, { program: 'a test', ...options });
  }

  async run(args: readonly string[], { env = {}, input = '' } = {}): Promise<Ran> {
    const [stdout, stderr] = [new PassThrough(), new PassThrough()];
    const exitCode = await this.#runCommandLine(args, {
      stdin: Readable.from(input === '' ? [] : [input]),
      stdout,
      stderr,
      env: { COUNTERSIGN_DIR: this.dir, ...env },
      cwd: this.dir,
      interrupts: { signal: this.interrupt.signal, suspend: () => () => undefined },
    });
    return { exitCode, stdout: String(stdout.read() ?? ''), stderr: String(stderr.read() ?? '') };
  }

  async close(): Promise<void> {
    await this.#socket?.close();
    rmSync(this.dir, { recursive: true, force: true });
  }
}

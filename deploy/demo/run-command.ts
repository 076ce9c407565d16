/** Runs an approved command without a shell and gives back what it printed. */
import { spawn } from 'node:child_process';

export interface CommandResult {
  /** The exit code; 128 + signal number when a signal ended it; 127 when it could not start. */
  readonly code: number;
  readonly output: string;
}

/** Output kept for the report; the rest is counted, not kept. */
const MAX_OUTPUT_BYTES = 64 * 1024;
const NOT_STARTED = 127;

export function runCommand(
  argv: readonly string[],
  onOutput?: (text: string) => void,
): Promise<CommandResult> {
  const [program = '', ...args] = argv;
  return new Promise((resolve) => {
    const child = spawn(program, args, { stdio: ['ignore', 'pipe', 'pipe'] });
    const kept: Buffer[] = [];
    let bytes = 0;
    const keep = (chunk: Buffer): void => {
      onOutput?.(chunk.toString('utf8'));
      if (bytes < MAX_OUTPUT_BYTES) kept.push(chunk.subarray(0, MAX_OUTPUT_BYTES - bytes));
      bytes += chunk.length;
    };
    child.stdout.on('data', keep);
    child.stderr.on('data', keep);
    child.once('error', (error) => resolve({ code: NOT_STARTED, output: error.message }));
    child.once('close', (code) =>
      resolve({ code: code ?? NOT_STARTED, output: Buffer.concat(kept).toString('utf8') }),
    );
  });
}

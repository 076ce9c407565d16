/** One run of `countersign`: arguments in, exit code out. Must not touch the process. */
import { readFileSync } from 'node:fs';
import { CountersignError } from '@countersign/protocol';
import { escapeInvisible } from '@countersign/protocol/blocks';
import { type Command, CommanderError } from 'commander';
import { explainError } from './advice.js';
import { EXIT, exitCodeOfError } from './exit-codes.js';
import { type Io, Terminal } from './io.js';
import { LAUNCHED, launch } from './launch.js';
import { createProgram } from './program.js';
import { dirOptionOf } from './reach.js';

/** Never throws: what goes wrong is said and has an exit code. */
export async function runCommandLine(args: readonly string[], io: Io): Promise<number> {
  try {
    const [command = '', ...rest] = args;
    return Object.hasOwn(LAUNCHED, command) ? await launch(command, rest, io) : await runCommand(args, io);
  } catch (error) {
    return fail(error, args, io);
  }
}

async function runCommand(args: readonly string[], io: Io): Promise<number> {
  let exitCode: number = EXIT.done;
  const program = createProgram(io, version(), (code) => {
    exitCode = code;
  });
  for (const one of [program, ...program.commands]) speakThrough(one, io);
  await program.parseAsync(args, { from: 'user' });
  return exitCode;
}

function speakThrough(command: Command, { stdout, stderr }: Io): void {
  command.exitOverride().configureOutput({
    writeOut: (text) => void stdout.write(text),
    // It repeats what was typed, or what a script passed on.
    writeErr: (text) => void stderr.write(escapeInvisible(text)),
  });
}

function version(): string {
  const manifest = new URL('../../package.json', import.meta.url);
  return (JSON.parse(readFileSync(manifest, 'utf8')) as { version: string }).version;
}

function fail(error: unknown, args: readonly string[], io: Io): number {
  // Commander has said what is wrong itself.
  if (error instanceof CommanderError) return error.exitCode === 0 ? EXIT.done : EXIT.usage;
  const terminal = new Terminal(io);
  const lines = explainError(error, dirOption(args));
  if (args[0] === 'ask' && args.includes('--json')) terminal.json(failure(error, lines));
  for (const line of lines) terminal.say(line);
  return exitCodeOfError(error);
}

function failure(error: unknown, lines: readonly string[]): object {
  const code = error instanceof CountersignError ? error.code : 'failed';
  return { status: 'error', error: { code, message: lines.join(' ') } };
}

/** As the person wrote it, for the commands an error names. */
function dirOption(args: readonly string[]): string {
  const at = args.indexOf('--dir');
  const dir = args[at + 1];
  return at === -1 || dir === undefined ? '' : dirOptionOf(dir);
}

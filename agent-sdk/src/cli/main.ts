/** The program `countersign`: the process around the command line. */
import { readFileSync } from 'node:fs';
import { CountersignError } from '@countersign/protocol';
import { CommanderError } from 'commander';
import { explainError } from './advice.js';
import { EXIT, exitCodeOfError } from './exit-codes.js';
import { processInterrupts } from './interrupts.js';
import { type Io, Terminal } from './io.js';
import { LAUNCHED, launch } from './launch.js';
import { createProgram } from './program.js';

const io: Io = {
  stdin: process.stdin,
  stdout: process.stdout,
  stderr: process.stderr,
  env: process.env,
  cwd: process.cwd(),
  interrupts: processInterrupts(),
};

async function run(args: readonly string[]): Promise<number> {
  const [command = '', ...rest] = args;
  if (Object.hasOwn(LAUNCHED, command)) return launch(command, rest, io);
  let exitCode: number = EXIT.done;
  const program = createProgram(io, version(), (code) => {
    exitCode = code;
  });
  for (const one of [program, ...program.commands]) one.exitOverride();
  await program.parseAsync(args, { from: 'user' });
  return exitCode;
}

function version(): string {
  const manifest = new URL('../../package.json', import.meta.url);
  return (JSON.parse(readFileSync(manifest, 'utf8')) as { version: string }).version;
}

/** Commander has said what is wrong itself. */
function fail(error: unknown, args: readonly string[]): number {
  if (error instanceof CommanderError) return error.exitCode === 0 ? EXIT.done : EXIT.usage;
  const terminal = new Terminal(io);
  const code = exitCodeOfError(error);
  const lines = explainError(error, dirOption(args));
  if (args[0] === 'ask' && args.includes('--json')) terminal.json(failure(error, lines));
  for (const line of lines) terminal.say(line);
  return code;
}

function failure(error: unknown, lines: readonly string[]): object {
  const code = error instanceof CountersignError ? error.code : 'failed';
  return { status: 'error', error: { code, message: lines.join(' ') } };
}

/** As the person wrote it, for the commands an error names. */
function dirOption(args: readonly string[]): string {
  const at = args.indexOf('--dir');
  const dir = args[at + 1];
  return at === -1 || dir === undefined ? '' : ` --dir ${dir}`;
}

// A reader that has seen enough, such as head, is no error.
for (const stream of [process.stdout, process.stderr]) stream.on('error', () => process.exit(EXIT.failed));

const args = process.argv.slice(2);
process.exitCode = await run(args).catch((error: unknown) => fail(error, args));

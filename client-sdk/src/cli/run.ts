/** Runs one command line and gives its exit code. Never ends the process, so that tests can run it. */
import { CommanderError } from 'commander';
import { codeOf, EXIT, exitCodeOf } from './exit-codes.js';
import { type Io, Output } from './io.js';
import { buildProgram } from './program.js';

/** `args` are those after the program's name. Never throws. */
export async function run(args: readonly string[], io: Io): Promise<number> {
  let exitCode: number = EXIT.done;
  const program = buildProgram(io, (code) => {
    exitCode = code;
  });
  try {
    await program.parseAsync(args, { from: 'user' });
  } catch (error) {
    return ended(error, args, io);
  }
  return exitCode;
}

function ended(error: unknown, args: readonly string[], io: Io): number {
  if (error instanceof CommanderError) return error.exitCode === 0 ? EXIT.done : EXIT.usage;
  if (io.interrupted.aborted) return EXIT.interrupted;
  const message = error instanceof Error ? error.message : 'Something unexpected went wrong.';
  new Output(io, args.includes('--json')).failure(codeOf(error), message);
  return exitCodeOf(error);
}

/** The program `countersign`: the process around the command line. */
import { runCommandLine } from './command-line.js';
import { EXIT } from './exit-codes.js';
import { processInterrupts } from './interrupts.js';

// A reader that has seen enough, such as head, is no error.
for (const stream of [process.stdout, process.stderr]) stream.on('error', () => process.exit(EXIT.failed));

process.exitCode = await runCommandLine(process.argv.slice(2), {
  stdin: process.stdin,
  stdout: process.stdout,
  stderr: process.stderr,
  env: process.env,
  cwd: process.cwd(),
  interrupts: processInterrupts(),
});

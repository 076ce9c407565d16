/** The program countersign-phone: connects the process to the command. */
import type { Io } from './io.js';
import { run } from './run.js';

const interrupted = new AbortController();
let signals = 0;
for (const signal of ['SIGINT', 'SIGTERM'] as const) {
  process.on(signal, () => {
    signals += 1;
    interrupted.abort(new Error('interrupted'));
    // The first asks to end well; whoever asks twice means now.
    if (signals > 1) process.exit(130);
  });
}
// A reader that went away (`| head`) ends the program, quietly.
process.stdout.on('error', () => process.exit(0));

const io: Io = {
  out: (line) => process.stdout.write(`${line}\n`),
  err: (line) => process.stderr.write(`${line}\n`),
  env: process.env,
  stdin: process.stdin,
  interrupted: interrupted.signal,
};

process.exitCode = await run(process.argv.slice(2), io);
// Standard input, if a command read it, would keep the process.
process.stdin.unref?.();

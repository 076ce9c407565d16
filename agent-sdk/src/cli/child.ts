/** Runs a program in the foreground as if it had been started itself. Must not know which or why. */
import { type ChildProcess, spawn } from 'node:child_process';
import { constants } from 'node:os';
import { EXIT } from './exit-codes.js';
import type { Io } from './io.js';

export type ChildEnd =
  | { readonly kind: 'exited'; readonly exitCode: number }
  | { readonly kind: 'signalled'; readonly signal: NodeJS.Signals; readonly exitCode: number }
  | { readonly kind: 'not_started'; readonly reason: string; readonly exitCode: number };

/** Signals that reach only this process and are meant for the child. Ctrl-C in a terminal reaches both by itself. */
const PASSED_ON: readonly NodeJS.Signals[] = ['SIGTERM', 'SIGHUP', 'SIGUSR1', 'SIGUSR2'];

/** No shell: `argv` is what the program gets. It has this process's input, output and environment. */
export async function runInForeground(argv: readonly string[], cwd: string, io: Io): Promise<ChildEnd> {
  const [program = '', ...args] = argv;
  const resume = io.interrupts.suspend();
  try {
    const child = spawn(program, args, { cwd, stdio: 'inherit', shell: false });
    return await ended(child, io);
  } catch {
    // A program or argument that no process can have, such as one with a zero byte.
    return notStarted('EINVAL');
  } finally {
    resume();
  }
}

function ended(child: ChildProcess, io: Io): Promise<ChildEnd> {
  const signals = io.stdin.isTTY === true ? PASSED_ON : [...PASSED_ON, 'SIGINT' as const];
  const passed = signals.map((signal) => ({ signal, pass: () => void child.kill(signal) }));
  for (const { signal, pass } of passed) process.on(signal, pass);
  return new Promise<ChildEnd>((resolve) => {
    child.once('error', (error: NodeJS.ErrnoException) => resolve(notStarted(error.code ?? 'unknown')));
    child.once('close', (code, signal) => resolve(endOf(code, signal)));
  }).finally(() => {
    for (const { signal, pass } of passed) process.off(signal, pass);
  });
}

function endOf(code: number | null, signal: NodeJS.Signals | null): ChildEnd {
  if (signal === null) return { kind: 'exited', exitCode: code ?? EXIT.failed };
  return { kind: 'signalled', signal, exitCode: EXIT.signalled + (constants.signals[signal] ?? 0) };
}

/** As shells have it: 127 for a program that is not there, 126 for one that cannot be run. */
function notStarted(code: string): ChildEnd {
  const missing = code === 'ENOENT';
  return {
    kind: 'not_started',
    reason: missing ? 'no such program or directory' : `it cannot be run (${code})`,
    exitCode: missing ? EXIT.commandNotFound : EXIT.cannotExecute,
  };
}

/** Signals that end the command. The first withdraws what is open, the second ends at once. Must not know commands. */
import { constants } from 'node:os';
import { EXIT } from './exit-codes.js';
import type { Interrupts } from './io.js';

const ENDING: readonly NodeJS.Signals[] = ['SIGINT', 'SIGTERM', 'SIGHUP'];

export function processInterrupts(): Interrupts {
  const abort = new AbortController();
  let suspended = 0;
  for (const signal of ENDING) {
    const code = EXIT.signalled + constants.signals[signal];
    process.on(signal, () => {
      if (suspended > 0) return;
      if (abort.signal.aborted) process.exit(code);
      abort.abort(code);
    });
  }
  return {
    signal: abort.signal,
    suspend: () => {
      suspended += 1;
      return () => {
        suspended -= 1;
      };
    },
  };
}

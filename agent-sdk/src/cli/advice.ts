/** Refusals in words: what happened, and what to do next. Must not know commands. */
import { CountersignError } from '@countersign/protocol';
import { escapeInvisible } from '@countersign/protocol/blocks';
import { errorName } from '../daemon/index.js';
import { CliError } from './exit-codes.js';

/** More than this between two clocks is worth a word. */
export const NOTABLE_SKEW_MS = 30_000;

/** The next step for codes whose own sentence does not name a command. `dirOption` is repeated in commands. */
const NEXT: Readonly<Record<string, (dirOption: string) => string>> = {
  unauthorized: (dir) =>
    `If that is you, "countersign relay invite" on its machine prints it. Then run: countersign pair${dir} --invite CODE`,
  tls: (dir) => `For a certificate of your own: countersign pair${dir} --ca FILE`,
  unreachable: () => 'A relay on this machine is started by: countersign relay',
  not_found: (dir) => `If the relay lost its data, pair again: countersign pair${dir}`,
  devices_missing: (dir) => `Pair again: countersign pair${dir}`,
  no_device: (dir) => `Pair a device first: countersign pair${dir}`,
  timeout: (dir) => `See how the relay stands: countersign status${dir}`,
  clock_skew: () => 'Set the clock of this machine (timedatectl, or the date settings), then try again.',
  queue_full: () => 'Open the app on the device: it fetches what waits and makes room. Then try again.',
  directory_in_use: () => 'Use another directory with --dir, or end that program.',
};

/** Lines for a person. */
export function explainError(error: unknown, dirOption: string): string[] {
  if (error instanceof CliError) return error.message === '' ? [] : [escapeInvisible(error.message)];
  if (!(error instanceof CountersignError)) {
    return [`Something went wrong that should not have (${errorName(error)}). Please report it.`];
  }
  const code = typeof error.details.problem === 'string' ? error.details.problem : error.code;
  return explain(code, error.message, dirOption);
}

/** The same for what keeps an agent from its relay. */
export function explain(code: string, message: string, dirOption: string): string[] {
  const next = Object.hasOwn(NEXT, code) ? NEXT[code]?.(dirOption) : undefined;
  return next === undefined ? [escapeInvisible(message)] : [escapeInvisible(message), next];
}

/** What the exit codes of `countersign` mean, and which outcome or error has which. Must not know commands. */
import { CountersignError, type ErrorCode } from '@countersign/protocol';
import type { ApprovalOutcome } from '../api.js';

export const EXIT = {
  done: 0,
  approved: 0,
  rejected: 1,
  usage: 2,
  expired: 3,
  cancelled: 4,
  failed: 5,
  cannotExecute: 126,
  commandNotFound: 127,
  /** Plus the number of the signal. */
  signalled: 128,
  interrupted: 130,
} as const;

export const EXIT_HELP = `
Exit codes:
  0    approved; for other commands: done
  1    rejected, or answered instead of approved
  2    wrong usage
  3    expired: nobody answered in time
  4    cancelled, superseded, or no device is paired
  5    could not ask, or unknown whether it ran (the message says what to do)
  130  interrupted; the item was withdrawn first
`;

const BY_STATUS: Readonly<Record<ApprovalOutcome['status'], number>> = {
  approved: EXIT.approved,
  rejected: EXIT.rejected,
  answered: EXIT.rejected,
  expired: EXIT.expired,
  cancelled: EXIT.cancelled,
  superseded: EXIT.cancelled,
  unknown: EXIT.failed,
};

/** An approval that was handed out before may have run: that is not known here. */
export function exitCodeOfOutcome(outcome: ApprovalOutcome): number {
  const again = outcome.status === 'approved' && outcome.earlier !== undefined;
  return again ? EXIT.failed : BY_STATUS[outcome.status];
}

const BY_CODE: Readonly<Partial<Record<ErrorCode, number>>> = {
  invalid_request: EXIT.usage,
  payload_too_large: EXIT.usage,
  no_device: EXIT.cancelled,
};

/** An ending with a message of its own; an empty one says nothing more. */
export class CliError extends Error {
  readonly exitCode: number;

  constructor(exitCode: number, message: string) {
    super(message);
    this.exitCode = exitCode;
  }
}

export function usageError(message: string): CliError {
  return new CliError(EXIT.usage, message);
}

export function exitCodeOfError(error: unknown): number {
  if (error instanceof CliError) return error.exitCode;
  return error instanceof CountersignError ? (BY_CODE[error.code] ?? EXIT.failed) : EXIT.failed;
}

/** What the exit codes of countersign-phone mean, and which error has which. Must not know commands. */
import { CountersignError, type ErrorCode } from '@countersign/protocol';

export const EXIT = {
  done: 0,
  refused: 1,
  usage: 2,
  notConfirmed: 3,
  notFound: 4,
  failed: 5,
  interrupted: 130,
} as const;

export const EXIT_HELP = `
Exit codes:
  0    done; an answer was confirmed by the agent
  1    the agent refused the answer, or the item had ended
  2    wrong usage, or an answer the item does not offer
  3    the answer is sent or kept, and not confirmed yet: run "list" or "watch" to see what became of it
  4    no such item or pairing
  5    it could not be done: state directory, network, relay (the message says what to do)
  130  interrupted
`;

const CODES: Readonly<Partial<Record<ErrorCode, number>>> = {
  invalid_request: EXIT.usage,
  invalid_link: EXIT.usage,
  payload_too_large: EXIT.usage,
  not_paired: EXIT.notFound,
};

/** An ending with a message of its own. */
export class CliError extends Error {
  readonly exitCode: number;
  readonly code: string;

  constructor(exitCode: number, code: string, message: string) {
    super(message);
    this.exitCode = exitCode;
    this.code = code;
  }
}

export function exitCodeOf(error: unknown): number {
  if (error instanceof CliError) return error.exitCode;
  return error instanceof CountersignError ? (CODES[error.code] ?? EXIT.failed) : EXIT.failed;
}

export function codeOf(error: unknown): string {
  return error instanceof CliError || error instanceof CountersignError ? error.code : 'unexpected';
}

/**
 * Where the command reads and writes; tests put their own here. Results go to standard output, everything said along
 * the way to standard error. Must not know commands.
 */
import type { Readable, Writable } from 'node:stream';
import { styleText } from 'node:util';

/** Version of every `--json` line. */
export const JSON_VERSION = 1;

export interface TerminalStream extends Writable {
  isTTY?: boolean;
  columns?: number;
  rows?: number;
}

export interface Io {
  readonly stdin: Readable & { isTTY?: boolean };
  readonly stdout: TerminalStream;
  readonly stderr: TerminalStream;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly cwd: string;
  readonly interrupts: Interrupts;
}

/** What a signal that ends the command means to it. */
export interface Interrupts {
  /** Aborted by the first signal; its reason is the exit code. */
  readonly signal: AbortSignal;
  /** Leaves signals to somebody else, such as a child in the foreground; the result takes them back. */
  suspend(): () => void;
}

type Style = 'bold' | 'dim' | 'green' | 'red' | 'yellow';

export class Terminal {
  readonly io: Io;

  constructor(io: Io) {
    this.io = io;
  }

  /** A result, for people or programs. */
  out(text: string): void {
    this.io.stdout.write(`${text}\n`);
  }

  json(value: object): void {
    this.out(JSON.stringify({ v: JSON_VERSION, ...value }));
  }

  /** What happens along the way. */
  say(text: string): void {
    this.io.stderr.write(`${text}\n`);
  }

  /** For standard error; plain where nobody sees colours or nobody wants them. */
  style(style: Style, text: string): string {
    return styled(this.io.stderr, this.io.env) ? styleText(style, text) : text;
  }

  /** The same for standard output. */
  styleOut(style: Style, text: string): string {
    return styled(this.io.stdout, this.io.env) ? styleText(style, text) : text;
  }
}

/** https://no-color.org: any value that is not empty. */
export function styled(stream: TerminalStream, env: Io['env']): boolean {
  return stream.isTTY === true && !env.NO_COLOR && env.TERM !== 'dumb';
}

/** Where the command reads and writes; tests put their own here. Must not know commands. */
import type { Readable } from 'node:stream';
import { escapeInvisible } from '@countersign/protocol/blocks';

export interface Io {
  out(line: string): void;
  err(line: string): void;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly stdin: Readable & { isTTY?: boolean; setRawMode?(on: boolean): unknown };
  /** Aborted when the person interrupts. */
  readonly interrupted: AbortSignal;
}

/** How a person types this command: under npx, as from a clone, it is not on the path. */
export function asTyped(env: Io['env']): string {
  return env.npm_command === 'exec' ? 'npx --no countersign-phone' : 'countersign-phone';
}

/** Version of every `--json` line. */
export const JSON_VERSION = 1;

/** Whatever text an agent or a relay brought, no control character of it reaches the terminal. */
export class Output {
  readonly json: boolean;
  readonly #io: Io;

  constructor(io: Io, json: boolean) {
    this.#io = io;
    this.json = json;
  }

  /** One result: `members` as a JSON line, or `text` for people. */
  result(members: Record<string, unknown>, text: string): void {
    if (this.json) this.#io.out(JSON.stringify({ v: JSON_VERSION, ...members }));
    else if (text !== '') this.#io.out(escapeInvisible(text));
  }

  /** For people only; scripts see it never. */
  hint(text: string): void {
    if (!this.json) this.#io.err(escapeInvisible(text));
  }

  failure(code: string, message: string): void {
    if (this.json) this.#io.out(JSON.stringify({ v: JSON_VERSION, error: { code, message } }));
    else this.#io.err(escapeInvisible(message));
  }
}

/** Single keys and lines from a terminal; a hidden line is never text longer than needed. Must not know items. */
import type { Io } from './io.js';

const ENTER = new Set([10, 13]);
const BACKSPACE = new Set([8, 127]);
const CTRL_C = 3;
const CTRL_D = 4;
/** Bytes of one line; more is cut off. */
export const LINE_MAX_BYTES = 65_536;

interface Line {
  bytes: number[];
  done(bytes: Uint8Array | undefined): void;
}

export class Keyboard {
  readonly #stdin: Io['stdin'];
  readonly #prompt: (line: string) => void;
  #onKey: ((key: string) => void) | undefined;
  #line: Line | undefined;
  onInterrupt: () => void = () => undefined;
  readonly #onData = (data: Buffer | string) =>
    this.#read(typeof data === 'string' ? Buffer.from(data) : data);

  constructor(stdin: Io['stdin'], prompt: (line: string) => void) {
    this.#stdin = stdin;
    this.#prompt = prompt;
    stdin.setRawMode?.(true);
    stdin.on('data', this.#onData);
    stdin.resume();
  }

  /** One listener for single keys; silent while a line is read. */
  onKey(listener: (key: string) => void): void {
    this.#onKey = listener;
  }

  /** Reads a line without echo; undefined when it was given up (Ctrl-D). Wipe it after use. */
  readLine(prompt: string): Promise<Uint8Array | undefined> {
    this.#prompt(prompt);
    return new Promise((resolve) => {
      this.#line = { bytes: [], done: resolve };
    });
  }

  close(): void {
    this.#stdin.off('data', this.#onData);
    this.#stdin.setRawMode?.(false);
    this.#stdin.pause();
    this.#line?.done(undefined);
    this.#line = undefined;
  }

  #read(data: Buffer): void {
    for (const byte of data) {
      if (byte === CTRL_C) this.onInterrupt();
      else if (this.#line !== undefined) this.#readIntoLine(byte, this.#line);
      else this.#onKey?.(String.fromCharCode(byte));
    }
    data.fill(0);
  }

  #readIntoLine(byte: number, line: Line): void {
    if (byte === CTRL_D) this.#finish(undefined);
    else if (ENTER.has(byte)) this.#finish(Uint8Array.from(line.bytes));
    else if (BACKSPACE.has(byte)) dropLastCharacter(line.bytes);
    else if (line.bytes.length < LINE_MAX_BYTES) line.bytes.push(byte);
  }

  #finish(bytes: Uint8Array | undefined): void {
    const line = this.#line;
    this.#line = undefined;
    line?.bytes.fill(0);
    line?.done(bytes);
  }
}

/** A character of UTF-8 is its first byte and the continuation bytes after it. */
function dropLastCharacter(bytes: number[]): void {
  while (((bytes.pop() ?? 0) & 0xc0) === 0x80);
}

/** Lines typed by a person or written by a script. Must not know what they answer. */
import { createInterface, type Interface } from 'node:readline';
import type { Terminal } from './io.js';

export class Prompt {
  readonly #terminal: Terminal;
  readonly #reader: Interface;
  readonly #isTerminal: boolean;
  readonly #lines: string[] = [];
  #waiting: ((line: string | undefined) => void) | undefined;
  #ended = false;

  constructor(terminal: Terminal) {
    const { stdin, stderr, interrupts } = terminal.io;
    this.#terminal = terminal;
    this.#isTerminal = stdin.isTTY === true && stderr.isTTY === true;
    this.#reader = createInterface({ input: stdin, output: stderr, terminal: this.#isTerminal });
    this.#reader.on('line', (line) => this.#take(line));
    this.#reader.on('close', () => this.#end());
    // In raw mode Ctrl-C is a key.
    this.#reader.on('SIGINT', () => process.kill(process.pid, 'SIGINT'));
    interrupts.signal.addEventListener('abort', () => this.close(), { once: true });
  }

  /** The next line, or undefined when there is none. `question` is asked anew each second, so that it can hold the time. */
  async ask(question: () => string): Promise<string | undefined> {
    const early = this.#lines.shift();
    if (early !== undefined || this.#ended) return early;
    const show = (keepCursor: boolean): void => {
      this.#reader.setPrompt(question());
      this.#reader.prompt(keepCursor);
    };
    show(false);
    const ticking = this.#isTerminal ? setInterval(() => show(true), 1_000) : undefined;
    try {
      return await new Promise<string | undefined>((resolve) => {
        this.#waiting = resolve;
      });
    } finally {
      clearInterval(ticking);
      if (!this.#isTerminal) this.#terminal.say('');
    }
  }

  close(): void {
    this.#reader.close();
  }

  #take(line: string): void {
    const waiting = this.#waiting;
    this.#waiting = undefined;
    if (waiting === undefined) this.#lines.push(line);
    else waiting(line);
  }

  #end(): void {
    this.#ended = true;
    this.#waiting?.(undefined);
  }
}

/** A yes or no; anything but yes is no. */
export async function confirmed(terminal: Terminal, question: string): Promise<boolean> {
  const prompt = new Prompt(terminal);
  try {
    const answer = await prompt.ask(() => `${question} [y/N] `);
    return /^\s*y(es)?\s*$/i.test(answer ?? '');
  } finally {
    prompt.close();
  }
}

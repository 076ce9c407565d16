/** One line of standard error that renews itself each second; a single plain line where there is no terminal. */
import type { Terminal } from './io.js';

const CLEAR_LINE = '\r\u001b[2K';

export class StatusLine {
  readonly #terminal: Terminal;
  readonly #timer: NodeJS.Timeout | undefined;
  #stopped = false;

  constructor(terminal: Terminal, text: () => string) {
    this.#terminal = terminal;
    const { stderr } = terminal.io;
    if (stderr.isTTY !== true) {
      terminal.say(text());
      return;
    }
    const show = (): void => void stderr.write(CLEAR_LINE + text());
    show();
    this.#timer = setInterval(show, 1_000);
  }

  stop(): void {
    if (this.#stopped) return;
    this.#stopped = true;
    clearInterval(this.#timer);
    if (this.#timer !== undefined) this.#terminal.io.stderr.write(CLEAR_LINE);
  }
}

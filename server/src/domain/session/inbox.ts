/**
 * What a peer sent, handled one after another in the order it came. While one item waits for the store, reading
 * stops once enough has piled up. Must not know frames.
 */

export interface InboxOptions<T> {
  /** Never rejects. */
  handle(item: T): void | Promise<void>;
  sizeOf(item: T): number;
  /** Called with true when reading should stop and with false when it may go on. */
  onBacklog(full: boolean): void;
}

/** Items and bytes that may wait before reading stops. */
export const MAX_BACKLOG_ITEMS = 32;
export const MAX_BACKLOG_BYTES = 256 * 1024;

export class Inbox<T> {
  readonly #options: InboxOptions<T>;
  #items: T[] = [];
  #bytes = 0;
  #busy = false;
  #full = false;
  #stopped = false;
  #onFinished: (() => void) | undefined;

  constructor(options: InboxOptions<T>) {
    this.#options = options;
  }

  push(item: T): void {
    if (this.#stopped) return;
    if (!this.#busy) {
      this.#handle(item);
      return;
    }
    this.#items.push(item);
    this.#bytes += this.#options.sizeOf(item);
    if (this.#items.length >= MAX_BACKLOG_ITEMS || this.#bytes >= MAX_BACKLOG_BYTES) this.#setFull(true);
  }

  /** Handles nothing more, what waits included. */
  stop(): void {
    this.#stopped = true;
    this.#items = [];
    this.#finished();
  }

  /** Nothing more will come: calls back once all that waits is handled, or it is stopped. */
  finish(done: () => void): void {
    this.#onFinished = done;
    if (this.#stopped || !this.#busy) this.#finished();
  }

  #handle(item: T): void {
    const work = this.#options.handle(item);
    if (work === undefined) return;
    this.#busy = true;
    void work.then(() => this.#goOn());
  }

  #goOn(): void {
    this.#busy = false;
    while (!this.#busy && !this.#stopped) {
      const item = this.#items.shift();
      if (item === undefined) break;
      this.#bytes -= this.#options.sizeOf(item);
      this.#handle(item);
    }
    if (this.#items.length > 0) return;
    this.#setFull(false);
    if (!this.#busy) this.#finished();
  }

  #finished(): void {
    const done = this.#onFinished;
    this.#onFinished = undefined;
    done?.();
  }

  #setFull(full: boolean): void {
    if (this.#full === full || this.#stopped) return;
    this.#full = full;
    this.#options.onBacklog(full);
  }
}

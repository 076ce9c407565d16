/** Bytes into lines of text, bounded. Must not know what a line says. */
import { CountersignError } from '@countersign/protocol';

const NEWLINE = 0x0a;

export class LineReader {
  readonly #maxBytes: number;
  readonly #decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });
  #parts: Uint8Array[] = [];
  #held = 0;

  constructor(maxBytes: number) {
    this.#maxBytes = maxBytes;
  }

  /**
   * The lines that are complete now, without their ends; empty lines are left out.
   * @throws CountersignError `payload_too_large` as soon as a line is too long, `bad_request` when one is not UTF-8.
   */
  *push(chunk: Uint8Array): Generator<string> {
    let start = 0;
    for (let end = chunk.indexOf(NEWLINE); end !== -1; end = chunk.indexOf(NEWLINE, start)) {
      this.#keep(chunk.subarray(start, end));
      start = end + 1;
      const line = this.#take();
      if (line !== '') yield line;
    }
    this.#keep(chunk.subarray(start));
  }

  #keep(part: Uint8Array): void {
    if (part.length === 0) return;
    this.#held += part.length;
    if (this.#held > this.#maxBytes) {
      throw new CountersignError('payload_too_large', `A line has more than ${this.#maxBytes} bytes.`, {
        details: { maxBytes: this.#maxBytes },
      });
    }
    this.#parts.push(part);
  }

  #take(): string {
    const bytes = Buffer.concat(this.#parts);
    this.#parts = [];
    this.#held = 0;
    try {
      return this.#decoder.decode(bytes).trim();
    } catch {
      throw new CountersignError('bad_request', 'A line is not UTF-8.');
    }
  }
}

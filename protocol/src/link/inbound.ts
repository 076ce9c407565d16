/**
 * What arrived, dealt with one after another: a message's transaction is durable before anything behind it is
 * touched, the pong to the relay's ping included, for that pong is the receipt (01 §5). Bounded: above the limit
 * the source is told to stop. Must not know frames or stores.
 */
import { deferred } from './async-tools.js';
import { LINK } from './link-limits.js';

export interface InboundItem {
  /** What it occupies while it waits. */
  readonly bytes: number;
  /** The connection it came by. */
  readonly source: object;
  work(): void | Promise<void>;
}

export class Inbound {
  readonly #onError: (error: unknown, source: object) => void;
  readonly #items: InboundItem[] = [];
  #bytes = 0;
  #running = false;
  #idle = deferred();

  /** `onError` hears what a work threw; the next item follows. */
  constructor(onError: (error: unknown, source: object) => void) {
    this.#onError = onError;
    this.#idle.resolve();
  }

  /** False: no room, and the item is not taken. */
  push(item: InboundItem): boolean {
    const full =
      this.#items.length >= LINK.maxInboundItems || this.#bytes + item.bytes > LINK.maxInboundBytes;
    if (full) return false;
    this.#items.push(item);
    this.#bytes += item.bytes;
    if (!this.#running) void this.#run();
    return true;
  }

  /** Forgets what waits from this connection: it comes again by the next. */
  discard(source: object): void {
    const kept = this.#items.filter((item) => item.source !== source);
    this.#items.splice(0, this.#items.length, ...kept);
    this.#bytes = kept.reduce((sum, { bytes }) => sum + bytes, 0);
  }

  /** Settles when nothing waits or runs. */
  get idle(): Promise<void> {
    return this.#idle.promise;
  }

  async #run(): Promise<void> {
    this.#running = true;
    this.#idle = deferred();
    for (let item = this.#items.shift(); item; item = this.#items.shift()) {
      this.#bytes -= item.bytes;
      try {
        await item.work();
      } catch (error) {
        this.#onError(error, item.source);
      }
    }
    this.#running = false;
    this.#idle.resolve();
  }
}

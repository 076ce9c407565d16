/**
 * Tells the relay how far everything it delivered is dealt with (`received`, 01 §5): cumulative, so what comes
 * behind something unfinished or withheld waits for it. Must not know what the messages are or when they are
 * durable; whoever says `done` does.
 */
import { LINK } from './link-limits.js';
import type { LinkRuntime, Timer } from './runtime.js';

/** One delivered message on its way to being confirmed. */
export interface Receipt {
  readonly seq: bigint;
  readonly bytes: number;
  state: 'waiting' | 'withheld' | 'done';
  timer?: Timer | undefined;
}

export class Receipts {
  readonly #runtime: LinkRuntime;
  readonly #send: (seq: bigint) => void;
  /** In order of arrival. */
  #open: Receipt[] = [];
  #reached = -1n;
  #told = -1n;
  #messages = 0;
  #bytes = 0;
  #toldAt = Number.NEGATIVE_INFINITY;
  #timer: Timer | undefined;
  #ended = false;

  constructor(runtime: LinkRuntime, send: (seq: bigint) => void) {
    this.#runtime = runtime;
    this.#send = send;
  }

  arrived(seq: bigint, bytes: number): Receipt {
    const receipt: Receipt = { seq, bytes, state: 'waiting' };
    this.#open.push(receipt);
    if (this.#open.length > LINK.maxUnconfirmed) this.#releaseAll();
    return receipt;
  }

  /** Its effect is durable, or it was dropped and counted. */
  done(receipt: Receipt): void {
    receipt.timer?.cancel();
    receipt.state = 'done';
    this.#advance();
  }

  /** Durable, but not to be confirmed before `until` settles; the relay is to push meanwhile. */
  withhold(receipt: Receipt, until: Promise<unknown>): void {
    receipt.state = 'withheld';
    receipt.timer = this.#runtime.setTimer(() => this.done(receipt), LINK.maxWithheldMs);
    until.then(
      () => this.done(receipt),
      () => undefined,
    );
    if (this.#open.length > LINK.maxUnconfirmed) this.#releaseAll();
  }

  /** The connection is gone: what is not confirmed comes again by the next. */
  end(): void {
    this.#ended = true;
    this.#timer?.cancel();
    for (const { timer } of this.#open.splice(0)) timer?.cancel();
  }

  #releaseAll(): void {
    for (const receipt of this.#open.filter(({ state }) => state === 'withheld')) {
      receipt.timer?.cancel();
      receipt.state = 'done';
    }
    this.#advance();
  }

  #advance(): void {
    if (this.#ended) return;
    const behind = this.#open.findIndex(({ state }) => state !== 'done');
    for (const { seq, bytes } of this.#open.splice(0, behind < 0 ? this.#open.length : behind)) {
      this.#messages++;
      this.#bytes += bytes;
      // A sequence that goes backwards takes nothing back.
      if (seq > this.#reached) this.#reached = seq;
    }
    if (this.#reached > this.#told) this.#tellInTime();
  }

  #tellInTime(): void {
    const sinceMs = Math.max(0, this.#runtime.now() - this.#toldAt);
    const isIdle = this.#open.length === 0 && sinceMs >= LINK.receivedDelayMs;
    const isMuch = this.#messages >= LINK.receivedMessages || this.#bytes >= LINK.receivedBytes;
    if (isIdle || isMuch) {
      this.#tell();
      return;
    }
    const delay = sinceMs < LINK.receivedDelayMs ? LINK.receivedDelayMs - sinceMs : LINK.receivedDelayMs;
    this.#timer ??= this.#runtime.setTimer(() => this.#tell(), delay);
  }

  #tell(): void {
    this.#timer?.cancel();
    this.#timer = undefined;
    this.#messages = 0;
    this.#bytes = 0;
    this.#toldAt = this.#runtime.now();
    this.#told = this.#reached;
    this.#send(this.#reached);
  }
}

/**
 * A peer that does not read: at most so much is buffered for it, and when that is full for so long it is told on
 * (01 §5). Must not know what is written.
 */
import type { Cancel, Clock, PeerSocket } from '../../ports/index.js';
import type { RelayLimits } from '../settings.js';

export interface SlowReaderOptions {
  readonly clock: Clock;
  readonly socket: Pick<PeerSocket, 'bufferedBytes'>;
  readonly limits: Pick<RelayLimits, 'maxBufferedBytes' | 'slowReaderMs'>;
  onTooSlow(): void;
}

export class SlowReader {
  readonly #options: SlowReaderOptions;
  #timer: Cancel | undefined;

  constructor(options: SlowReaderOptions) {
    this.#options = options;
  }

  /** Whether so many more bytes may be written. Without room the clock runs until half of it is read. */
  hasRoom(bytes: number): boolean {
    const { socket, limits } = this.#options;
    const hasRoom = socket.bufferedBytes + bytes <= limits.maxBufferedBytes;
    if (!hasRoom) this.#start();
    else if (this.#isForgiven()) this.stop();
    return hasRoom;
  }

  stop(): void {
    this.#timer?.();
    this.#timer = undefined;
  }

  #isForgiven(): boolean {
    return this.#options.socket.bufferedBytes <= this.#options.limits.maxBufferedBytes / 2;
  }

  #start(): void {
    const { clock, limits, onTooSlow } = this.#options;
    this.#timer ??= clock.after(limits.slowReaderMs, () => {
      this.#timer = undefined;
      if (!this.#isForgiven()) onTooSlow();
    });
  }
}

/**
 * Live messages that wait behind older queued ones of their sender: at most so many and so much, each for so
 * long (01 §5). Must not know sockets or the store.
 */
import type { Cancel, Clock } from '../../ports/index.js';
import { keyOf } from '../keys.js';
import type { RelayLimits } from '../settings.js';

export interface HeldLive {
  readonly sender: string;
  readonly frame: Uint8Array;
  /** Goes once all of the sender's queued messages up to here are written. */
  readonly afterSeq: number;
}

type HeldLimits = Pick<RelayLimits, 'liveWaitMessages' | 'liveWaitMs' | 'maxBufferedBytes'>;

interface Entry extends HeldLive {
  readonly cancel: Cancel;
  readonly settle: (written: boolean) => void;
}

export class HeldLives {
  readonly #clock: Clock;
  readonly #limits: HeldLimits;
  #entries: Entry[] = [];

  constructor(clock: Clock, limits: HeldLimits) {
    this.#clock = clock;
    this.#limits = limits;
  }

  has(sender: string): boolean {
    return this.#entries.some((entry) => entry.sender === sender);
  }

  /** False when there is no room; else whether it was written in time. */
  hold(sender: Uint8Array, frame: Uint8Array, afterSeq: number): false | Promise<boolean> {
    if (!this.#hasRoom(frame.length)) return false;
    return new Promise((settle) => {
      const cancel = this.#clock.after(this.#limits.liveWaitMs, () => this.#expire(entry));
      // A copy: the frame may be a small part of what was read at once.
      const entry: Entry = { sender: keyOf(sender), frame: frame.slice(), afterSeq, cancel, settle };
      this.#entries.push(entry);
    });
  }

  /**
   * Writes, in order, what `mayGo` allows; what follows a held message of the same sender stays behind it.
   * `write` says whether the connection took it.
   */
  release(mayGo: (held: HeldLive) => boolean, write: (frame: Uint8Array) => boolean): void {
    const blocked = new Set<string>();
    const leaving: Entry[] = [];
    this.#entries = this.#entries.filter((entry) => {
      const stays = blocked.has(entry.sender) || !mayGo(entry);
      if (stays) blocked.add(entry.sender);
      else leaving.push(entry);
      return stays;
    });
    for (const entry of leaving) {
      entry.cancel();
      entry.settle(write(entry.frame));
    }
  }

  /** None of them will be written. */
  refuseAll(): void {
    this.release(
      () => true,
      () => false,
    );
  }

  #hasRoom(bytes: number): boolean {
    const heldBytes = this.#entries.reduce((sum, { frame }) => sum + frame.length, 0);
    const { liveWaitMessages, maxBufferedBytes } = this.#limits;
    return this.#entries.length < liveWaitMessages && heldBytes + bytes <= maxBufferedBytes;
  }

  #expire(entry: Entry): void {
    this.#entries = this.#entries.filter((other) => other !== entry);
    entry.settle(false);
  }
}

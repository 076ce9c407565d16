/**
 * Traffic between pairs of sockets through a server that forwards: as much as it takes, or at a steady rate with the
 * time each message needs. Must not know which server it is.
 */
import { randomBytes } from 'node:crypto';
import type { RawSocket } from './raw-socket.js';
import { percentile } from './statistics.js';
import { maskedFrame, OPCODE, serverFrameBytes } from './ws-frames.js';

export interface Pair {
  readonly sender: RawSocket;
  readonly receiver: RawSocket;
  /** What the sender says again and again. */
  readonly payload: Uint8Array;
  /** Bytes of the payload that reaches the receiver. */
  readonly receivedBytes: number;
}

/**
 * Messages of one write, and how many writes of one pair may be under way: enough that a server has work while the
 * generator waits for its core, and less than a relay holds for one peer.
 */
const CHUNK = 16;
const CHUNKS_UNDER_WAY = 12;
/** Different masks, so that no server meets the same bytes all the time. */
const VARIANTS = 8;
const LEFT_TIMEOUT_MS = 10_000;

class Lane {
  readonly #pair: Pair;
  readonly #frames: readonly Buffer[];
  readonly #chunks: readonly Buffer[];
  readonly #frameBytes: number;
  #variant = 0;
  #bytes = 0;
  sent = 0;
  received = 0;
  onReceived: (messages: number) => void = () => undefined;

  constructor(pair: Pair) {
    this.#pair = pair;
    const frame = () => maskedFrame(OPCODE.binary, pair.payload, randomBytes(4));
    this.#frames = Array.from({ length: VARIANTS }, frame);
    this.#chunks = Array.from({ length: VARIANTS }, () =>
      Buffer.concat(Array.from({ length: CHUNK }, frame)),
    );
    this.#frameBytes = serverFrameBytes(pair.receivedBytes);
    pair.receiver.raw((chunk) => this.#take(chunk));
  }

  sendChunk(): void {
    this.sent += CHUNK;
    this.#pair.sender.socket.write(this.#chunks[this.#next()] as Buffer);
  }

  sendOne(): void {
    this.sent += 1;
    this.#pair.sender.socket.write(this.#frames[this.#next()] as Buffer);
  }

  #next(): number {
    this.#variant = (this.#variant + 1) % VARIANTS;
    return this.#variant;
  }

  /** Only counts: all messages to this receiver have one size. */
  #take(chunk: Buffer): void {
    this.#bytes += chunk.length;
    const messages = Math.floor(this.#bytes / this.#frameBytes) - this.received;
    if (messages === 0) return;
    this.received += messages;
    this.onReceived(messages);
  }
}

export class Traffic {
  readonly #lanes: readonly Lane[];
  /** Removed or added bytes would be counted as messages: lanes live as long as their sockets. */
  constructor(pairs: readonly Pair[]) {
    this.#lanes = pairs.map((pair) => new Lane(pair));
  }

  /** Messages that came through in about `ms`, and the milliseconds they took. */
  async flood(ms: number): Promise<{ messages: number; ms: number }> {
    const before = this.#received();
    const began = performance.now();
    let running = true;
    for (const lane of this.#lanes) {
      let due = 0;
      lane.onReceived = (messages) => {
        due += messages;
        for (; running && due >= CHUNK; due -= CHUNK) lane.sendChunk();
      };
      for (let chunk = 0; chunk < CHUNKS_UNDER_WAY; chunk++) lane.sendChunk();
    }
    await new Promise((resolve) => setTimeout(resolve, ms));
    const result = { messages: this.#received() - before, ms: performance.now() - began };
    running = false;
    await this.#arrived();
    return result;
  }

  /** Latencies in milliseconds of messages sent at `perSecond` over all lanes in turn for `ms`; the sender never waits. */
  async paced(perSecond: number, ms: number): Promise<number[]> {
    const latencies: number[] = [];
    const sentAt = this.#lanes.map((lane) => {
      const times: number[] = [];
      let at = 0;
      lane.onReceived = (messages) => {
        const now = performance.now();
        for (let count = 0; count < messages; count++) latencies.push(now - (times[at++] as number));
      };
      return times;
    });
    const began = performance.now();
    for (let sent = 0, now = began; now - began < ms; now = performance.now()) {
      for (const due = ((now - began) * perSecond) / 1000; sent < due; sent++) {
        const lane = sent % this.#lanes.length;
        (sentAt[lane] as number[]).push(performance.now());
        this.#lanes[lane]?.sendOne();
      }
      await new Promise((resolve) => setImmediate(resolve));
    }
    await this.#arrived();
    return latencies;
  }

  #received(): number {
    return this.#lanes.reduce((sum, lane) => sum + lane.received, 0);
  }

  async #arrived(): Promise<void> {
    const deadline = performance.now() + LEFT_TIMEOUT_MS;
    while (this.#lanes.some((lane) => lane.received < lane.sent)) {
      if (performance.now() > deadline) throw new Error('messages were lost on their way');
      await new Promise((resolve) => setTimeout(resolve, 5));
    }
  }
}

export const p99 = (latencies: readonly number[]): number => percentile(latencies, 0.99);

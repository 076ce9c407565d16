/** A WebSocket as the domain's {@link PeerSocket}. Must not know frames. */
import type { Duplex } from 'node:stream';
import type { WebSocket } from 'ws';
import type { PeerSocket, SocketListener } from '../ports/index.js';

/** What a write that waits occupies besides its bytes, as measured on Node 20: many small ones are not cheap. */
const WAITING_WRITE_BYTES = 300;
/** What is written in one turn of the event loop goes to the network at once, or in pieces of so many bytes. */
const GATHERED_BYTES = 64 * 1024;

const BINARY = { binary: true } as const;

export class WsSocket implements PeerSocket {
  readonly #ws: WebSocket;
  readonly #stream: Duplex;
  #waitingWrites = 0;
  #gathered = 0;
  #isGathering = false;
  /** The network had not taken everything when this turn began. */
  #isBehind = false;
  readonly #written = () => {
    this.#waitingWrites--;
  };
  readonly #flush = () => {
    if (!this.#isGathering) return;
    this.#isGathering = false;
    this.#gathered = 0;
    this.#stream.uncork();
  };

  /** `stream` is the connection below the WebSocket. */
  constructor(ws: WebSocket, stream: Duplex) {
    this.#ws = ws;
    this.#stream = stream;
  }

  get bufferedBytes(): number {
    return this.#ws.bufferedAmount + this.#waitingWrites * WAITING_WRITE_BYTES;
  }

  send(frame: Uint8Array): void {
    if (!this.#isOpen) return;
    this.#gather(frame.length);
    this.#waitingWrites++;
    this.#ws.send(this.#isBehind ? withoutRest(frame) : frame, BINARY, this.#written);
    if (this.#gathered >= GATHERED_BYTES) this.#flush();
  }

  ping(payload: Uint8Array): void {
    if (!this.#isOpen) return;
    this.#waitingWrites++;
    this.#ws.ping(payload, false, this.#written);
  }

  pong(payload: Uint8Array): void {
    if (!this.#isOpen) return;
    this.#waitingWrites++;
    this.#ws.pong(payload, false, this.#written);
  }

  close(code: number, reason: string): void {
    this.#ws.close(code, reason);
  }

  terminate(): void {
    this.#ws.terminate();
  }

  pause(): void {
    this.#ws.pause();
  }

  resume(): void {
    this.#ws.resume();
  }

  /** One write for all messages of a turn costs a fraction of one for each. */
  #gather(bytes: number): void {
    this.#gathered += bytes;
    if (this.#isGathering) return;
    this.#isGathering = true;
    this.#isBehind = this.#ws.bufferedAmount > 0;
    this.#stream.cork();
    process.nextTick(this.#flush);
  }

  get #isOpen(): boolean {
    return this.#ws.readyState === this.#ws.OPEN;
  }
}

/** A frame that has to wait must not keep the much larger piece of the network's that it is a part of. */
function withoutRest(frame: Uint8Array): Uint8Array {
  return frame.buffer.byteLength > 2 * frame.length ? frame.slice() : frame;
}

/** Reports what the WebSocket and the stream below it do. `stream` is read by the WebSocket already. */
export function report(ws: WebSocket, stream: Duplex, listener: SocketListener): void {
  ws.on('message', (data, binary) => listener.onMessage(plain(data as Buffer), binary));
  ws.on('ping', (payload) => listener.onPing(plain(payload)));
  ws.on('pong', (payload) => listener.onPong(plain(payload)));
  // After the WebSocket's own listener, so that complete messages are known by then.
  stream.on('data', (chunk: Buffer) => listener.onRead(chunk.length));
  stream.on('drain', () => listener.onDrained());
  ws.on('close', (code) => listener.onClosed(code));
}

/** The same bytes without Buffer's habits: its `slice` does not copy. */
function plain(buffer: Buffer): Uint8Array {
  return new Uint8Array(buffer.buffer, buffer.byteOffset, buffer.length);
}

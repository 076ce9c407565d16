/** A WebSocket as the domain's {@link PeerSocket}. Must not know frames. */
import type { Duplex } from 'node:stream';
import type { RawData, WebSocket } from 'ws';
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
    if (this.#gathered >= GATHERED_BYTES) WsSocket.#flush(this);
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

  static #flush(socket: WsSocket): void {
    if (!socket.#isGathering) return;
    socket.#isGathering = false;
    socket.#gathered = 0;
    socket.#stream.uncork();
  }

  /** One write for all messages of a turn costs a fraction of one for each. */
  #gather(bytes: number): void {
    this.#gathered += bytes;
    if (this.#isGathering) return;
    this.#isGathering = true;
    this.#isBehind = this.#ws.bufferedAmount > 0;
    this.#stream.cork();
    process.nextTick(WsSocket.#flush, this);
  }

  get #isOpen(): boolean {
    return this.#ws.readyState === this.#ws.OPEN;
  }
}

/** A frame that has to wait must not keep the much larger piece of the network's that it is a part of. */
function withoutRest(frame: Uint8Array): Uint8Array {
  return frame.buffer.byteLength > 2 * frame.length ? frame.slice() : frame;
}

/**
 * Where an emitter keeps who hears of it. Functions of its own for each connection would be a good part of what an
 * idle one weighs.
 */
const LISTENER = Symbol('listener');
type Reporting<Emitter> = Emitter & { [LISTENER]: SocketListener };

/** Reports what the WebSocket and the stream below it do. `stream` is read by the WebSocket already. */
export function report(ws: WebSocket, stream: Duplex, listener: SocketListener): void {
  (ws as Reporting<WebSocket>)[LISTENER] = listener;
  (stream as Reporting<Duplex>)[LISTENER] = listener;
  ws.on('message', onMessage as (this: WebSocket, data: RawData, isBinary: boolean) => void);
  ws.on('ping', onPing as (this: WebSocket, payload: Buffer) => void);
  ws.on('pong', onPong as (this: WebSocket, payload: Buffer) => void);
  // After the WebSocket's own listener, so that complete messages are known by then.
  stream.on('data', onData);
  stream.on('drain', onDrain);
  ws.on('close', onClose as (this: WebSocket, code: number) => void);
}

function onMessage(this: Reporting<WebSocket>, data: RawData, isBinary: boolean): void {
  this[LISTENER].onMessage(plain(data as Buffer), isBinary);
}

function onPing(this: Reporting<WebSocket>, payload: Buffer): void {
  this[LISTENER].onPing(plain(payload));
}

function onPong(this: Reporting<WebSocket>, payload: Buffer): void {
  this[LISTENER].onPong(plain(payload));
}

function onClose(this: Reporting<WebSocket>, code: number): void {
  this[LISTENER].onClosed(code);
}

function onData(this: Reporting<Duplex>, chunk: Buffer): void {
  this[LISTENER].onRead(chunk.length);
}

function onDrain(this: Reporting<Duplex>): void {
  this[LISTENER].onDrained();
}

/** The same bytes without Buffer's habits: its `slice` does not copy. */
function plain(buffer: Buffer): Uint8Array {
  return new Uint8Array(buffer.buffer, buffer.byteOffset, buffer.length);
}

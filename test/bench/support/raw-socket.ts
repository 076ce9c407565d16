/**
 * A WebSocket client of one TCP socket that does as little as possible: a library's client would be measured instead
 * of the server. Must not know relay frames.
 */
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { FrameReader, maskedFrame, OPCODE } from './ws-frames.js';

const HEADER_END = '\r\n\r\n';

export class RawSocket {
  readonly socket: Socket;
  /** Binary messages nobody took yet. */
  readonly #messages: Buffer[] = [];
  #waiting: ((message: Buffer) => void) | undefined;
  #onPong: () => void = () => undefined;
  #onData: (chunk: Buffer) => void;

  private constructor(socket: Socket, rest: Buffer) {
    this.socket = socket;
    const reader = new FrameReader((opcode, payload) => this.#onFrame(opcode, payload));
    this.#onData = (chunk) => reader.push(chunk);
    socket.on('data', (chunk: Buffer) => this.#onData(chunk));
    if (rest.length > 0) this.#onData(rest);
  }

  /** Upgraded. */
  static async open(port: number): Promise<RawSocket> {
    const socket = connect(port, '127.0.0.1');
    socket.setNoDelay(true);
    socket.on('error', () => undefined);
    await once(socket, 'connect');
    socket.write(upgradeRequest(port));
    return new RawSocket(socket, await afterUpgrade(socket));
  }

  send(payload: Uint8Array): void {
    this.socket.write(maskedFrame(OPCODE.binary, payload, randomBytes(4)));
  }

  next(): Promise<Buffer> {
    const message = this.#messages.shift();
    if (message) return Promise.resolve(message);
    return new Promise((resolve, reject) => {
      const onClose = () => reject(new Error('the server closed the connection'));
      this.socket.once('close', onClose);
      this.#waiting = (next) => {
        this.socket.off('close', onClose);
        resolve(next);
      };
    });
  }

  /** Everything the server sent before has come once this resolves. */
  async settled(): Promise<void> {
    const pong = new Promise<void>((resolve) => {
      this.#onPong = resolve;
    });
    this.socket.write(maskedFrame(OPCODE.ping, randomBytes(8), randomBytes(4)));
    await pong;
  }

  /** From here on the bytes go to `onData` as they come, frames and all. */
  raw(onData: (chunk: Buffer) => void): void {
    this.#onData = onData;
  }

  /** From here on each frame goes to `onFrame`; nothing is answered by itself. */
  frames(onFrame: (opcode: number, payload: Buffer) => void): void {
    const reader = new FrameReader(onFrame);
    this.#onData = (chunk) => reader.push(chunk);
  }

  close(): void {
    this.socket.destroy();
  }

  #onFrame(opcode: number, payload: Buffer): void {
    if (opcode === OPCODE.ping) this.socket.write(maskedFrame(OPCODE.pong, payload, randomBytes(4)));
    if (opcode === OPCODE.pong) this.#onPong();
    if (opcode !== OPCODE.binary) return;
    const waiting = this.#waiting;
    this.#waiting = undefined;
    if (waiting) waiting(payload);
    else this.#messages.push(Buffer.from(payload));
  }
}

function upgradeRequest(port: number): string {
  return [
    'GET /v1/ws HTTP/1.1',
    `Host: 127.0.0.1:${port}`,
    'Connection: Upgrade',
    'Upgrade: websocket',
    'Sec-WebSocket-Version: 13',
    `Sec-WebSocket-Key: ${randomBytes(16).toString('base64')}`,
    HEADER_END.slice(2),
  ].join('\r\n');
}

/** What came behind the answer's headers. */
async function afterUpgrade(socket: Socket): Promise<Buffer> {
  let bytes = Buffer.alloc(0);
  for (;;) {
    const [chunk] = (await once(socket, 'data')) as [Buffer];
    bytes = Buffer.concat([bytes, chunk]);
    const end = bytes.indexOf(HEADER_END);
    if (end < 0) continue;
    const status = bytes.subarray(0, bytes.indexOf('\r\n')).toString();
    if (!status.includes(' 101 ')) throw new Error(`no upgrade: ${status}`);
    return Buffer.from(bytes.subarray(end + HEADER_END.length));
  }
}

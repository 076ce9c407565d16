/**
 * The cheapest WebSocket there is: a TCP socket, an upgrade written by hand, frames masked with zeros. Says what no
 * library would and costs next to nothing, so that thousands of them load the relay and not the trial. Must not know
 * what travels.
 */
import { connect, type NetConnectOpts, type Socket } from 'node:net';

export interface RawSocketOptions {
  readonly port: number;
  /** Where it comes from: any address of 127.0.0.0/8. */
  readonly from?: string;
  readonly headers?: readonly string[];
  readonly path?: string;
}

export interface Upgraded {
  /** HTTP status; 0 when the connection ended without one. */
  readonly status: number;
  readonly head: string;
}

export const OPCODE = { continuation: 0, text: 1, binary: 2, close: 8, ping: 9, pong: 10 } as const;

const MAX_HEAD_BYTES = 16 * 1024;

export interface Received {
  readonly opcode: number;
  readonly payload: Buffer;
}

export class RawSocket {
  readonly socket: Socket;
  /** Messages and control frames as they came, pings apart, which are answered. */
  readonly received: Received[] = [];
  answersPings = true;
  closeCode: number | undefined;
  ended = false;
  bytesRead = 0;
  #rest: Buffer = Buffer.alloc(0);
  #head: Upgraded | undefined;
  #wakes: Array<() => void> = [];

  constructor(options: RawSocketOptions) {
    const where: NetConnectOpts = { port: options.port, host: '127.0.0.1' };
    this.socket = connect(options.from === undefined ? where : { ...where, localAddress: options.from });
    this.socket.setNoDelay(true);
    this.socket.on('error', () => undefined);
    this.socket.on('connect', () => this.nudge());
    this.socket.on('data', (data) => this.#onData(data));
    this.socket.on('close', () => this.#wake(() => (this.ended = true)));
  }

  /** Connects and asks for the upgrade. */
  static async open(options: RawSocketOptions): Promise<{ socket: RawSocket; upgraded: Upgraded }> {
    const socket = new RawSocket(options);
    socket.socket.write(upgradeRequest(options));
    return { socket, upgraded: await socket.upgraded() };
  }

  upgraded(): Promise<Upgraded> {
    return this.until(() => this.#head ?? (this.ended && { status: 0, head: '' }));
  }

  write(bytes: Uint8Array): void {
    if (!this.socket.destroyed) this.socket.write(bytes);
  }

  send(payload: Uint8Array): void {
    this.write(frame(OPCODE.binary, payload));
  }

  /** The next binary message that was not taken; undefined when it ended first. */
  async message(): Promise<Buffer | undefined> {
    const isMessage = ({ opcode }: Received) => opcode === OPCODE.binary;
    await this.until(() => this.ended || this.received.some(isMessage));
    const at = this.received.findIndex(isMessage);
    return at < 0 ? undefined : this.received.splice(at, 1)[0]?.payload;
  }

  whenEnded(): Promise<true> {
    return this.until(() => this.ended);
  }

  async until<T>(probe: () => T | undefined | false): Promise<T> {
    for (;;) {
      const found = probe();
      if (found) return found;
      await new Promise<void>((resolve) => this.#wakes.push(resolve));
    }
  }

  /** Looks again at what {@link until} waits for. */
  nudge(): void {
    this.#wake(() => undefined);
  }

  /** Without a goodbye. */
  destroy(): void {
    this.socket.destroy();
  }

  #onData(data: Buffer): void {
    this.bytesRead += data.length;
    this.#rest = this.#rest.length === 0 ? data : Buffer.concat([this.#rest, data]);
    if (this.#head === undefined && !this.#readHead()) return;
    this.#wake(() => this.#readFrames());
  }

  #readHead(): boolean {
    const end = this.#rest.indexOf('\r\n\r\n');
    if (end < 0 && this.#rest.length < MAX_HEAD_BYTES) return false;
    const head = this.#rest.subarray(0, end).toString('latin1');
    this.#rest = this.#rest.subarray(end + 4);
    this.#head = { status: Number(/^HTTP\/1\.1 (\d{3})/.exec(head)?.[1] ?? 0), head };
    return true;
  }

  #readFrames(): void {
    if (this.#head?.status !== 101) return;
    for (;;) {
      const found = parseFrame(this.#rest);
      if (found === undefined) return;
      this.#rest = this.#rest.subarray(found.size);
      this.#take(found);
    }
  }

  #take({ opcode, payload }: Received): void {
    if (opcode === OPCODE.ping && this.answersPings) this.write(frame(OPCODE.pong, payload));
    else if (opcode === OPCODE.close) {
      this.closeCode = payload.length >= 2 ? payload.readUInt16BE(0) : 1005;
      this.write(frame(OPCODE.close, payload));
    } else this.received.push({ opcode, payload: Buffer.from(payload) });
  }

  #wake(change: () => void): void {
    change();
    const wakes = this.#wakes;
    this.#wakes = [];
    for (const wake of wakes) wake();
  }
}

export function upgradeRequest({ port, headers = [], path = '/v1/ws' }: RawSocketOptions): string {
  return [
    `GET ${path} HTTP/1.1`,
    `Host: 127.0.0.1:${port}`,
    'Connection: Upgrade',
    'Upgrade: websocket',
    'Sec-WebSocket-Version: 13',
    'Sec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==',
    ...headers,
    '\r\n',
  ].join('\r\n');
}

/** One masked frame (RFC 6455 §5.2); the mask is zeros, so the payload stays as it is. */
export function frame(opcode: number, payload: Uint8Array, isLast = true): Buffer {
  const length = payload.length;
  const extended = length < 126 ? 0 : length < 65_536 ? 2 : 8;
  const bytes = Buffer.alloc(2 + extended + 4 + length);
  bytes[0] = (isLast ? 0x80 : 0) | opcode;
  bytes[1] = 0x80 | (extended === 0 ? length : extended === 2 ? 126 : 127);
  if (extended === 2) bytes.writeUInt16BE(length, 2);
  if (extended === 8) bytes.writeBigUInt64BE(BigInt(length), 2);
  bytes.set(payload, 2 + extended + 4);
  return bytes;
}

/** An unmasked frame at the start of `bytes`; undefined until it is there whole. */
function parseFrame(bytes: Buffer): (Received & { size: number }) | undefined {
  if (bytes.length < 2) return undefined;
  const short = (bytes[1] ?? 0) & 0x7f;
  const extended = short < 126 ? 0 : short === 126 ? 2 : 8;
  const head = 2 + extended;
  if (bytes.length < head) return undefined;
  const length =
    extended === 0 ? short : extended === 2 ? bytes.readUInt16BE(2) : Number(bytes.readBigUInt64BE(2));
  if (bytes.length < head + length) return undefined;
  return {
    opcode: (bytes[0] ?? 0) & 0x0f,
    payload: bytes.subarray(head, head + length),
    size: head + length,
  };
}

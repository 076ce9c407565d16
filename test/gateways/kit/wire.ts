/**
 * The stretch of TCP in front of a gateway: it counts connections and can freeze, drop or refuse them, which a TLS
 * server cannot do to itself (an HTTP/2 server answers PING whatever its program does). Must not know what the bytes mean.
 */
import { type AddressInfo, connect, createServer, type Server, type Socket } from 'node:net';
import { Ledger } from './ledger.js';

const HOST = '127.0.0.1';

/** One connection of a client. */
export class WireConnection {
  readonly #outer: Socket;
  readonly #inner: Socket;
  #frozen = false;

  constructor(outer: Socket, inner: Socket) {
    this.#outer = outer;
    this.#inner = inner;
    outer.setNoDelay(true);
    inner.setNoDelay(true);
    outer.pipe(inner);
    inner.pipe(outer);
    outer.on('error', () => inner.destroy()).on('close', () => inner.destroy());
    inner.on('error', () => outer.destroy()).on('close', () => outer.destroySoon());
  }

  get frozen(): boolean {
    return this.#frozen;
  }

  /** Half-open from now on: open for the client, but nothing is read or written, so no PING is answered either. */
  freeze(): void {
    this.#frozen = true;
    this.#outer.unpipe(this.#inner).pause();
    this.#inner.unpipe(this.#outer).pause();
  }

  thaw(): void {
    if (!this.#frozen) return;
    this.#frozen = false;
    this.#outer.pipe(this.#inner);
    this.#inner.pipe(this.#outer);
  }

  /** Ends the connection with a TCP FIN once all written is sent. */
  end(): void {
    this.#outer.end();
  }

  /** Ends the connection with a TCP reset. */
  reset(): void {
    this.#outer.resetAndDestroy();
    this.#inner.destroy();
  }
}

export class Wire {
  readonly #server: Server;
  readonly #open = new Set<WireConnection>();
  readonly #byInnerPort = new Map<number, WireConnection>();
  readonly #opened = new Ledger<WireConnection>(false);
  #freezeNew = false;

  private constructor(innerPort: number) {
    this.#server = createServer((outer) => this.#accept(outer, innerPort));
  }

  static async start(innerPort: number): Promise<Wire> {
    const wire = new Wire(innerPort);
    await new Promise<void>((resolve) => wire.#server.listen(0, HOST, resolve));
    return wire;
  }

  get port(): number {
    return (this.#server.address() as AddressInfo).port;
  }

  /** Connections accepted since the start, and those open now. */
  get opened(): number {
    return this.#opened.count;
  }

  get open(): number {
    return this.#open.size;
  }

  /** Resolves once so many connections have been accepted since the start. */
  whenOpened(count: number): Promise<void> {
    return this.#opened.whenCount(count);
  }

  /** The connection that the server behind sees coming from `innerPort`. */
  connectionFrom(innerPort: number | undefined): WireConnection | undefined {
    return this.#byInnerPort.get(innerPort ?? -1);
  }

  /** Freezes every connection; with `andNew`, later ones too, so that not even TLS comes about. */
  freeze(andNew = false): void {
    this.#freezeNew = andNew;
    for (const connection of this.#open) connection.freeze();
  }

  thaw(): void {
    this.#freezeNew = false;
    for (const connection of this.#open) connection.thaw();
  }

  /** Resets every connection; clients may connect again. */
  resetAll(): void {
    for (const connection of this.#open) connection.reset();
  }

  async close(): Promise<void> {
    const closed = new Promise<void>((resolve) => this.#server.close(() => resolve()));
    this.resetAll();
    await closed;
  }

  #accept(outer: Socket, innerPort: number): void {
    const inner = connect({ host: HOST, port: innerPort });
    const connection = new WireConnection(outer, inner);
    if (this.#freezeNew) connection.freeze();
    this.#open.add(connection);
    inner.once('connect', () => {
      const { localPort = -1 } = inner;
      this.#byInnerPort.set(localPort, connection);
      inner.once('close', () => this.#byInnerPort.delete(localPort));
    });
    outer.once('close', () => this.#open.delete(connection));
    this.#opened.add(connection);
  }
}

/**
 * One TLS listener behind a `Wire`: HTTP/2, and HTTP/1.1 where the real service takes it. Reads a request whole, records
 * it, applies the wire part of a scripted step. Must not know any provider's rules.
 */

import type { IncomingMessage, ServerResponse } from 'node:http';
import {
  createSecureServer,
  type Http2SecureServer,
  type Http2ServerRequest,
  type Http2ServerResponse,
  type ServerHttp2Session,
} from 'node:http2';
import type { AddressInfo } from 'node:net';
import type { Duplex } from 'node:stream';
import type { TLSSocket } from 'node:tls';
import type { Authority } from './authority.js';
import { Exchange } from './exchange.js';
import type { Traffic } from './traffic.js';
import { Wire } from './wire.js';

export interface ListenerOptions {
  readonly name: string;
  readonly authority: Authority;
  readonly traffic: Traffic;
  readonly now: () => number;
  readonly http1: boolean;
  /** SETTINGS_MAX_CONCURRENT_STREAMS of a new HTTP/2 connection. */
  readonly firstStreamLimit?: number;
  readonly onSession?: (session: ServerHttp2Session) => void;
  readonly serve: (exchange: Exchange) => void | Promise<void>;
}

type AnyRequest = Http2ServerRequest | IncomingMessage;
type AnyResponse = Http2ServerResponse | ServerResponse;

export class Listener {
  readonly name: string;
  readonly #options: ListenerOptions;
  readonly #server: Http2SecureServer;
  readonly #sockets = new Map<TLSSocket, number>();
  readonly #sessions = new Set<ServerHttp2Session>();
  readonly #exchanges = new Set<Exchange>();
  #wire: Wire | undefined;
  #connections = 0;

  private constructor(options: ListenerOptions) {
    this.name = options.name;
    this.#options = options;
    const { key, cert } = options.authority;
    const settings = options.firstStreamLimit && { maxConcurrentStreams: options.firstStreamLimit };
    this.#server = createSecureServer(
      { key, cert, allowHTTP1: options.http1, ...(settings && { settings }) },
      (request, response) => void this.#take(request, response),
    );
    this.#server.on('secureConnection', (socket: TLSSocket) => this.#track(socket));
    this.#server.on('session', (session) => this.#trackSession(session));
    // A client that breaks the protocol is that client's affair: node has answered it with an error already.
    this.#server.on('sessionError', () => {});
    this.#server.on('tlsClientError', () => {});
    this.#server.on('unknownProtocol', (socket: Duplex) => socket.destroy());
    this.#server.on('clientError', (_, socket) => socket.destroy());
  }

  static async start(options: ListenerOptions): Promise<Listener> {
    const listener = new Listener(options);
    await new Promise<void>((resolve) => listener.#server.listen(0, '127.0.0.1', resolve));
    listener.#wire = await Wire.start((listener.#server.address() as AddressInfo).port);
    return listener;
  }

  /** The stretch of TCP in front: freeze, reset, count. */
  get wire(): Wire {
    if (this.#wire === undefined) throw new Error('the listener has not started');
    return this.#wire;
  }

  get port(): number {
    return this.wire.port;
  }

  /** `https://localhost:<port>`. */
  get url(): string {
    return `https://localhost:${this.port}`;
  }

  /** The HTTP/2 sessions open now. */
  get sessions(): ReadonlySet<ServerHttp2Session> {
    return this.#sessions;
  }

  /** Ends everything at once: no request is waited for. */
  async close(): Promise<void> {
    for (const exchange of this.#exchanges) exchange.abandon();
    const closed = new Promise<void>((resolve) => this.#server.close(() => resolve()));
    await this.wire.close();
    for (const session of this.#sessions) session.destroy();
    for (const socket of this.#sockets.keys()) socket.destroy();
    await closed;
  }

  #track(socket: TLSSocket): void {
    this.#connections += 1;
    this.#sockets.set(socket, this.#connections);
    socket.on('error', () => {});
    socket.once('close', () => this.#sockets.delete(socket));
  }

  #trackSession(session: ServerHttp2Session): void {
    this.#sessions.add(session);
    session.on('error', () => {});
    session.once('close', () => this.#sessions.delete(session));
    this.#options.onSession?.(session);
  }

  async #take(request: AnyRequest, response: AnyResponse): Promise<void> {
    const session =
      'stream' in request ? (request.stream.session as ServerHttp2Session | undefined) : undefined;
    const port = request.socket.remotePort;
    const connection = this.#connectionNumber(port);
    const exchange = new Exchange(request, response, {
      listener: this.name,
      connection,
      session,
      at: this.#options.now(),
      wire: this.wire.connectionFrom(port),
    });
    this.#exchanges.add(exchange);
    response.once('close', () => this.#exchanges.delete(exchange));
    if (!(await exchange.readBody())) return;
    this.#options.traffic.add(exchange.record);
    await this.#options.serve(exchange);
  }

  #connectionNumber(port: number | undefined): number {
    for (const [socket, number] of this.#sockets) if (socket.remotePort === port) return number;
    return 0;
  }
}

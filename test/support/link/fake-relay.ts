/**
 * A relay that does what a test says, over a real WebSocket on 127.0.0.1. By itself it sends a challenge, and
 * answers pings unless told not to; everything else is the test's.
 */
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import {
  CLOSE,
  decodeFrame,
  encodeFrame,
  type FrameOf,
  type FrameType,
  type RelayFrame,
} from '@countersign/protocol';
import { challengeNonce, namespaceIdOf } from '@countersign/protocol/auth';
import { type WebSocket, WebSocketServer } from 'ws';

/** Things that come one after another and are taken one after another. */
class Stream<T> {
  readonly #items: T[] = [];
  readonly #takers: Array<(item: T) => void> = [];

  push(item: T): void {
    const taker = this.#takers.shift();
    if (taker) taker(item);
    else this.#items.push(item);
  }

  take(): Promise<T> {
    const item = this.#items.shift();
    return item === undefined ? new Promise((resolve) => this.#takers.push(resolve)) : Promise.resolve(item);
  }

  get waiting(): readonly T[] {
    return this.#items;
  }
}

/** What else an `auth_ok` may hold. */
type LoginExtras = Pick<FrameOf<'auth_ok'>, 'pushHandle'>;

export class FakeRelay {
  readonly #server: WebSocketServer;
  readonly #connections = new Stream<RelaySide>();
  /** The name challenges are bound to; undefined makes them unbound, as an original relay does. */
  boundTo: string | undefined;

  private constructor(server: WebSocketServer) {
    this.#server = server;
    this.boundTo = this.authority;
    server.on('connection', (socket) => {
      const side = new RelaySide(socket);
      this.#connections.push(side);
    });
  }

  static async start(): Promise<FakeRelay> {
    const server = new WebSocketServer({ host: '127.0.0.1', port: 0, path: '/v1/ws', autoPong: false });
    await once(server, 'listening');
    return new FakeRelay(server);
  }

  get authority(): string {
    return `127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  get url(): string {
    return `ws://${this.authority}`;
  }

  /** The next connection, before its challenge. */
  connection(): Promise<RelaySide> {
    return this.#connections.take();
  }

  /** The next connection, with its challenge sent. */
  async challenged(): Promise<RelaySide> {
    const side = await this.connection();
    side.send({ type: 'challenge', nonce: await this.nonce() });
    return side;
  }

  /** The next connection, logged in. */
  async loggedIn(capabilities: string[] = ['window'], more: LoginExtras = {}): Promise<RelaySide> {
    const side = await this.challenged();
    const auth = await side.take('auth');
    await side.acceptLogin(auth, capabilities, more);
    return side;
  }

  async nonce(): Promise<Uint8Array> {
    const r = new Uint8Array(randomBytes(16));
    return this.boundTo === undefined ? new Uint8Array(randomBytes(32)) : challengeNonce(r, this.boundTo);
  }

  async close(): Promise<void> {
    for (const client of this.#server.clients) client.terminate();
    await new Promise((resolve) => this.#server.close(resolve));
  }
}

export class RelaySide {
  readonly socket: WebSocket;
  readonly closed: Promise<{ code: number }>;
  /** Frames nobody took yet, oldest first. */
  readonly #frames: RelayFrame[] = [];
  #takers: Array<{ type: FrameType; take: (frame: RelayFrame) => void }> = [];
  readonly pings = new Stream<Uint8Array>();
  readonly #pongs = new Stream<Uint8Array>();
  answersPings = true;

  constructor(socket: WebSocket) {
    this.socket = socket;
    this.closed = new Promise((resolve) => {
      socket.on('close', (code) => resolve({ code }));
    });
    socket.on('error', () => undefined);
    socket.on('message', (data: Buffer) => this.#onFrame(new Uint8Array(data)));
    socket.on('pong', (data) => this.#pongs.push(new Uint8Array(data)));
    socket.on('ping', (data) => {
      this.pings.push(new Uint8Array(data));
      if (this.answersPings) socket.pong(data);
    });
  }

  send(frame: RelayFrame): void {
    this.socket.send(encodeFrame(frame));
  }

  sendBytes(bytes: Uint8Array | string): void {
    this.socket.send(bytes);
  }

  async acceptLogin(
    { role }: FrameOf<'auth'>,
    capabilities: string[],
    more: LoginExtras = {},
  ): Promise<void> {
    if (role.kind === 'none') throw new Error('a peer logged in without a role');
    const namespaceId = role.kind === 'agent' ? await namespaceIdOf(role.agentEd25519Pub) : role.namespaceId;
    this.send({ type: 'auth_ok', namespaceId, capabilities, ...more });
  }

  /** The next frame of this type, whatever other types came before it. */
  take<T extends FrameType>(type: T): Promise<FrameOf<T>> {
    const at = this.#frames.findIndex((frame) => frame.type === type);
    if (at >= 0) return Promise.resolve(this.#frames.splice(at, 1)[0] as FrameOf<T>);
    return new Promise((resolve) => {
      this.#takers.push({ type, take: (frame) => resolve(frame as FrameOf<T>) });
    });
  }

  /** What came and was not taken, in order. */
  get untaken(): readonly FrameType[] {
    return this.#frames.map(({ type }) => type);
  }

  /** Resolves when the peer has dealt with everything sent so far. */
  async proof(): Promise<void> {
    const data = randomBytes(8);
    this.socket.ping(data);
    for (;;) if (Buffer.from(await this.#pongs.take()).equals(data)) return;
  }

  close(code: number = CLOSE.goingAway): void {
    this.socket.close(code);
  }

  #onFrame(bytes: Uint8Array): void {
    const frame = decodeFrame(bytes);
    if (!frame) throw new Error('a peer sent bytes that are no frame');
    const at = this.#takers.findIndex(({ type }) => type === frame.type);
    const [taker] = at < 0 ? [] : this.#takers.splice(at, 1);
    if (taker) taker.take(frame);
    else this.#frames.push(frame);
  }
}

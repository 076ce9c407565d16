/**
 * One WebSocket to a relay: login with its deadline, probes, dead-peer detection, and exactly one end with a
 * reason. Must not know messages, stores or retries.
 */
import { CLOSE, decodeFrame, encodeFrame, LOGIN, type RelayFrame, toHex, WIRE } from '../frames/index.js';
import type { Socket, SocketClose } from '../platform/platform.js';
import { LINK } from './link-limits.js';
import { Login, type LoginParams, type LoginResult } from './login.js';
import type { LinkProblem } from './ports.js';
import { type ProblemCode, problem, problemOfClose } from './problems.js';
import type { LinkRuntime, Timer } from './runtime.js';

export interface ConnectionEvents {
  online(result: LoginResult): void;
  /** A frame after login, with the size it arrived in. */
  frame(frame: RelayFrame, bytes: number): void;
  /** The relay's ping: to be answered once everything before it has been dealt with. */
  ping(data: Uint8Array): void;
  ended(end: ConnectionEnd): void;
}

export interface ConnectionEnd {
  readonly problem: LinkProblem;
  readonly closeCode: number;
  readonly retryAfterMs?: number | undefined;
}

export interface ConnectionParams extends LoginParams {
  readonly relayUrl: string;
  readonly ca?: string | undefined;
}

export class Connection {
  readonly #runtime: LinkRuntime;
  readonly #params: ConnectionParams;
  readonly #events: ConnectionEvents;
  readonly #login: Login;
  readonly #socket: Socket;
  readonly #timers = new Set<Timer>();
  readonly #pongs = new Map<string, () => void>();
  #phase: 'login' | 'online' | 'ended' = 'login';
  #lastByteAt: number;
  #heardCount = 0;
  #waitingPongs = 0;
  #lastError: string | undefined;

  constructor(runtime: LinkRuntime, params: ConnectionParams, events: ConnectionEvents) {
    this.#runtime = runtime;
    this.#params = params;
    this.#events = events;
    this.#lastByteAt = runtime.now();
    this.#login = new Login(params, {
      send: (bytes) => this.#socket.send(bytes),
      done: (result) => this.#online(result),
      failed: (reason) => this.end(reason, CLOSE.pairingDone),
    });
    this.#socket = this.#dial();
    this.#after(LOGIN.deadlineMs, () => {
      if (this.#phase === 'login') this.fail('challenge_timeout');
    });
  }

  get canPing(): boolean {
    return this.#socket.canPing;
  }

  get bufferedBytes(): number {
    return this.#socket.bufferedBytes;
  }

  get isOnline(): boolean {
    return this.#phase === 'online';
  }

  /** Unix milliseconds of the last inbound byte, pongs included. */
  get lastByteAt(): number {
    return this.#lastByteAt;
  }

  /** How often anything came in. */
  get heard(): number {
    return this.#heardCount;
  }

  send(frame: RelayFrame): void {
    if (this.#phase === 'online') this.#socket.send(encodeFrame(frame));
  }

  /** A relay that asks again and again and does not read the answers is given up. */
  pong(data: Uint8Array): void {
    if (this.#phase === 'ended') return;
    if (this.#socket.bufferedBytes === 0) this.#waitingPongs = 0;
    if (this.#waitingPongs++ < LINK.maxWaitingPongs) this.#socket.pong(data);
    else this.fail('too_slow');
  }

  /** Sends a ping; `answered` runs when its own pong comes. Pings without a listener only probe. */
  ping(answered?: () => void): void {
    const data = this.#runtime.randomBytes(WIRE.pingBytes);
    if (answered) this.#pongs.set(toHex(data), answered);
    this.#socket.ping(data);
  }

  fail(code: ProblemCode): void {
    this.end(problem(code, this.#params.who), CLOSE.pairingDone);
  }

  /** Ends it for the owner at once; the closing handshake goes on behind, at most for a moment. */
  end(reason: LinkProblem, closeCode: number): void {
    if (this.#phase === 'ended') return;
    this.#socket.close(closeCode, '');
    const drop = this.#runtime.setTimer(() => this.#socket.terminate(), LINK.maxSilentCloseMs);
    this.#finish({ problem: reason, closeCode }, drop);
  }

  #dial(): Socket {
    const { relayUrl, ca } = this.#params;
    return this.#runtime.openSocket(
      new URL(WIRE.path, relayUrl).href,
      {
        onOpen: () => this.#heard(),
        onMessage: (data) => this.#onMessage(data),
        onPing: (data) => {
          this.#heard();
          if (this.#phase === 'online') this.#events.ping(data);
          else this.pong(data);
        },
        onPong: (data) => this.#onPong(data),
        onClose: (info) => this.#onClose(info),
      },
      {
        maxPayloadBytes: WIRE.maxLiveFrameBytes + LINK.inboundFrameSlackBytes,
        handshakeTimeoutMs: LOGIN.deadlineMs,
        ...(ca === undefined ? {} : { ca }),
      },
    );
  }

  #onMessage(data: Uint8Array | undefined): void {
    this.#heard();
    if (this.#phase === 'login') this.#login.onMessage(data);
    else if (this.#phase === 'online' && data) this.#onFrame(data);
  }

  #onFrame(data: Uint8Array): void {
    const frame = decodeFrame(data);
    if (frame?.type === 'error') this.#lastError = frame.code;
    if (frame) this.#events.frame(frame, data.length);
    else this.fail('protocol');
  }

  #onPong(data: Uint8Array): void {
    this.#heard();
    const key = toHex(data);
    const answered = this.#pongs.get(key);
    this.#pongs.delete(key);
    if (this.#phase === 'online') answered?.();
  }

  #onClose(info: SocketClose): void {
    if (this.#phase === 'ended') {
      this.#cancelTimers();
      return;
    }
    const reason = problemOfClose(info, this.#params.who, this.#lastError);
    this.#finish({ problem: reason, closeCode: info.code, retryAfterMs: info.retryAfterMs });
  }

  #online(result: LoginResult): void {
    this.#phase = 'online';
    this.#events.online(result);
  }

  #heard(): void {
    this.#heardCount++;
    this.#lastByteAt = this.#runtime.now();
  }

  #finish(end: ConnectionEnd, keep?: Timer): void {
    this.#phase = 'ended';
    this.#login.stop();
    this.#pongs.clear();
    this.#cancelTimers();
    if (keep) this.#timers.add(keep);
    this.#events.ended(end);
  }

  #after(ms: number, callback: () => void): void {
    this.#timers.add(this.#runtime.setTimer(callback, ms));
  }

  #cancelTimers(): void {
    for (const timer of this.#timers) timer.cancel();
    this.#timers.clear();
  }
}

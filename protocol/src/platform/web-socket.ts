/**
 * The browser's WebSocket behind the platform port. It hides ping and pong and answers pings by itself, and it
 * cannot bound a message before it is whole: what is too big is dropped and the connection with it.
 * Must not know what the messages mean.
 */
import { CLOSE_ABNORMAL, CLOSE_TOO_BIG, deadSocket, fitReason, isSocketUrl } from './platform.internals.js';
import type { Socket, SocketClose, SocketEvents, SocketOptions } from './platform.js';

/** Whether a page may send this close code (WHATWG WebSockets, `close()`). */
function mayClose(code: number): boolean {
  return code === 1000 || (code >= 3000 && code <= 4999);
}

/** One native socket and the promise of exactly one `onClose`. */
class WebConnection {
  readonly #ws: WebSocket;
  readonly #events: SocketEvents;
  readonly #maxPayloadBytes: number;
  readonly #handshakeTimer: ReturnType<typeof setTimeout>;
  #opened = false;
  #ended = false;

  constructor(ws: WebSocket, events: SocketEvents, options: SocketOptions) {
    this.#ws = ws;
    this.#events = events;
    this.#maxPayloadBytes = options.maxPayloadBytes;
    ws.binaryType = 'arraybuffer';
    ws.onopen = () => this.#open();
    ws.onmessage = (event: MessageEvent<unknown>) => this.#message(event.data);
    ws.onclose = (event) => this.#end({ code: event.code, reason: event.reason });
    this.#handshakeTimer = setTimeout(
      () => this.#drop(CLOSE_ABNORMAL, 'ETIMEDOUT'),
      options.handshakeTimeoutMs,
    );
  }

  get bufferedBytes(): number {
    return this.#ws.bufferedAmount;
  }

  send(data: Uint8Array): void {
    if (this.#ws.readyState === WebSocket.OPEN) this.#ws.send(data as Uint8Array<ArrayBuffer>);
  }

  close(code: number, reason: string): void {
    if (mayClose(code)) this.#ws.close(code, fitReason(reason));
    else this.#ws.close();
  }

  terminate(): void {
    this.#drop(CLOSE_ABNORMAL);
  }

  #open(): void {
    this.#opened = true;
    clearTimeout(this.#handshakeTimer);
    this.#events.onOpen();
  }

  #message(data: unknown): void {
    const size = typeof data === 'string' ? data.length : (data as ArrayBuffer).byteLength;
    if (size > this.#maxPayloadBytes) this.#drop(CLOSE_TOO_BIG);
    else this.#events.onMessage(typeof data === 'string' ? undefined : new Uint8Array(data as ArrayBuffer));
  }

  /** Ends it for the owner now; the browser's closing handshake goes on behind the scenes. */
  #drop(code: number, cause?: string): void {
    this.#ws.onopen = this.#ws.onmessage = this.#ws.onclose = null;
    this.#ws.close();
    queueMicrotask(() => this.#end(cause === undefined ? { code, reason: '' } : { code, reason: '', cause }));
  }

  #end(info: SocketClose): void {
    if (this.#ended) return;
    this.#ended = true;
    clearTimeout(this.#handshakeTimer);
    if (!this.#opened) info.cause ??= 'failed';
    this.#events.onClose(info);
  }
}

/** {@link import('./platform.js').Platform.openSocket}; a page learns neither status nor cause of a refusal. */
export function openWebSocket(url: string, events: SocketEvents, options: SocketOptions): Socket {
  let connection: WebConnection;
  if (!isSocketUrl(url)) return deadSocket(events);
  try {
    connection = new WebConnection(new WebSocket(url), events, options);
  } catch {
    return deadSocket(events);
  }
  const nothing = () => {};
  return {
    canPing: false,
    get bufferedBytes() {
      return connection.bufferedBytes;
    },
    send: (data) => connection.send(data),
    ping: nothing,
    pong: nothing,
    close: (code, reason) => connection.close(code, reason),
    terminate: () => connection.terminate(),
  };
}

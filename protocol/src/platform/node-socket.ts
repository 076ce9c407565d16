/**
 * A WebSocket by ws: no automatic pong, no compression, no redirects, bounded messages and handshake.
 * Must not know what the messages mean.
 */
import { rootCertificates } from 'node:tls';
import { type RawData, WebSocket } from 'ws';
import { CLOSE_TOO_BIG, causeWord, deadSocket, fitReason, isSocketUrl } from './platform.internals.js';
import type { Socket, SocketClose, SocketEvents, SocketOptions } from './platform.js';

function connect(url: string, options: SocketOptions): WebSocket {
  return new WebSocket(url, {
    autoPong: false,
    followRedirects: false,
    maxPayload: options.maxPayloadBytes,
    perMessageDeflate: false,
    // `ca` replaces Node's own list, so that list goes in too.
    ...(options.ca === undefined ? {} : { ca: [...rootCertificates, options.ca] }),
  });
}

/** ws hands over one Buffer per message under `binaryType: 'nodebuffer'`, its default. */
function plain(data: RawData): Uint8Array {
  const buffer = data as Buffer;
  return new Uint8Array(buffer.buffer, buffer.byteOffset, buffer.byteLength);
}

/** Listens until exactly one `onClose`. */
function listen(ws: WebSocket, events: SocketEvents, handshakeTimeoutMs: number): void {
  let opened = false;
  const seen: { httpStatus?: number; retryAfterMs?: number; cause?: string; tooBig?: boolean } = {};
  // ws's own handshakeTimeout starts again with every byte, so a server could stretch it at will.
  const timer = setTimeout(() => {
    seen.cause = 'ETIMEDOUT';
    ws.terminate();
  }, handshakeTimeoutMs);
  ws.on('open', () => {
    opened = true;
    clearTimeout(timer);
    events.onOpen();
  });
  ws.on('message', (data, isBinary) => events.onMessage(isBinary ? plain(data) : undefined));
  ws.on('ping', (data) => events.onPing(plain(data)));
  ws.on('pong', (data) => events.onPong(plain(data)));
  ws.on('unexpected-response', (_request, response) => {
    seen.httpStatus = response.statusCode ?? 0;
    const retryAfter = response.headers['retry-after'] ?? '';
    if (/^\d{1,6}$/.test(retryAfter)) seen.retryAfterMs = Number(retryAfter) * 1000;
    ws.terminate();
  });
  ws.on('error', (error) => {
    const code = causeWord((error as NodeJS.ErrnoException).code);
    seen.tooBig ||= code === 'WS_ERR_UNSUPPORTED_MESSAGE_LENGTH';
    seen.cause ??= code;
  });
  ws.on('close', (code, reason) => {
    clearTimeout(timer);
    const info: SocketClose = { code: seen.tooBig ? CLOSE_TOO_BIG : code, reason: reason.toString() };
    if (seen.httpStatus !== undefined) info.httpStatus = seen.httpStatus;
    if (seen.retryAfterMs !== undefined) info.retryAfterMs = seen.retryAfterMs;
    if (!opened) info.cause = seen.httpStatus === undefined ? (seen.cause ?? 'failed') : 'http_status';
    events.onClose(info);
  });
}

function socketOf(ws: WebSocket): Socket {
  const isOpen = () => ws.readyState === WebSocket.OPEN;
  return {
    canPing: true,
    get bufferedBytes() {
      return ws.bufferedAmount;
    },
    send: (data) => {
      if (isOpen()) ws.send(data, { binary: true });
    },
    ping: (data) => {
      if (isOpen()) ws.ping(data);
    },
    pong: (data) => {
      if (isOpen()) ws.pong(data);
    },
    close: (code, reason) => ws.close(code, fitReason(reason)),
    terminate: () => ws.terminate(),
  };
}

/** {@link import('./platform.js').Platform.openSocket}; `code` of `close` must be one a peer may send. */
export function openNodeSocket(url: string, events: SocketEvents, options: SocketOptions): Socket {
  let ws: WebSocket;
  if (!isSocketUrl(url)) return deadSocket(events);
  try {
    ws = connect(url, options);
  } catch {
    return deadSocket(events);
  }
  listen(ws, events, options.handshakeTimeoutMs);
  return socketOf(ws);
}

/**
 * One connection to one of Apple's hosts: one request, one answer, and a new connection when the old one is of no
 * more use. Must not know what an answer means for a token.
 */
import { randomUUID } from 'node:crypto';
import {
  type ClientHttp2Stream,
  constants,
  type IncomingHttpHeaders,
  type IncomingHttpStatusHeader,
} from 'node:http2';
import apn from 'apn';
import { type ApnSender, type ApnSenderOptions, openApnSender } from './apn-seam.js';
import type { ApnsHeaders } from './payload.js';

/** Apple's reasons are a few words; more is not read. */
const MAX_ANSWER_BYTES = 4_096;
/** Timeouts in a row after which the peer is taken for dead: the library never drops such a connection itself. */
const TIMEOUTS_BEFORE_RECONNECT = 2;

export interface ApnsAnswer {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
  /** The provider token it was sent with. */
  readonly token: string;
}

/** `refused`: Apple did not look at it. `lost`: nobody can say. */
export type ApnsExchange = ApnsAnswer | 'refused' | 'lost';

export class ApnsConnection {
  readonly #options: ApnSenderOptions;
  #sender: ApnSender | undefined;
  #timeouts = 0;

  constructor(options: ApnSenderOptions) {
    this.#options = options;
  }

  /** Ends with the signal at the latest. */
  async exchange(
    headers: ApnsHeaders,
    payload: string,
    deviceToken: string,
    signal: AbortSignal,
  ): Promise<ApnsExchange> {
    this.#sender ??= openApnSender(this.#options);
    const sender = this.#sender;
    const result = await attempt(sender, notificationOf(headers, payload), deviceToken, signal);
    if (signal.aborted) this.#timedOut(sender);
    else if (typeof result === 'object') this.#timeouts = 0;
    return result;
  }

  /** The next exchange opens a new connection; what is in flight on this one is lost. */
  reconnect(): void {
    this.#sender?.destroy();
    this.#sender = undefined;
    this.#timeouts = 0;
  }

  #timedOut(sender: ApnSender): void {
    this.#timeouts += 1;
    if (this.#timeouts >= TIMEOUTS_BEFORE_RECONNECT && this.#sender === sender) this.reconnect();
  }
}

/** A new one for each push: the library keeps what it once compiled. */
function notificationOf(headers: ApnsHeaders, payload: string): apn.Notification {
  // `compiled` is where the library keeps its own serialisation: with it, it sends these bytes.
  return new apn.Notification({ id: randomUUID(), ...headers, compiled: payload });
}

function attempt(
  sender: ApnSender,
  notification: apn.Notification,
  deviceToken: string,
  signal: AbortSignal,
): Promise<ApnsExchange> {
  return new Promise((resolve) => {
    let opened: ClientHttp2Stream | undefined;
    const ended = (): void => resolve(isUnsent(opened) ? 'refused' : 'lost');
    signal.addEventListener('abort', ended);
    const sending = sender.send(notification, deviceToken, (stream, headers) => {
      opened = stream;
      signal.addEventListener('abort', () => stream.close(constants.NGHTTP2_CANCEL));
      readAnswer(stream, String(headers.authorization).replace(/^bearer /, ''), resolve);
    });
    // With a stream, the stream says how it ended.
    sending.then(() => (opened ? undefined : ended()), ended);
  });
}

/** A stream has no number until its headers are written: it waits for a connection or for the stream limit. */
function isUnsent(stream: ClientHttp2Stream | undefined): boolean {
  return stream?.id === undefined || stream.rstCode === constants.NGHTTP2_REFUSED_STREAM;
}

function readAnswer(stream: ClientHttp2Stream, token: string, done: (exchange: ApnsExchange) => void): void {
  let headers: (IncomingHttpHeaders & IncomingHttpStatusHeader) | undefined;
  let body = '';
  stream.on('response', (received) => {
    headers = received;
  });
  stream.on('data', (chunk: Buffer | string) => {
    body += String(chunk);
    if (body.length > MAX_ANSWER_BYTES) stream.close(constants.NGHTTP2_CANCEL);
  });
  stream.on('close', () => {
    const status = headers?.[':status'];
    if (headers && status !== undefined) done({ status, headers, body, token });
    else done(isUnsent(stream) ? 'refused' : 'lost');
  });
}

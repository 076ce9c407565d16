/**
 * One request and the ways to end it: an answer, or one of the faults of `Step`. Hides whether it came by HTTP/1.1
 * or HTTP/2. Must not know any provider's rules.
 */

import type { IncomingMessage, ServerResponse } from 'node:http';
import {
  constants,
  type Http2ServerRequest,
  type Http2ServerResponse,
  type ServerHttp2Session,
} from 'node:http2';
import type { Step } from './script.js';
import type { RecordedRequest } from './traffic.js';
import type { WireConnection } from './wire.js';

/** Bytes of a request body that are read; the rest is refused unread. Far above every provider's limit. */
export const MAX_BODY_BYTES = 1_048_576;
const DRIP_INTERVAL_MS = 100;
const FLOOD_CHUNK = Buffer.alloc(65_536, 'flood ');

export interface Origin {
  readonly listener: string;
  readonly connection: number;
  readonly session: ServerHttp2Session | undefined;
  readonly at: number;
  readonly wire: WireConnection | undefined;
}

export class Exchange {
  readonly record: RecordedRequest;
  readonly session: ServerHttp2Session | undefined;
  /** The client's TCP connection. */
  readonly wire: WireConnection | undefined;
  readonly #request: Http2ServerRequest | IncomingMessage;
  readonly #response: Http2ServerResponse | ServerResponse;
  readonly #timers = new Set<NodeJS.Timeout>();
  #wake: (() => void) | undefined;
  #ended = false;

  constructor(
    request: Http2ServerRequest | IncomingMessage,
    response: Http2ServerResponse | ServerResponse,
    { listener, connection, session, at, wire }: Origin,
  ) {
    this.#request = request;
    this.#response = response;
    this.wire = wire;
    this.session = session;
    this.record = {
      listener,
      connection,
      httpVersion: request.httpVersionMajor === 2 ? '2' : '1.1',
      method: request.method ?? '',
      path: request.url ?? '',
      headers: pairs(request.rawHeaders),
      body: Buffer.alloc(0),
      at,
    };
    request.on('error', () => {});
    response.on('error', () => {});
    response.once('close', () => this.abandon());
  }

  /** The only value of a header; undefined when absent, the values joined by `, ` when repeated. */
  header(name: string): string | undefined {
    const values = this.record.headers
      .filter(([key]) => key.toLowerCase() === name)
      .map(([, value]) => value);
    return values.length === 0 ? undefined : values.join(', ');
  }

  get streamId(): number {
    return 'stream' in this.#request ? (this.#request.stream.id ?? 0) : 0;
  }

  /** Reads the body into the record; false when the client went away or sent more than `MAX_BODY_BYTES`. */
  async readBody(): Promise<boolean> {
    const chunks: Buffer[] = [];
    let length = 0;
    try {
      for await (const chunk of this.#request as AsyncIterable<Buffer>) {
        length += chunk.length;
        if (length > MAX_BODY_BYTES) {
          this.fail('reset');
          return false;
        }
        chunks.push(chunk);
      }
    } catch {
      return false;
    }
    Object.assign(this.record, { body: Buffer.concat(chunks) });
    return !this.#ended;
  }

  answer(status: number, headers: Readonly<Record<string, string>>, body = ''): void {
    if (this.#ended) return;
    this.#ended = true;
    this.record.answer = { status, headers, body };
    this.#response.writeHead(status, { ...headers });
    this.#response.end(body);
  }

  /** Waits as the step says; false when the exchange ended meanwhile. */
  async wait({ delayMs, until }: Step): Promise<boolean> {
    const abandoned = new Promise<void>((resolve) => {
      this.#wake = resolve;
    });
    if (delayMs !== undefined) await Promise.race([abandoned, this.#sleep(delayMs)]);
    if (until !== undefined && !this.#ended) await Promise.race([abandoned, until.catch(() => {})]);
    return !this.#ended;
  }

  /** Does what `wire` says in the place of an answer. */
  fail(wire: NonNullable<Step['wire']>, status = 400): void {
    this.record.fate = wire;
    if (wire === 'reset') this.#reset();
    else if (wire === 'disconnect') this.wire?.reset();
    else if (wire === 'freeze') this.wire?.freeze();
    else if (wire === 'flood') this.#flood(status);
    else if (wire === 'drip') this.#drip(status);
  }

  whenClosed(listener: () => void): void {
    this.#response.once('close', listener);
  }

  /** Stops whatever this exchange still does. */
  abandon(): void {
    this.#ended = true;
    for (const timer of this.#timers) clearTimeout(timer);
    this.#timers.clear();
    this.#wake?.();
  }

  #sleep(ms: number): Promise<void> {
    return new Promise((resolve) => this.#timers.add(setTimeout(resolve, ms)));
  }

  #reset(): void {
    if ('stream' in this.#request) this.#request.stream.close(constants.NGHTTP2_INTERNAL_ERROR);
    else this.wire?.reset();
  }

  #flood(status: number): void {
    this.#response.writeHead(status, { 'content-type': 'text/plain' });
    const pour = (): void => {
      while (!this.#ended && (this.#response as ServerResponse).write(FLOOD_CHUNK));
    };
    this.#response.on('drain', pour);
    pour();
  }

  #drip(status: number): void {
    this.#response.writeHead(status, { 'content-type': 'text/plain' });
    this.#timers.add(setInterval(() => (this.#response as ServerResponse).write('.'), DRIP_INTERVAL_MS));
  }
}

function pairs(raw: readonly string[]): [string, string][] {
  return Array.from({ length: raw.length / 2 }, (_, at) => [raw[2 * at] ?? '', raw[2 * at + 1] ?? '']);
}

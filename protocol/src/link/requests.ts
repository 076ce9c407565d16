/**
 * Questions to the relay and their answers, matched by order: the wire names no request. One at a time, and
 * never together with queued messages on their way, so that an `error` has one meaning. Must not know messages.
 */
import {
  CountersignError,
  type FrameOf,
  type FrameType,
  isWireCode,
  type RelayFrame,
} from '../frames/index.js';
import { type Deferred, deferred } from './async-tools.js';
import { LINK } from './link-limits.js';
import type { LinkRuntime } from './runtime.js';

/** Codes a request can meet; others belong to a live message sent meanwhile. */
const REQUEST_CODES: ReadonlySet<string> = new Set([
  'bad_request',
  'unauthorized',
  'rate_limited',
  'unavailable',
]);

interface Expected {
  readonly reply: FrameType;
  readonly failable: boolean;
  readonly answer: Deferred<RelayFrame>;
}

export class Requests {
  readonly #runtime: LinkRuntime;
  readonly #send: (frame: RelayFrame) => void;
  readonly #onTimeout: () => void;
  readonly #expected: Expected[] = [];

  constructor(runtime: LinkRuntime, send: (frame: RelayFrame) => void, onTimeout: () => void) {
    this.#runtime = runtime;
    this.#send = send;
    this.#onTimeout = onTimeout;
  }

  /** Sends and waits. @throws CountersignError the relay's code, or `timeout`. */
  async ask<T extends FrameType>(frame: RelayFrame, reply: T): Promise<FrameOf<T>> {
    const answer = this.#expect(reply, true);
    this.#send(frame);
    const timer = this.#runtime.setTimer(() => {
      answer.reject(new CountersignError('timeout', 'The relay did not answer in time; it is tried again'));
      this.#onTimeout();
    }, LINK.requestTimeoutMs);
    try {
      return (await answer.promise) as FrameOf<T>;
    } finally {
      timer.cancel();
    }
  }

  /**
   * A `presence_request` as a probe: the relay answers it only behind everything sent before. An `error` is
   * never an answer to it.
   */
  roundTrip(): Promise<unknown> {
    const answer = this.#expect('presence_list', false);
    this.#send({ type: 'presence_request' });
    return answer.promise;
  }

  /** Whether the frame answered something. */
  onFrame(frame: RelayFrame): boolean {
    const at = this.#expected.findIndex(({ reply }) => reply === frame.type);
    const [first] = at < 0 ? [] : this.#expected.splice(at, 1);
    first?.answer.resolve(frame);
    return first !== undefined;
  }

  /** Whether an `error` frame answered something. */
  onError(code: string): boolean {
    const at = REQUEST_CODES.has(code) ? this.#expected.findIndex(({ failable }) => failable) : -1;
    const [first] = at < 0 ? [] : this.#expected.splice(at, 1);
    const known = isWireCode(code) ? code : 'bad_request';
    first?.answer.reject(new CountersignError(known, `The relay refused the request: ${known}`));
    return first !== undefined;
  }

  /** The connection ended: everything open fails. */
  fail(error: CountersignError): void {
    for (const { answer } of this.#expected.splice(0)) answer.reject(error);
  }

  #expect(reply: FrameType, failable: boolean): Deferred<RelayFrame> {
    const answer = deferred<RelayFrame>();
    if (this.#expected.length >= LINK.maxWaitingRequests) {
      answer.reject(new CountersignError('unavailable', 'Too many requests wait for the relay'));
    } else this.#expected.push({ reply, failable, answer });
    return answer;
  }
}

/**
 * What one login can do: paced writing, requests, what the relay says of single messages, and proofs that
 * everything written so far was dealt with. Lives as long as its connection. Must not know stores, channels or
 * handlers.
 *
 * With `ref` the relay names the message that it accepted or refused, and an `error` without one is a request's.
 * Without it a proof tells. A proof is the pong to a ping, which a relay sends only behind everything received before (01 §5). A browser
 * hides pings; there a `presence_request` stands in: its answer comes behind everything sent before it too.
 */
import {
  CAPABILITY,
  CountersignError,
  type FrameOf,
  type FrameType,
  type RelayFrame,
} from '../frames/index.js';
import { type Deferred, deferred, Lane } from './async-tools.js';
import type { Connection } from './connection.js';
import { LINK, PACE } from './link-limits.js';
import { Receipts } from './receipts.js';
import { Requests } from './requests.js';
import type { LinkRuntime } from './runtime.js';
import { TokenBucket } from './token-bucket.js';

/** What becomes of messages that carried a `ref`. Refs are the relay's word: any may be named, any number of times. */
export interface RefListener {
  accepted(ref: bigint): void;
  refused(ref: bigint, code: string): void;
}

export class Session {
  readonly capabilities: ReadonlySet<string>;
  readonly since: number;
  /** What arrived on this connection, on its way to being confirmed. */
  readonly receipts: Receipts;
  /** Who hears what became of messages with a `ref`. */
  refListener: RefListener | undefined;
  readonly #runtime: LinkRuntime;
  readonly #connection: Connection;
  readonly #requests: Requests;
  readonly #bucket: TokenBucket;
  readonly #oneAtATime = new Lane();
  readonly #proofs = new Set<Deferred<void>>();
  readonly #ended = deferred();
  #errors: string[] = [];
  #liveHold: Promise<void> | undefined;
  #waitingLive = 0;

  constructor(runtime: LinkRuntime, connection: Connection, capabilities: ReadonlySet<string>) {
    this.#runtime = runtime;
    this.#connection = connection;
    this.capabilities = capabilities;
    this.since = runtime.now();
    this.receipts = new Receipts(runtime, (seq) => this.#sendNow({ type: 'received', seq }));
    this.#bucket = new TokenBucket(runtime, this.#isOriginal ? PACE.original : PACE.ours);
    this.#requests = new Requests(
      runtime,
      (frame) => this.#sendNow(frame),
      () => this.#connection.fail('unavailable'),
    );
  }

  get isOnline(): boolean {
    return this.#connection.isOnline;
  }

  /** Settles when the connection is gone. */
  get ended(): Promise<void> {
    return this.#ended.promise;
  }

  /** Whether messages carry a `ref`, and answers about them too. */
  get namesMessages(): boolean {
    return this.capabilities.has(CAPABILITY.ref);
  }

  /** Whether what arrives is confirmed by `received`; if not, the pong does it. */
  get confirms(): boolean {
    return this.capabilities.has(CAPABILITY.received);
  }

  /** Whether messages carry their hints. */
  get takesHints(): boolean {
    return this.capabilities.has(CAPABILITY.pushHints);
  }

  get #isOriginal(): boolean {
    return this.capabilities.size === 0;
  }

  /** What keeps the connection known to be alive. */
  probe(): void {
    if (this.#connection.canPing) this.#connection.ping();
    else this.#requests.roundTrip().catch(() => undefined);
  }

  /** Runs works one after another: requests, and queued messages on their way. */
  exclusive<T>(work: () => Promise<T>): Promise<T> {
    return this.#oneAtATime.run(async () => {
      if (!this.isOnline) throw offline();
      return work();
    });
  }

  /** @throws CountersignError the relay's code, `timeout`, or `unavailable` when the connection ends first. */
  async request<T extends FrameType>(frame: RelayFrame, reply: T): Promise<FrameOf<T>> {
    if (!this.isOnline || this.#oneAtATime.waiting >= LINK.maxWaitingRequests) throw offline();
    return this.exclusive(async () => {
      try {
        return await this.#requests.ask(frame, reply);
      } catch (error) {
        // The refusal may have been a live message's: a late answer must not meet the next request.
        if (this.isOnline && !this.namesMessages) await this.prove().catch(() => undefined);
        throw error;
      }
    });
  }

  /** Resolves once the relay has dealt with everything written so far. @throws when the connection ends. */
  async prove(): Promise<void> {
    if (!this.isOnline) throw offline();
    const proof = deferred();
    this.#proofs.add(proof);
    if (this.#connection.canPing) this.#connection.ping(() => proof.resolve());
    else this.#requests.roundTrip().then(() => proof.resolve(), proof.reject);
    const timer = this.#runtime.setTimer(() => this.#connection.fail('unavailable'), LINK.proofTimeoutMs);
    try {
      await proof.promise;
    } finally {
      timer.cancel();
      this.#proofs.delete(proof);
    }
  }

  /** Codes of `error` frames since the last call that answered no request. */
  takeErrors(): string[] {
    return this.#errors.splice(0);
  }

  /** Waits for the rate. False when the connection ended. */
  paced(): Promise<boolean> {
    return this.#bucket.take();
  }

  /** Takes from the rate if that needs no waiting. */
  pacedNow(): boolean {
    return this.#bucket.tryTake();
  }

  /** Gives the connection up. */
  fail(code: 'unavailable'): void {
    this.#connection.fail(code);
  }

  /** Writes a message that was paced. */
  write(message: Omit<FrameOf<'message'>, 'type'>): void {
    this.#connection.send({ type: 'message', ...message });
  }

  /** Keeps live messages back until the work is done. */
  async withoutLive<T>(work: () => Promise<T>): Promise<T> {
    const done = deferred();
    this.#liveHold = done.promise;
    try {
      return await work();
    } finally {
      this.#liveHold = undefined;
      done.resolve();
    }
  }

  /** Waits until a live message may be written. False: not now (connection gone, socket stuck, too many wait). */
  async roomForLive(): Promise<boolean> {
    if (this.#waitingLive >= LINK.maxWaitingLive) return false;
    this.#waitingLive++;
    try {
      if (this.#liveHold) await Promise.race([this.#liveHold, this.ended]);
      if (!this.#isOriginal) this.#bucket.force();
      else if (!(await this.paced())) return false;
      return await this.socketRoom(LINK.liveWaitMs);
    } finally {
      this.#waitingLive--;
    }
  }

  /** Waits until the socket holds little. False when it still holds much after `ms`, or is gone. */
  async socketRoom(ms: number): Promise<boolean> {
    const until = this.#runtime.now() + ms;
    while (this.isOnline && this.#connection.bufferedBytes > LINK.maxSocketBufferBytes) {
      if (this.#runtime.now() >= until) return false;
      await new Promise<void>((resolve) => {
        this.#runtime.setTimer(resolve, LINK.socketBufferPollMs);
      });
    }
    return this.isOnline;
  }

  /** Whether the frame belonged to a request or to a message under way. */
  onFrame(frame: RelayFrame): boolean {
    if (frame.type === 'accepted') {
      if (this.namesMessages) this.refListener?.accepted(frame.ref);
      return true;
    }
    if (frame.type !== 'error') return this.#requests.onFrame(frame);
    if (frame.ref !== undefined && this.namesMessages) {
      this.refListener?.refused(frame.ref, frame.code);
      return true;
    }
    if (!this.#requests.onError(frame.code) && this.#errors.length < LINK.maxRowsInFlight) {
      this.#errors.push(frame.code);
    }
    return true;
  }

  end(): void {
    this.receipts.end();
    this.#bucket.close();
    this.#requests.fail(offline());
    for (const proof of this.#proofs) proof.reject(offline());
    this.#ended.resolve();
  }

  #sendNow(frame: RelayFrame): void {
    this.#bucket.force();
    this.#connection.send(frame);
  }
}

function offline(): CountersignError {
  return new CountersignError('unavailable', 'Not connected to the relay; it is tried again');
}

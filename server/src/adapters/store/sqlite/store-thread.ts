/**
 * The main thread's end of the store's thread. One batch is under way at a time; what is asked meanwhile waits
 * and goes together as the next one. Must not know SQL.
 */
import { once } from 'node:events';
import { Worker } from 'node:worker_threads';
import { CountersignError } from '@countersign/protocol';
import type { StoreBacklog, StoreObserver } from '../../../ports/index.js';
import type { Failure } from './failures.js';
import type { FromThread, Outcome, ThreadOptions, ToThread } from './messages.js';
import type { OperationName, Operations } from './operations/index.js';
import { joined, type Packed, pack, unpack } from './packed-bytes.js';

/** Bounds of one batch, and so of the time a commit takes. A single larger request still goes, alone. */
export const MAX_BATCH_REQUESTS = 256;
export const MAX_BATCH_BYTES = 4 * 1024 * 1024;
/** Answers given in one turn of the event loop: what comes of each must not hold up live messages. */
export const MAX_ANSWERS_PER_TURN = 32;
/** Bounds of what waits for a slow disk; above them requests are refused at once with `unavailable`. */
export const MAX_WAITING_REQUESTS = 20_000;
export const MAX_WAITING_BYTES = 64 * 1024 * 1024;

/** An answer's arrays below this are copied: somebody may keep them, and a batch of answers has many. */
const COPY_BELOW_BYTES = 1024;

interface Waiting {
  readonly operation: OperationName;
  readonly packed: Packed;
  readonly bytes: number;
  readonly settle: (outcome: Outcome) => void;
}

const GONE: Failure = { code: 'unavailable', message: 'The store is closed.' };
const OVERLOADED: Failure = { code: 'unavailable', message: 'Too much waits for the store.' };

export class StoreThread {
  readonly #worker: Worker;
  readonly #exited: Promise<unknown>;
  #waiting: Waiting[] = [];
  #waitingBytes = 0;
  #underWay: Waiting[] = [];
  #sending = false;
  readonly #answers: (() => void)[] = [];
  #isAnswering = false;
  #closing = false;
  #gone: Failure | undefined;
  readonly #observer: StoreObserver | undefined;

  readonly #onFailed: (() => void) | undefined;

  private constructor(
    worker: Worker,
    observer: StoreObserver | undefined,
    onFailed: (() => void) | undefined,
  ) {
    this.#worker = worker;
    this.#observer = observer;
    this.#onFailed = onFailed;
    this.#exited = new Promise((resolve) => worker.once('exit', resolve));
    worker.on('message', (message: FromThread) => this.#committed(message));
    worker.on('error', () => this.#end({ code: 'unavailable', message: 'The store has failed.' }));
    worker.on('exit', () => this.#end(GONE));
  }

  /**
   * `onFailed`: the thread ended by itself, and nothing will be stored any more.
   * @throws CountersignError why the file cannot be opened.
   */
  static async open(
    options: ThreadOptions,
    observer?: StoreObserver,
    onFailed?: () => void,
  ): Promise<StoreThread> {
    // Beside this file, whichever directory it was built into.
    const worker = new Worker(new URL('./worker.js', import.meta.url), { workerData: options });
    const [first] = (await once(worker, 'message').catch((cause: unknown) => {
      throw new CountersignError('unavailable', "The store's thread cannot start.", { cause });
    })) as [FromThread];
    if (first.type !== 'failed') return new StoreThread(worker, observer, onFailed);
    await once(worker, 'exit');
    throw errorOf(first.failure);
  }

  /** Resolves after the commit. @throws CountersignError, and nothing was changed. */
  call<Name extends OperationName>(
    operation: Name,
    ...args: Parameters<Operations[Name]>
  ): Promise<ReturnType<Operations[Name]>> {
    const packed = pack(args);
    const bytes = packed.bytes.length;
    const refusal = this.#refusal(bytes);
    if (refusal !== undefined) return Promise.reject(errorOf(refusal));
    return new Promise((resolve, reject) => {
      this.#add({
        operation,
        packed,
        bytes,
        settle: (outcome) =>
          outcome.ok
            ? resolve(outcome.value as ReturnType<Operations[Name]>)
            : reject(errorOf(outcome.failure)),
      });
    });
  }

  /** Finishes what was asked before, then closes the file and the thread. Idempotent. */
  async close(): Promise<void> {
    this.#closing = true;
    this.#send();
    await this.#exited;
  }

  /** What waits, and what is under way. */
  backlog(): StoreBacklog {
    const underWayBytes = this.#underWay.reduce((sum, { bytes }) => sum + bytes, 0);
    return {
      requests: this.#waiting.length + this.#underWay.length,
      bytes: this.#waitingBytes + underWayBytes,
    };
  }

  #refusal(bytes: number): Failure | undefined {
    if (this.#gone !== undefined) return this.#gone;
    if (this.#closing) return GONE;
    const isTooMuch =
      this.#waiting.length >= MAX_WAITING_REQUESTS || this.#waitingBytes + bytes > MAX_WAITING_BYTES;
    return isTooMuch ? OVERLOADED : undefined;
  }

  #add(waiting: Waiting): void {
    this.#waiting.push(waiting);
    this.#waitingBytes += waiting.bytes;
    // Not at once: what the caller asks in the same turn joins the batch.
    if (this.#waiting.length === 1) queueMicrotask(() => this.#send());
  }

  #send(): void {
    if (this.#sending || this.#gone !== undefined) return;
    this.#underWay = this.#nextBatch();
    const isLast = this.#underWay.length === 0;
    if (isLast && !this.#closing) return;
    this.#sending = true;
    if (isLast) this.#worker.postMessage({ type: 'close' } satisfies ToThread);
    else this.#post(this.#underWay);
  }

  #post(batch: readonly Waiting[]): void {
    let length = 0;
    const requests = batch.map(({ operation, packed, bytes }) => {
      const start = length;
      length += bytes;
      return { operation, args: packed.shape, start };
    });
    const bytes = joined(
      batch.map(({ packed }) => packed.bytes),
      length,
    );
    this.#worker.postMessage({ type: 'batch', requests, bytes } satisfies ToThread, [
      bytes.buffer as ArrayBuffer,
    ]);
  }

  #nextBatch(): Waiting[] {
    let bytes = 0;
    let count = 0;
    for (const waiting of this.#waiting) {
      bytes += waiting.bytes;
      if (count === MAX_BATCH_REQUESTS || (count > 0 && bytes > MAX_BATCH_BYTES)) break;
      this.#waitingBytes -= waiting.bytes;
      count += 1;
    }
    return this.#waiting.splice(0, count);
  }

  #committed(message: FromThread): void {
    if (message.type !== 'committed') return;
    const batch = this.#underWay;
    this.#underWay = [];
    this.#sending = false;
    this.#send();
    if (message.took) this.#observer?.committed({ requests: batch.length, ...message.took });
    const outcomes = unpack(message.outcomes, message.bytes, 0, COPY_BELOW_BYTES) as readonly Outcome[];
    for (const [index, { settle }] of batch.entries()) {
      this.#answers.push(() => settle(outcomes[index] ?? { ok: false, failure: GONE }));
    }
    if (!this.#isAnswering) this.#answer();
  }

  #answer(): void {
    for (const give of this.#answers.splice(0, MAX_ANSWERS_PER_TURN)) give();
    this.#isAnswering = this.#answers.length > 0;
    if (this.#isAnswering) setImmediate(() => this.#answer());
  }

  #end(failure: Failure): void {
    if (this.#gone === undefined && !this.#closing) this.#onFailed?.();
    this.#gone ??= failure;
    for (const give of this.#answers.splice(0)) give();
    const unanswered = [...this.#underWay, ...this.#waiting];
    this.#underWay = [];
    this.#waiting = [];
    this.#waitingBytes = 0;
    for (const waiting of unanswered) waiting.settle({ ok: false, failure });
  }
}

function errorOf({ code, message, cause }: Failure): CountersignError {
  return new CountersignError(code, message, cause === undefined ? {} : { details: { cause } });
}

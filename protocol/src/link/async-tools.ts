/**
 * The few promise tools the link needs. Must not know what they carry.
 */
import type { LinkRuntime } from './runtime.js';

export interface Deferred<T> {
  readonly promise: Promise<T>;
  resolve(value: T): void;
  reject(reason: unknown): void;
}

export function deferred<T = void>(): Deferred<T> {
  let resolve!: (value: T) => void;
  let reject!: (reason: unknown) => void;
  const promise = new Promise<T>((ok, no) => {
    resolve = ok;
    reject = no;
  });
  // Whoever waits hears it; nobody waiting is no unhandled rejection.
  promise.catch(() => undefined);
  return { promise, resolve, reject };
}

/** Runs works one after another; one that fails does not stop the next. */
export class Lane {
  #tail: Promise<unknown> = Promise.resolve();
  #waiting = 0;

  /** Works that have not finished. */
  get waiting(): number {
    return this.#waiting;
  }

  run<T>(work: () => Promise<T>): Promise<T> {
    this.#waiting++;
    const result = this.#tail.then(work);
    this.#tail = result.then(
      () => this.#waiting--,
      () => this.#waiting--,
    );
    return result;
  }

  /** Resolves when everything handed in so far has finished. */
  async idle(): Promise<void> {
    await this.#tail;
  }
}

/** Resolves with true when `promise` settles first, with false after `ms`. */
export function within(runtime: LinkRuntime, promise: Promise<unknown>, ms: number): Promise<boolean> {
  return new Promise((resolve) => {
    const timer = runtime.setTimer(() => resolve(false), ms);
    const settled = () => {
      timer.cancel();
      resolve(true);
    };
    promise.then(settled, settled);
  });
}

/** Rejects with the signal's reason as soon as it aborts; the work itself goes on. */
export function orAborted<T>(promise: Promise<T>, signal: AbortSignal | undefined): Promise<T> {
  if (!signal) return promise;
  if (signal.aborted) return Promise.reject(signal.reason);
  return new Promise((resolve, reject) => {
    const onAbort = () => reject(signal.reason);
    signal.addEventListener('abort', onAbort, { once: true });
    promise.then(resolve, reject).finally(() => signal.removeEventListener('abort', onAbort));
  });
}

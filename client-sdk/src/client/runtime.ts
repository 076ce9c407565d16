/** What the client takes from the world beside the network: time, timers, randomness. Tests put their own here. */
export interface Timer {
  cancel(): void;
}

export interface ClientRuntime {
  /** Unix milliseconds. */
  now(): number;
  setTimer(callback: () => void, ms: number): Timer;
  randomBytes(length: number): Uint8Array;
  fetch(url: string, init: RequestInit): Promise<Response>;
}

export const systemRuntime: ClientRuntime = {
  now: () => Date.now(),
  setTimer(callback, ms) {
    const timer = setTimeout(callback, ms);
    return { cancel: () => clearTimeout(timer) };
  },
  fetch: (url, init) => globalThis.fetch(url, init),
  randomBytes: (length) => globalThis.crypto.getRandomValues(new Uint8Array(length)),
};

/** Resolves after `ms`; rejects with the signal's reason when it is aborted before. */
export function sleep(runtime: ClientRuntime, ms: number, signal?: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    const onAbort = () => {
      timer.cancel();
      reject(signal?.reason);
    };
    const timer = runtime.setTimer(() => {
      signal?.removeEventListener('abort', onAbort);
      resolve();
    }, ms);
    if (signal?.aborted) onAbort();
    else signal?.addEventListener('abort', onAbort, { once: true });
  });
}

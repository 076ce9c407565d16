/**
 * One context of an origin at a time (02 §2), by Web Locks; the browser frees a lock when its page goes. A runtime
 * without them is taken to have one context. Must not know what is locked.
 */
export interface WebLock {
  /** Resolves when the lock is held. Never after {@link release}. */
  acquire(onWaiting: () => void): Promise<void>;
  release(): void;
}

export function webLock(name: string): WebLock {
  const locks = globalThis.navigator?.locks as LockManager | undefined;
  const ended = new AbortController();
  return {
    acquire: (onWaiting) =>
      locks === undefined ? Promise.resolve() : acquire(locks, name, ended.signal, onWaiting),
    release: () => ended.abort(),
  };
}

async function acquire(
  locks: LockManager,
  name: string,
  ended: AbortSignal,
  onWaiting: () => void,
): Promise<void> {
  if (await take(locks, name, ended, { ifAvailable: true })) return;
  onWaiting();
  await take(locks, name, ended, { signal: ended });
}

/** True once the lock is held, until `ended`; false when it was asked for only if available, and is not. */
function take(locks: LockManager, name: string, ended: AbortSignal, options: LockOptions): Promise<boolean> {
  return new Promise((resolve) => {
    locks
      .request(name, options, (lock) => {
        if (ended.aborted) return undefined;
        resolve(lock !== null);
        return lock === null ? undefined : untilAborted(ended);
      })
      // Released while it waited: it is never acquired.
      .catch(() => undefined);
  });
}

function untilAborted(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => signal.addEventListener('abort', () => resolve(), { once: true }));
}

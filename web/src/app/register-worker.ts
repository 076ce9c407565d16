/** Registers the service worker. Its address is the one script address that Trusted Types let through. */
const WORKER = './worker.js';

type Policies = {
  createPolicy(
    name: string,
    rules: { createScriptURL(url: string): string },
  ): {
    createScriptURL(url: string): string;
  };
};

export function registerWorker(): void {
  if (!('serviceWorker' in navigator) || import.meta.env.DEV) return;
  // Without a worker the app still works while it is online.
  navigator.serviceWorker.register(workerAddress()).catch(() => undefined);
}

function workerAddress(): string {
  const { trustedTypes } = globalThis as { trustedTypes?: Policies };
  if (trustedTypes === undefined) return WORKER;
  const policy = trustedTypes.createPolicy('countersign', {
    createScriptURL(url) {
      if (url !== WORKER) throw new TypeError('no script of this app');
      return url;
    },
  });
  return policy.createScriptURL(WORKER);
}

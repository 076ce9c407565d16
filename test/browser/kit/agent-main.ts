/**
 * A real agent in a process of its own, driven by lines of JSON: `RELAY DIR NAME`. A call is `[id, method, argument]`;
 * answers are `[id, "asked", requestId]` and `[id, "done", value]` or `[id, "failed", code]`.
 */
import { createInterface } from 'node:readline';
import { type Agent, CountersignError, openAgent, type PairingSession } from '@countersign/agent-sdk';

type AskOptions = NonNullable<Parameters<Agent['requestApproval']>[1]>;

const [relayUrl = '', dir = '', name = 'Robot'] = process.argv.slice(2);
const agent = await openAgent({ relayUrl, dir, name });
const withdrawals = new Map<number, AbortController>();
let window: PairingSession | undefined;

/** Each is given what the tests beside this send. */
const methods: Record<string, (argument: never, options: AskOptions) => Promise<unknown>> = {
  async link() {
    await agent.whenConnected({ timeoutMs: 10_000 });
    window = await agent.startPairing();
    return window.link;
  },
  async qr() {
    return Buffer.from((await window?.qr('png')) ?? []).toString('base64');
  },
  /** Waits for a device of the window, and types the code for it. */
  async confirm(code: string) {
    if (window === undefined) throw new Error('no window');
    for await (const device of window.devices()) return window.confirm(device.deviceId, code);
    return 'closed';
  },
  ask: (request, options) => agent.requestApproval(request, options).then(plain),
  clarify: (request, options) => agent.askClarification(request, options).then(plain),
  elicit: (request, options) => agent.elicit(request, options).then(plain),
  notify: (note) => agent.notify(note),
  devices: () => agent.devices.list(),
  async clear() {
    await window?.stop();
    for (const controller of withdrawals.values()) controller.abort();
    withdrawals.clear();
  },
  async withdraw(id: number) {
    withdrawals.get(id)?.abort();
  },
  close: () => agent.close(),
};

/** Functions do not travel. */
function plain(outcome: object): unknown {
  return JSON.parse(JSON.stringify(outcome)) as unknown;
}

function say(...message: unknown[]): void {
  process.stdout.write(`${JSON.stringify(message)}\n`);
}

async function serve(id: number, method: string, argument: unknown): Promise<void> {
  const controller = new AbortController();
  withdrawals.set(id, controller);
  const options = { signal: controller.signal, onAsked: (requestId: string) => say(id, 'asked', requestId) };
  try {
    say(id, 'done', (await methods[method]?.(argument as never, options)) ?? null);
  } catch (error) {
    say(id, 'failed', error instanceof CountersignError ? error.code : String(error));
  }
}

for await (const line of createInterface({ input: process.stdin })) {
  const [id, method, argument] = JSON.parse(line) as [number, string, unknown];
  void serve(id, method, argument);
}
process.exit(0);

/**
 * An agent that another process has open, used through `agent.sock` as if it were here. Must not know who that
 * process is nor how to start it.
 */
import { CountersignError } from '@countersign/protocol';
import type {
  Agent,
  AgentDevice,
  AgentEvents,
  ApprovalOutcome,
  ApprovalRequest,
  AskOptions,
  ElicitationOutcome,
  EndedOutcome,
  PendingItem,
  RunOutcome,
} from '../api.js';
import { runApproved } from '../inbox/index.js';
import { type Channel, openChannel } from './channel.js';
import type { Hello } from './messages.js';
import type { Method } from './params.js';
import { remotePairing } from './remote-pairing.js';

export interface RemoteAgent extends Agent {
  /** Who serves the directory. */
  readonly owner: Hello;
  /** True once the owner went or the connection broke; every call then fails with `closed`. */
  readonly lost: boolean;
  /** Resolves when it is lost. */
  whenLost(): Promise<void>;
  /** How the agent stands with its relay now; also refreshes `connected` and `problem`. */
  status(): Promise<{ connected: boolean; problem: { code: string; message: string } | undefined }>;
  /** Ends the owner. @throws CountersignError `unsupported` when it is a program of its own. */
  shutdown(): Promise<void>;
  /** Leaves; the owner stays. What was asked here is withdrawn. */
  close(): Promise<void>;
}

/**
 * Uses the agent whose owner serves `dir`.
 * @throws CountersignError `closed` when nobody serves it, `timeout`, `unsupported` (another version), `rate_limited`.
 */
export async function connectAgentSocket(dir: string): Promise<RemoteAgent> {
  const { channel, hello } = await openChannel(dir);
  return new SocketAgent(channel, hello);
}

type Listener = (value: unknown) => void;
/** No event of an agent: the socket itself. */
const LOST = 'socket lost';
const STATUSES = ['approved', 'rejected', 'answered', 'expired', 'cancelled', 'superseded', 'unknown'];

class SocketAgent implements RemoteAgent {
  readonly owner: Hello;
  readonly namespaceId: string;
  readonly #channel: Channel;
  readonly #listeners = new Map<string, Set<Listener>>();
  #connected: boolean;
  #problem: { code: string; message: string } | undefined;

  constructor(channel: Channel, hello: Hello) {
    this.#channel = channel;
    this.owner = hello;
    this.namespaceId = hello.namespaceId;
    this.#connected = hello.connected;
    this.#problem = hello.problem;
    channel.listen({ onEvent: (event, data) => this.#event(event, data), onLost: () => this.#lost() });
  }

  get connected(): boolean {
    return this.#connected;
  }

  get problem(): { code: string; message: string } | undefined {
    return this.#problem;
  }

  get lost(): boolean {
    return this.#channel.lost;
  }

  whenLost(): Promise<void> {
    return this.lost ? Promise.resolve() : new Promise((resolve) => this.#listen(LOST, () => resolve()));
  }

  readonly devices = {
    list: async (): Promise<AgentDevice[]> => (await this.#channel.call('devices')).devices as AgentDevice[],
    rename: async (deviceId: string, name: string): Promise<void> => {
      await this.#channel.call('renameDevice', { deviceId, name });
    },
    revoke: async (deviceId: string): Promise<void> => {
      await this.#channel.call('revokeDevice', { deviceId });
    },
  };

  whenConnected({ timeoutMs }: { timeoutMs?: number } = {}): Promise<void> {
    if (this.#connected) return Promise.resolve();
    return new Promise((resolve, reject) => {
      const finish = (settle: () => void): void => {
        unlisten();
        clearTimeout(timer);
        settle();
      };
      const unlisten = this.on('connected', () => finish(resolve));
      const timer =
        timeoutMs === undefined
          ? undefined
          : setTimeout(() => finish(() => reject(notConnected(this.#problem))), timeoutMs);
    });
  }

  on<E extends keyof AgentEvents>(event: E, listener: (value: AgentEvents[E]) => void): () => void {
    return this.#listen(event, listener as Listener);
  }

  startPairing(options: { ttlMs?: number } = {}): ReturnType<Agent['startPairing']> {
    return remotePairing(this.#channel, options);
  }

  async requestApproval(request: ApprovalRequest, options: AskOptions = {}): Promise<ApprovalOutcome> {
    // The call runs here, not where the agent lives.
    const here = { cwd: process.cwd(), ...request };
    return (await this.#ask('requestApproval', here, options)) as ApprovalOutcome;
  }

  async askClarification(request: object, options: AskOptions = {}): Promise<EndedOutcome> {
    return (await this.#ask('askClarification', request, options)) as EndedOutcome;
  }

  async elicit(request: object, options: AskOptions = {}): Promise<ElicitationOutcome> {
    return (await this.#ask('elicit', request, options)) as ElicitationOutcome;
  }

  async reopen(requestId: string, options: AskOptions = {}): Promise<ApprovalOutcome | ElicitationOutcome> {
    return this.#ask('reopen', { requestId }, options);
  }

  async run<T>(
    request: ApprovalRequest,
    fn: (args: unknown) => Promise<T> | T,
    options: AskOptions = {},
  ): Promise<RunOutcome<T>> {
    return runApproved(await this.requestApproval(request, options), fn);
  }

  async notify(note: { title: string; body: string }): Promise<void> {
    await this.#channel.call('notify', note);
  }

  async pending(): Promise<PendingItem[]> {
    return (await this.#channel.call('pending')).items as PendingItem[];
  }

  async status(): ReturnType<RemoteAgent['status']> {
    const { connected, problem } = await this.#channel.call('status');
    this.#connected = connected === true;
    // There may be one though it is connected.
    this.#problem = problem as { code: string; message: string } | undefined;
    return { connected: this.#connected, problem: this.#problem };
  }

  async shutdown(): Promise<void> {
    await this.#channel.call('shutdown');
  }

  async close(): Promise<void> {
    this.#channel.close();
  }

  async #ask(method: Method, params: object, { signal, onAsked }: AskOptions) {
    const onNote = ({ asked }: Record<string, unknown>): void => {
      if (typeof asked === 'string') onAsked?.(asked);
    };
    return this.#outcome(await this.#channel.call(method, params, { signal, onNote }));
  }

  #outcome(data: Record<string, unknown>): ApprovalOutcome | ElicitationOutcome {
    const { requestId, status } = data;
    if (typeof requestId !== 'string' || typeof status !== 'string' || !STATUSES.includes(status)) {
      throw new CountersignError('protocol', 'The owner of the directory sent an outcome nobody knows.');
    }
    if (status !== 'approved') return data as unknown as EndedOutcome;
    return {
      ...data,
      done: async () => void (await this.#channel.call('done', { requestId })),
      failed: async (reason: string) => void (await this.#channel.call('failed', { requestId, reason })),
    } as unknown as ApprovalOutcome;
  }

  #event(event: string, data: unknown): void {
    if (event === 'connected') [this.#connected, this.#problem] = [true, undefined];
    if (event === 'disconnected') {
      [this.#connected, this.#problem] = [false, data as { code: string; message: string }];
    }
    for (const listener of this.#listeners.get(event) ?? []) listener(data);
  }

  #listen(event: string, listener: Listener): () => void {
    const set = this.#listeners.get(event) ?? new Set();
    this.#listeners.set(event, set.add(listener));
    return () => set.delete(listener);
  }

  #lost(): void {
    for (const listener of this.#listeners.get(LOST) ?? []) listener(undefined);
    if (this.#connected)
      this.#event('disconnected', { code: 'closed', message: 'The owner of the directory has ended.' });
  }
}

function notConnected(problem: { message: string } | undefined): CountersignError {
  return new CountersignError('timeout', problem?.message ?? 'The relay did not answer in time.');
}

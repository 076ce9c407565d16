/** An open agent whose every answer a test gives. It keeps items in memory and speaks to no relay. */
import type {
  Agent,
  AgentDevice,
  AgentEvents,
  ApprovalOutcome,
  ApprovalRequest,
  PairingSession,
  PendingItem,
} from '@countersign/agent-sdk';

type Listener = (value: unknown) => void;

export interface AskedItem {
  readonly requestId: string;
  readonly request: ApprovalRequest;
  readonly signal: AbortSignal | undefined;
  end(outcome: Partial<ApprovalOutcome>): void;
}

export class ScriptedAgent implements Agent {
  #connected = true;
  #looks = 0;
  problem: { code: string; message: string } | undefined;
  readonly namespaceId = 'ab'.repeat(32);
  readonly asked: AskedItem[] = [];
  readonly told: string[] = [];
  list: AgentDevice[] = [];
  items: PendingItem[] = [];
  pairing: PairingSession | undefined;
  readonly #listeners = new Map<string, Set<Listener>>();
  readonly #waiting: Array<() => void> = [];

  readonly devices = {
    list: async (): Promise<AgentDevice[]> => this.list,
    rename: async (deviceId: string, name: string): Promise<void> =>
      void this.told.push(`rename ${deviceId} ${name}`),
    revoke: async (deviceId: string): Promise<void> => void this.told.push(`revoke ${deviceId}`),
  };

  get connected(): boolean {
    this.#looks += 1;
    this.#wake();
    return this.#connected;
  }

  set connected(connected: boolean) {
    this.#connected = connected;
  }

  /** Resolves once somebody has looked `more` times whether it is connected. */
  async looks(more: number): Promise<void> {
    const until = this.#looks + more;
    await this.#until(() => this.#looks >= until);
  }

  /** The n-th item asked for, as soon as it was. */
  async item(index: number): Promise<AskedItem> {
    await this.#until(() => this.asked[index] !== undefined);
    return this.asked[index] as AskedItem;
  }

  async whenConnected(): Promise<void> {}

  on<E extends keyof AgentEvents>(event: E, listener: (value: AgentEvents[E]) => void): () => void {
    const set = this.#listeners.get(event) ?? new Set();
    this.#listeners.set(event, set.add(listener as Listener));
    return () => set.delete(listener as Listener);
  }

  emit<E extends keyof AgentEvents>(event: E, value: AgentEvents[E]): void {
    for (const listener of this.#listeners.get(event) ?? []) listener(value);
  }

  async close(): Promise<void> {
    for (const item of this.asked) item.end({ status: 'cancelled', reason: 'closed' });
  }

  async startPairing(): Promise<PairingSession> {
    if (this.pairing === undefined) throw new Error('secret detail of an unexpected failure');
    return this.pairing;
  }

  requestApproval(
    request: ApprovalRequest,
    { signal, onAsked }: { signal?: AbortSignal; onAsked?: (requestId: string) => void } = {},
  ): Promise<ApprovalOutcome> {
    const requestId = `appr_${this.asked.length}`;
    const promise = new Promise<ApprovalOutcome>((resolve) => {
      const end = (outcome: Partial<ApprovalOutcome>): void =>
        resolve({ requestId, text: '', ...this.#callbacks(requestId), ...outcome } as ApprovalOutcome);
      signal?.addEventListener('abort', () => end({ status: 'cancelled', reason: 'aborted' }));
      this.asked.push({ requestId, request, signal, end });
    });
    onAsked?.(requestId);
    this.#wake();
    return promise;
  }

  askClarification(): never {
    throw new Error('not in this script');
  }

  elicit(): never {
    throw new Error('not in this script');
  }

  run(): never {
    throw new Error('not in this script');
  }

  async notify(): Promise<void> {}

  async pending(): Promise<PendingItem[]> {
    return this.items;
  }

  async reopen(requestId: string): Promise<ApprovalOutcome> {
    return { requestId, text: '', status: 'cancelled', reason: 'agent_restarted' };
  }

  async #until(done: () => boolean): Promise<void> {
    while (!done()) await new Promise<void>((resolve) => this.#waiting.push(resolve));
  }

  #wake(): void {
    for (const resolve of this.#waiting.splice(0)) resolve();
  }

  #callbacks(requestId: string): object {
    return {
      done: async () => void this.told.push(`done ${requestId}`),
      failed: async (reason: string) => void this.told.push(`failed ${requestId}: ${reason}`),
    };
  }
}

/** The agent process of {@link ./agent-main.ts}, as the tests talk to it. */
import { type ChildProcessByStdio, spawn } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import type { Readable, Writable } from 'node:stream';
import { fileURLToPath } from 'node:url';
import type {
  AgentDevice,
  ApprovalRequest,
  ClarificationRequest,
  ElicitationRequest,
} from '@countersign/agent-sdk';

const LOADER = new URL('../../support/typescript-loader.mjs', import.meta.url).href;
const MAIN = fileURLToPath(new URL('./agent-main.ts', import.meta.url));

/** What an ended question says; members as in the agent SDK's outcomes. */
export type Outcome = Record<string, unknown> & { status: string };

export interface Asked {
  readonly requestId: string;
  readonly outcome: Promise<Outcome>;
  withdraw(): Promise<void>;
}

interface Call {
  asked(requestId: string): void;
  done(value: unknown): void;
  failed(error: Error): void;
}

export class AgentProcess {
  readonly #child: ChildProcessByStdio<Writable, Readable, null>;
  readonly #dir: string;
  readonly #gone: Promise<void>;
  readonly #calls = new Map<number, Call>();
  #next = 0;

  private constructor(child: ChildProcessByStdio<Writable, Readable, null>, dir: string) {
    this.#child = child;
    this.#dir = dir;
    this.#gone = new Promise((resolve) => child.once('close', () => resolve()));
    createInterface({ input: child.stdout }).on('line', (line) => this.#take(line));
  }

  static start(relayUrl: string, name: string): AgentProcess {
    const dir = mkdtempSync(join(tmpdir(), 'countersign-browser-'));
    const args = ['--import', LOADER, MAIN, relayUrl, dir, name];
    return new AgentProcess(spawn(process.execPath, args, { stdio: ['pipe', 'pipe', 'inherit'] }), dir);
  }

  link(): Promise<string> {
    return this.#call('link').done as Promise<string>;
  }

  /** A PNG of the newest link. */
  async qr(): Promise<Buffer> {
    return Buffer.from((await this.#call('qr').done) as string, 'base64');
  }

  confirm(code: string): Promise<string> {
    return this.#call('confirm', code).done as Promise<string>;
  }

  ask(request: ApprovalRequest): Promise<Asked> {
    return this.#question('ask', request);
  }

  clarify(request: ClarificationRequest): Promise<Asked> {
    return this.#question('clarify', request);
  }

  elicit(request: ElicitationRequest): Promise<Asked> {
    return this.#question('elicit', request);
  }

  async notify(note: { title: string; body: string }): Promise<void> {
    await this.#call('notify', note).done;
  }

  devices(): Promise<AgentDevice[]> {
    return this.#call('devices').done as Promise<AgentDevice[]>;
  }

  /** Withdraws what is pending. */
  async clear(): Promise<void> {
    await this.#call('clear').done;
  }

  async close(): Promise<void> {
    this.#child.stdin.end();
    await this.#gone;
    rmSync(this.#dir, { recursive: true, force: true });
  }

  async #question(method: string, request: unknown): Promise<Asked> {
    const { id, asked, done } = this.#call(method, request);
    const outcome = done as Promise<Outcome>;
    return {
      requestId: await Promise.race([asked, outcome.then(({ requestId }) => String(requestId))]),
      outcome,
      withdraw: async () => void (await this.#call('withdraw', id).done),
    };
  }

  #call(method: string, argument?: unknown) {
    const id = ++this.#next;
    let asked: (requestId: string) => void = () => undefined;
    const askedId = new Promise<string>((resolve) => {
      asked = resolve;
    });
    const done = new Promise<unknown>((resolve, reject) => {
      this.#calls.set(id, { asked, done: resolve, failed: reject });
    });
    // Who does not wait for an outcome must not be stopped by it.
    done.catch(() => undefined);
    this.#child.stdin.write(`${JSON.stringify([id, method, argument ?? null])}\n`);
    return { id, asked: askedId, done };
  }

  #take(line: string): void {
    const [id, what, value] = JSON.parse(line) as [number, keyof Call, unknown];
    const call = this.#calls.get(id);
    if (what === 'asked') {
      call?.asked(value as string);
      return;
    }
    this.#calls.delete(id);
    if (what === 'done') call?.done(value);
    else call?.failed(new Error(`the agent says ${String(value)}`));
  }
}

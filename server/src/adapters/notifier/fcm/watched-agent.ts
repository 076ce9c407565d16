/**
 * The agent through which firebase-admin reaches Google. The library keeps answers to itself (no Retry-After, no
 * FcmError), tries five times and cannot be stopped; an agent sees each request before it is sent, so this one
 * watches the answer, lets one try through and stops it on demand. Must not know what an answer means.
 */
import { AsyncLocalStorage } from 'node:async_hooks';
import type { ClientRequest } from 'node:http';
import { Agent, type AgentOptions } from 'node:https';
import type { Duplex } from 'node:stream';
import { type PostResult, watchAnswer } from '../common/index.js';

const MAX_ANSWER_BYTES = 16_384;

/** One send: what it may do, and whom to tell. */
interface Watch {
  readonly signal: AbortSignal;
  readonly done: (result: PostResult) => void;
  tried: boolean;
}

/** Where to go in place of Google, for tests. */
export interface FcmHost {
  readonly address: string;
  readonly port: number;
  readonly oauthPort: number;
  readonly ca: string;
}

const OAUTH_HOST = 'oauth2.googleapis.com';

interface ConnectOptions {
  readonly host?: string;
}

/** What Node calls on an agent, which its types leave out. */
interface AgentInside extends Agent {
  addRequest(request: ClientRequest, options: unknown): void;
  createConnection(options: ConnectOptions, done: unknown): Duplex;
}

const InspectableAgent = Agent as unknown as new (options: AgentOptions) => AgentInside;

export class WatchedAgent extends InspectableAgent {
  readonly #watches = new AsyncLocalStorage<Watch>();
  readonly #host: FcmHost | undefined;

  constructor(maxSockets: number, host: FcmHost | undefined) {
    super({ keepAlive: true, maxSockets, ...(host && { ca: host.ca }) });
    this.#host = host;
  }

  /** What became of the first request that `send` makes; `unsent` when it ends without one. */
  watch(signal: AbortSignal, send: () => Promise<unknown>): Promise<PostResult> {
    return new Promise((done) => {
      const watch: Watch = { signal, done, tried: false };
      const ended = () => done(watch.tried ? 'lost' : 'unsent');
      this.#watches.run(watch, send).then(ended, ended);
    });
  }

  override createConnection(options: ConnectOptions, done: unknown): Duplex {
    if (this.#host === undefined) return super.createConnection(options, done);
    const { address: host, port, oauthPort } = this.#host;
    const elsewhere = {
      host,
      port: options.host === OAUTH_HOST ? oauthPort : port,
      servername: options.host,
    };
    return super.createConnection({ ...options, ...elsewhere }, done);
  }

  /** Every request passes here before it has a connection. */
  override addRequest(request: ClientRequest, options: unknown): void {
    const watch = this.#watches.getStore();
    if (watch) this.#admit(watch, request);
    super.addRequest(request, options);
  }

  #admit(watch: Watch, request: ClientRequest): void {
    if (watch.tried || watch.signal.aborted) {
      request.destroy(new Error('one try only'));
      return;
    }
    watch.tried = true;
    watch.signal.addEventListener('abort', () => request.destroy());
    watchAnswer(request, MAX_ANSWER_BYTES, watch.done);
  }
}

/** One client of `agent.sock`: its lines become calls, its going withdraws what it asked. Must not know what calls do. */
import type { Socket } from 'node:net';
import { CountersignError } from '@countersign/protocol';
import type { Agent, AgentLogger } from '../api.js';
import { errorName } from './error-name.js';
import { SOCKET_LIMITS } from './limits.js';
import { LineReader } from './line-reader.js';
import { type Call, readCall, wireError, writeLine } from './messages.js';
import { type CallContext, ClientState, perform } from './methods.js';
import { isMethod, readParams } from './params.js';

export interface ConnectionHost {
  readonly agent: Agent;
  readonly shutdown: (() => void) | undefined;
  readonly logger: Pick<AgentLogger, 'warn'> | undefined;
  onClose(): void;
}

export class Connection {
  readonly #socket: Socket;
  readonly #host: ConnectionHost;
  readonly #state = new ClientState();
  readonly #running = new Set<Promise<void>>();
  readonly #reader = new LineReader(SOCKET_LIMITS.maxLineBytes);

  constructor(socket: Socket, host: ConnectionHost) {
    this.#socket = socket;
    this.#host = host;
    socket.on('data', (chunk) => this.#read(chunk));
    // The reason does not matter: 'close' follows.
    socket.on('error', () => undefined);
    socket.on('close', () => this.#closed());
  }

  send(message: Record<string, unknown>): void {
    if (this.#socket.destroyed || this.#socket.writableEnded) return;
    this.#socket.write(writeLine(message));
    if (this.#socket.writableLength > SOCKET_LIMITS.maxBufferedBytes) this.#socket.destroy();
  }

  /** Withdraws what is open, writes how it ended, and closes. */
  async end(): Promise<void> {
    this.#state.end();
    await Promise.all(this.#running);
    this.#socket.end();
  }

  destroy(): void {
    this.#socket.destroy();
  }

  #read(chunk: Uint8Array): void {
    try {
      for (const line of this.#reader.push(chunk)) this.#line(line);
    } catch (error) {
      // After a line that could not be read nothing says where the next one begins: nothing more is taken.
      this.send({ id: null, error: wireError(error) });
      this.#socket.removeAllListeners('data');
      this.#socket.destroySoon();
    }
  }

  #line(line: string): void {
    try {
      this.#call(readCall(line));
    } catch (error) {
      const { details, ...told } = wireError(error);
      if (told.code === 'bad_request') throw error;
      this.send({ id: details?.id ?? null, error: { ...told, details } });
    }
  }

  #call({ id, method, params }: Call): void {
    const { aborts } = this.#state;
    const refused = this.#refusal(id, method);
    if (refused !== undefined) {
      this.send({ id, error: wireError(refused) });
      return;
    }
    const abort = new AbortController();
    aborts.set(id, abort);
    const context: CallContext = {
      agent: this.#host.agent,
      client: this.#state,
      callId: id,
      signal: abort.signal,
      note: (note) => this.send({ id, note }),
      shutdown: this.#host.shutdown,
    };
    const running = this.#perform(method, params, context)
      .then(
        (result) => this.send({ id, result }),
        (error: unknown) => this.#failed(id, method, error),
      )
      .finally(() => {
        aborts.delete(id);
        this.#running.delete(running);
      });
    this.#running.add(running);
  }

  #refusal(id: number, method: string): CountersignError | undefined {
    const open = this.#state.aborts;
    if (open.has(id)) return new CountersignError('invalid_request', 'A call with this id is still open.');
    // A full client can always withdraw.
    if (open.size >= SOCKET_LIMITS.maxOpenCalls && method !== 'cancel') {
      return new CountersignError(
        'rate_limited',
        `${SOCKET_LIMITS.maxOpenCalls} calls are open; wait for one to end.`,
      );
    }
    return undefined;
  }

  async #perform(method: string, params: unknown, context: CallContext): Promise<Record<string, unknown>> {
    if (!isMethod(method)) {
      throw new CountersignError('unsupported', 'The owner of the directory does not know this method.');
    }
    return perform(method, readParams(method, params), context);
  }

  #failed(id: number, method: string, error: unknown): void {
    if (!(error instanceof CountersignError)) {
      this.#host.logger?.warn('call_failed', {
        method: isMethod(method) ? method : 'unknown',
        error: errorName(error),
      });
    }
    this.send({ id, error: wireError(error) });
  }

  #closed(): void {
    this.#state.end();
    this.#host.onClose();
  }
}

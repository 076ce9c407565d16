/**
 * Serves an open agent on `agent.sock` in its directory, so that other processes ask through it. Must not know how
 * the agent was opened, nor end it.
 */
import { createServer, type Server, type Socket } from 'node:net';
import { CountersignError } from '@countersign/protocol';
import type { Agent, AgentEvents, AgentLogger } from '../api.js';
import { Connection } from './connection.js';
import { SOCKET_LIMITS } from './limits.js';
import { type Hello, wireError, writeLine } from './messages.js';
import { bindSocket } from './socket-place.js';

export interface ServeOptions {
  /** The owner's name as others see it. Default: the process title. */
  program?: string | undefined;
  /** Shown by `countersign status`. */
  relayUrl?: string | undefined;
  /** Begins to end the owner when a client asks for it; absent refuses that. */
  shutdown?: (() => void) | undefined;
  /** Hears of calls that failed in a way nobody foresaw: the method and the error's name, never its text. */
  logger?: Pick<AgentLogger, 'warn'> | undefined;
  /** Told the number of clients after every change. */
  onClients?: ((count: number) => void) | undefined;
}

export interface AgentSocket {
  readonly path: string;
  readonly clients: number;
  /** Takes no more clients, lets those there are go, removes the socket. Idempotent. */
  close(): Promise<void>;
  /** The same, and the agent is closed before its clients go: they learn how their items ended. */
  closeWithAgent(): Promise<void>;
}

/**
 * Whoever has opened the agent of `dir` (and so holds its lock) may serve it; a socket left by a killed owner is
 * replaced. The socket is 0600. A client that disconnects withdraws the items it asked for.
 */
export async function serveAgentSocket(
  agent: Agent,
  dir: string,
  options: ServeOptions = {},
): Promise<AgentSocket> {
  const served = new ServedAgent(agent, options);
  const { path, remove } = await bindSocket(served.server, dir);
  return {
    path,
    get clients() {
      return served.clients;
    },
    close: () => served.close(remove),
    closeWithAgent: () => served.close(remove, () => agent.close()),
  };
}

const EVENTS = [
  'connected',
  'disconnected',
  'device',
  'ended',
  'push',
] as const satisfies readonly (keyof AgentEvents)[];
/** How long a closing owner waits for clients to take their last lines. */
const LAST_LINES_MS = 1_000;

class ServedAgent {
  readonly server: Server;
  readonly #agent: Agent;
  readonly #options: ServeOptions;
  readonly #connections = new Set<Connection>();
  readonly #unlisten: Array<() => void>;
  readonly #since = new Date().toISOString();
  #closed: Promise<void> | undefined;

  constructor(agent: Agent, options: ServeOptions) {
    this.#agent = agent;
    this.#options = options;
    this.server = createServer((socket) => this.#accept(socket));
    this.#unlisten = EVENTS.map((event) => agent.on(event, (data) => this.#broadcast(event, data)));
  }

  get clients(): number {
    return this.#connections.size;
  }

  close(remove: () => void, closeAgent?: () => Promise<void>): Promise<void> {
    this.#closed ??= this.#close(remove, closeAgent);
    return this.#closed;
  }

  async #close(remove: () => void, closeAgent?: () => Promise<void>): Promise<void> {
    remove();
    const gone = new Promise<void>((resolve) => this.server.close(() => resolve()));
    await closeAgent?.();
    for (const unlisten of this.#unlisten) unlisten();
    for (const connection of this.#connections) void connection.end();
    const late = setTimeout(() => {
      for (const connection of this.#connections) connection.destroy();
    }, LAST_LINES_MS);
    await gone;
    clearTimeout(late);
  }

  #accept(socket: Socket): void {
    if (this.#connections.size >= SOCKET_LIMITS.maxConnections) {
      refuse(socket);
      return;
    }
    const connection = new Connection(socket, {
      agent: this.#agent,
      shutdown: this.#options.shutdown,
      logger: this.#options.logger,
      onClose: () => {
        this.#connections.delete(connection);
        this.#options.onClients?.(this.clients);
      },
    });
    this.#connections.add(connection);
    connection.send({ hello: this.#hello() });
    this.#options.onClients?.(this.clients);
  }

  #hello(): Hello {
    const { namespaceId, connected, problem } = this.#agent;
    return {
      program: this.#options.program ?? process.title,
      pid: process.pid,
      endable: this.#options.shutdown !== undefined,
      since: this.#since,
      namespaceId,
      relayUrl: this.#options.relayUrl,
      connected,
      problem,
    };
  }

  #broadcast(event: keyof AgentEvents, data: unknown): void {
    for (const connection of this.#connections) connection.send({ event, data });
  }
}

function refuse(socket: Socket): void {
  const full = new CountersignError(
    'rate_limited',
    `${SOCKET_LIMITS.maxConnections} programs use this directory already; end one of them.`,
  );
  socket.on('error', () => undefined);
  socket.end(writeLine({ id: null, error: wireError(full) }));
}

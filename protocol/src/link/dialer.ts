/**
 * Dials, and dials again after every end: the states of a link and the waiting between attempts (01 §6). Must
 * not know what a connection is used for.
 */
import { CLOSE } from '../frames/index.js';
import { Backoff } from './backoff.js';
import {
  Connection,
  type ConnectionEnd,
  type ConnectionEvents,
  type ConnectionParams,
} from './connection.js';
import type { LoginResult } from './login.js';
import type { LinkState } from './ports.js';
import { problem } from './problems.js';
import type { LinkRuntime, Timer } from './runtime.js';

export interface DialerEvents extends Pick<ConnectionEvents, 'frame' | 'ping'> {
  /** Logged in; called before `state` says so. */
  online(connection: Connection, result: LoginResult): void;
  /** What was online is so no longer. */
  offline(): void;
  state(state: LinkState): void;
}

export class Dialer {
  readonly #runtime: LinkRuntime;
  readonly #params: () => ConnectionParams;
  readonly #events: DialerEvents;
  readonly #backoff: Backoff;
  #state: LinkState = { phase: 'idle' };
  #connection: Connection | undefined;
  #onlineSince: number | undefined;
  #retry: Timer | undefined;
  #stopped = false;

  constructor(runtime: LinkRuntime, params: () => ConnectionParams, events: DialerEvents) {
    this.#runtime = runtime;
    this.#params = params;
    this.#events = events;
    this.#backoff = new Backoff(runtime);
  }

  get state(): LinkState {
    return this.#state;
  }

  start(): void {
    if (this.#state.phase === 'idle') this.#dial();
  }

  retryNow(): void {
    if (this.#state.phase === 'waiting') this.#dial();
  }

  /** A new login at once in the place of the one that is; one that is waited for keeps its time. */
  loginAgain(): void {
    if (this.#connection === undefined) return;
    this.#connection.end(problem('going_away', this.#params().who), CLOSE.pairingDone);
    this.retryNow();
  }

  /** No attempt is made from here on; a connection that is up stays until it ends or {@link close}. */
  stopDialling(): void {
    this.#stopped = true;
    this.#retry?.cancel();
  }

  /** Closes with 1000, for ever. */
  close(): void {
    this.stopDialling();
    this.#connection?.end(problem('going_away', this.#params().who), CLOSE.pairingDone);
    this.#set({ phase: 'closed' });
  }

  #dial(): void {
    if (this.#stopped) return;
    this.#retry?.cancel();
    const { frame, ping } = this.#events;
    const connection = new Connection(this.#runtime, this.#params(), {
      frame,
      ping,
      online: (result) => this.#online(connection, result),
      ended: (end) => this.#ended(end),
    });
    this.#connection = connection;
    this.#set({ phase: 'connecting' });
  }

  #online(connection: Connection, result: LoginResult): void {
    this.#onlineSince = this.#runtime.now();
    this.#events.online(connection, result);
    this.#set({ phase: 'online' });
  }

  #ended(end: ConnectionEnd): void {
    const onlineMs = this.#onlineMs();
    this.#connection = undefined;
    if (onlineMs > 0) this.#events.offline();
    this.#onlineSince = undefined;
    if (this.#stopped) return;
    const delay = this.#backoff.next({ onlineMs, code: end.problem.code, retryAfterMs: end.retryAfterMs });
    this.#retry = this.#runtime.setTimer(() => this.#dial(), delay);
    this.#set({ phase: 'waiting', retryAt: this.#runtime.now() + delay, problem: end.problem });
  }

  #onlineMs(): number {
    return this.#onlineSince === undefined ? 0 : Math.max(1, this.#runtime.now() - this.#onlineSince);
  }

  #set(state: LinkState): void {
    if (this.#state.phase === 'closed') return;
    this.#state = state;
    this.#events.state(state);
  }
}

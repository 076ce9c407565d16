/**
 * The agent's connection as its host sees it: connected means logged in and the list of devices authorized. Must
 * not know payloads.
 */
import { CountersignError } from '@countersign/protocol';
import type { LinkProblem, LinkState } from '@countersign/protocol/link';
import type { Core, Timer } from './core.js';

interface Waiter {
  resolve(): void;
  reject(error: CountersignError): void;
}

const CONNECTING = { code: 'connecting', message: 'Connecting to the relay.' };
const CLOSED = { code: 'closed', message: 'This agent is closed.' };

export class Connection {
  readonly #core: Pick<Core, 'events' | 'clock' | 'log'>;
  readonly #waiters = new Set<Waiter>();
  #ready = false;
  #missing: { code: string; message: string } | undefined;
  #problem: { code: string; message: string } | undefined = CONNECTING;

  constructor(core: Pick<Core, 'events' | 'clock' | 'log'>) {
    this.#core = core;
  }

  get connected(): boolean {
    return this.#ready;
  }

  get problem(): { code: string; message: string } | undefined {
    return this.#problem;
  }

  /** Logged in and authorized. */
  ready(): void {
    if (this.#problem === CLOSED) return;
    this.#ready = true;
    this.#problem = this.#missing;
    this.#core.log.info('connected');
    for (const waiter of this.#waiters) waiter.resolve();
    this.#core.events.emit('connected', undefined);
  }

  /** The relay took `known` of the devices that are to be authorized, which it forgets only with its data (01 §4). */
  authorized(listed: number, known: number): void {
    this.#missing = known < listed ? devicesMissing(listed, known) : undefined;
    if (this.#ready) this.#problem = this.#missing;
  }

  onState(state: LinkState): void {
    if (state.phase === 'online' || this.#problem === CLOSED) return;
    if (state.phase === 'waiting') this.#lost(state.problem);
    else if (this.#ready) this.#lost(CONNECTING);
  }

  whenConnected(timeoutMs?: number): Promise<void> {
    if (this.#ready) return Promise.resolve();
    if (this.#problem === CLOSED) return Promise.reject(closed());
    return new Promise((resolve, reject) => {
      let timer: Timer | undefined;
      const done = () => {
        timer?.cancel();
        this.#waiters.delete(waiter);
      };
      const waiter: Waiter = {
        resolve() {
          done();
          resolve();
        },
        reject(error) {
          done();
          reject(error);
        },
      };
      this.#waiters.add(waiter);
      if (timeoutMs === undefined) return;
      timer = this.#core.clock.setTimer(() => waiter.reject(this.#timeout()), timeoutMs);
    });
  }

  close(): void {
    const was = this.#ready;
    this.#ready = false;
    this.#problem = CLOSED;
    for (const waiter of this.#waiters) waiter.reject(closed());
    if (was) this.#core.events.emit('disconnected', CLOSED);
  }

  #lost(problem: LinkProblem | typeof CONNECTING): void {
    const was = this.#ready;
    this.#ready = false;
    this.#problem = { code: problem.code, message: problem.message };
    if (was) this.#core.log.warn('disconnected', { code: problem.code });
    if (was) this.#core.events.emit('disconnected', this.#problem);
  }

  #timeout(): CountersignError {
    const { code, message } = this.#problem ?? CONNECTING;
    return new CountersignError('timeout', `Not connected in time. ${message}`, {
      details: { problem: code },
    });
  }
}

function devicesMissing(listed: number, known: number) {
  const message =
    known === 0
      ? 'The relay knows none of the paired devices: it lost its data. Pair them again.'
      : `The relay knows ${known} of ${listed} paired devices: it lost data. Pair again those that stay offline.`;
  return { code: 'devices_missing', message };
}

function closed(): CountersignError {
  return new CountersignError('closed', CLOSED.message);
}

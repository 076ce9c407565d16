/**
 * The relay's rules, whole: lets connections in, serves them, tidies up, stops. Pure: everything outside comes
 * as a port. Must not know sockets, HTTP, files or settings' sources.
 */
import {
  createTally,
  type PeerSocket,
  type PushLoad,
  type PushProvider,
  type RelayTally,
  type SocketListener,
} from '../ports/index.js';
import { Admission, type AdmissionResult, type Ticket } from './admission/admission.js';
import { RateWindow } from './admission/rate-window.js';
import { WaitingRoom } from './admission/waiting-room.js';
import { Authorizations } from './authorizations.js';
import type { RelayContext, RelayPorts } from './context.js';
import { Housekeeping } from './housekeeping.js';
import { Pushes, type PushPorts } from './push/pushes.js';
import { Registration } from './registration.js';
import { CLOSED } from './session/closing.js';
import { Connection, type ConnectionLoad } from './session/connection.js';
import type { RelaySettings } from './settings.js';

export interface Arrival {
  readonly socket: PeerSocket;
  readonly ticket: Ticket;
  readonly authority: string;
}

const MINUTE_MS = 60_000;
const NO_PUSH: PushPorts = { notifiers: [], apps: [], key: new Uint8Array(32) };

export class Relay {
  readonly #context: RelayContext;
  readonly #admission: Admission;
  readonly #housekeeping: Housekeeping;
  readonly #connections = new Set<Connection>();
  #whenEmpty: (() => void) | undefined;
  #stopping = false;

  constructor(settings: RelaySettings, ports: RelayPorts) {
    const pushes = new Pushes(settings, ports, ports.push ?? NO_PUSH);
    this.#context = {
      ...ports,
      pushes,
      unproven: {
        unproven: (...messages) => {
          ports.unproven.unproven(...messages);
          pushes.unproven(...messages);
        },
      },
      settings,
      authorizations: new Authorizations(ports.store),
      registration: new Registration(settings, ports.hash),
      waitingRoom: new WaitingRoom(settings, ports.clock),
      tally: createTally(),
      wrongTokens: new RateWindow({ limit: settings.wrongTokensPerAddressPerMinute, windowMs: MINUTE_MS }),
    };
    this.#admission = new Admission(settings, ports.clock);
    this.#housekeeping = new Housekeeping(this.#context);
  }

  start(): void {
    this.#housekeeping.start();
    this.#context.pushes.start();
  }

  /** Before the upgrade. The ticket must be closed if no connection comes of it. */
  admit(address: string): AdmissionResult {
    const result: AdmissionResult = this.#stopping
      ? { refused: 'stopping', retryAfterSeconds: 1 }
      : this.#admission.admit(address);
    if ('refused' in result) this.tally.refused[result.refused]++;
    return result;
  }

  /** After the upgrade: the challenge goes out, and the socket's reports go to the listener returned. */
  accept({ socket, ticket, authority }: Arrival): SocketListener {
    const connection = new Connection({
      context: this.#context,
      socket,
      ticket,
      authority,
      onGone: (gone) => this.#gone(gone),
    });
    this.#connections.add(connection);
    if (this.#stopping) connection.close(CLOSED.goingAway);
    return connection;
  }

  /** For readiness. */
  status(): { connections: number; beforeLogin: number; stopping: boolean } {
    return {
      connections: this.#connections.size,
      beforeLogin: this.#context.waitingRoom.size,
      stopping: this.#stopping,
    };
  }

  /** What happened so far, in numbers. */
  get tally(): RelayTally {
    return this.#context.tally;
  }

  /** Of each connection there is: for whoever looks now and then, not for each message. */
  *loads(): Generator<ConnectionLoad> {
    for (const connection of this.#connections) yield connection.load();
  }

  collect(): Promise<void> {
    return this.#housekeeping.collect();
  }

  /** What the push worker holds now. */
  pushLoad(provider: PushProvider): PushLoad {
    return this.#context.pushes.load(provider);
  }

  /**
   * 1001 to everyone; resolves when all are gone, those that do not go by themselves after `stopMs`, and when no push
   * is under way any more.
   */
  async stop(): Promise<void> {
    this.#stopping = true;
    this.#housekeeping.stop();
    await Promise.all([this.#disconnect(), this.#context.pushes.stop()]);
  }

  async #disconnect(): Promise<void> {
    for (const connection of this.#connections) connection.close(CLOSED.goingAway);
    if (this.#connections.size === 0) return;
    await new Promise<void>((resolve) => {
      const { clock, settings } = this.#context;
      const cancel = clock.after(settings.stopMs, () => {
        for (const connection of this.#connections) connection.terminate();
        resolve();
      });
      this.#whenEmpty = () => {
        cancel();
        resolve();
      };
    });
  }

  #gone(connection: Connection): void {
    this.#connections.delete(connection);
    if (this.#connections.size === 0) this.#whenEmpty?.();
  }
}

/**
 * What happens on a connection once it is logged in: its session and keepalive, the owner's `onOnline`, what
 * arrives, and what a failing handler costs. Must not know how connections come about.
 */
import { CAPABILITY, CountersignError, ERRORS, isWireCode, type RelayFrame, toHex } from '../frames/index.js';
import { Arrivals } from './arrivals.js';
import type { Connection } from './connection.js';
import { Inbound } from './inbound.js';
import { Keepalive } from './keepalive.js';
import type { LinkOptions } from './link.types.js';
import { LINK } from './link-limits.js';
import type { LoginResult } from './login.js';
import type { Outgoing } from './outgoing.js';
import type { Withheld } from './ports.js';
import type { LinkRuntime } from './runtime.js';
import { Session } from './session.js';
import { isStorageFailure } from './storage-failure.js';

export class Serving<Tx> {
  readonly #runtime: LinkRuntime;
  readonly #options: LinkOptions<Tx>;
  readonly #outgoing: Outgoing<Tx>;
  readonly #arrivals: Arrivals<Tx>;
  readonly #inbound: Inbound;
  #connection: Connection | undefined;
  #session: Session | undefined;
  #keepalive: Keepalive | undefined;
  #pushHandle: Uint8Array | undefined;

  constructor(runtime: LinkRuntime, options: LinkOptions<Tx>, outgoing: Outgoing<Tx>) {
    const { handler, store, logger } = options;
    this.#runtime = runtime;
    this.#options = options;
    this.#outgoing = outgoing;
    this.#arrivals = new Arrivals(handler, store, logger, {
      peerSeen: (peer) => outgoing.peerSeen(peer),
      undelivered: (frame) => outgoing.undelivered(frame),
    });
    this.#inbound = new Inbound((error, source) => this.#onHandlerFailure(error, source as Connection));
  }

  /** The present login, if any. */
  get session(): Session | undefined {
    return this.#session;
  }

  get dropped(): Readonly<Record<string, number>> {
    return this.#arrivals.dropped;
  }

  /** Settles when everything that arrived is dealt with. */
  get idle(): Promise<void> {
    return this.#inbound.idle;
  }

  begin(connection: Connection, { capabilities, pushHandle }: LoginResult): void {
    const session = new Session(this.#runtime, connection, capabilities);
    this.#connection = connection;
    this.#session = session;
    this.#pushHandle = pushHandle;
    this.#outgoing.begin(session);
    this.#keepalive = new Keepalive(this.#runtime, connection, () => session.probe());
    this.#keepalive.start();
  }

  /** Runs the owner's `onOnline`, then sends what is queued, until the connection ends. Never rejects. */
  async run(): Promise<void> {
    const session = this.#session;
    const connection = this.#connection;
    if (!session || !connection) return;
    try {
      if (this.#pushHandle) await this.#options.handler.onPushHandle?.(toHex(this.#pushHandle));
      await this.#options.handler.onOnline?.();
    } catch (error) {
      this.#onOnlineFailed(error, connection);
    }
    await this.#outgoing.run(session);
  }

  end(): void {
    this.#keepalive?.stop();
    this.#session?.end();
    this.#session = undefined;
    this.#connection = undefined;
  }

  onFrame(frame: RelayFrame, bytes: number): void {
    if (frame.type === 'error') {
      this.#options.logger?.debug('relay_error', { code: isWireCode(frame.code) ? frame.code : 'other' });
    }
    if (this.#session?.onFrame(frame)) return;
    if (frame.type === 'push_report' && !this.#session?.capabilities.has(CAPABILITY.pushReport)) return;
    const work = this.#arrivals.workOf(frame, this.#confirmation(frame, bytes));
    if (work) this.#take(bytes, work);
  }

  /**
   * Where the pong is the receipt of every message before the ping, it waits its turn behind them. Where `received`
   * is, it says only that this end lives.
   */
  onPing(data: Uint8Array): void {
    const connection = this.#connection;
    if (this.#session?.confirms) connection?.pong(data);
    else this.#take(data.length, () => connection?.pong(data));
  }

  /** What tells the relay, on the connection it came by, that a queued message is dealt with. */
  #confirmation(frame: RelayFrame, bytes: number): (withheld: Withheld | undefined) => void {
    const session = this.#session;
    const seq = frame.type === 'message' ? frame.seq : undefined;
    if (!session?.confirms || seq === undefined) return () => undefined;
    const receipt = session.receipts.arrived(seq, bytes);
    return (withheld) => {
      if (withheld) session.receipts.withhold(receipt, withheld.until);
      else session.receipts.done(receipt);
    };
  }

  #take(bytes: number, work: () => void | Promise<void>): void {
    const connection = this.#connection;
    if (!connection) return;
    const item = { bytes: bytes + LINK.inboundItemBytes, source: connection, work };
    if (!this.#inbound.push(item)) connection.fail('too_slow');
  }

  /**
   * Not confirmed, so it comes again, and so does all behind it; a browser without `received` confirms by itself
   * and keeps the rest.
   */
  #onHandlerFailure(error: unknown, connection: Connection): void {
    this.#options.logger?.warn('handler_failed', { storage: isStorageFailure(error) });
    if (connection.canPing || this.#session?.confirms) this.#inbound.discard(connection);
    connection.fail('local_failure');
  }

  /** What may pass ends the connection, so that `onOnline` runs again; what stays must not end it for ever. */
  #onOnlineFailed(error: unknown, connection: Connection): void {
    if (!connection.isOnline) return;
    this.#options.logger?.warn('on_online_failed');
    const code = error instanceof CountersignError ? error.code : undefined;
    if (code && isWireCode(code) && ERRORS[code].retry !== 'never') connection.fail('unavailable');
    else if (isStorageFailure(error)) connection.fail('local_failure');
  }
}

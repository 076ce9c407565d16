/**
 * A peer's lasting connection to its relay: the public face, and what holds the parts beside it together. Must
 * not know payloads, tables or a runtime.
 */
import { authorityOf } from '../auth/index.js';
import { CountersignError, toHex, WIRE } from '../frames/index.js';
import { orAborted, within } from './async-tools.js';
import type { ConnectionParams } from './connection.js';
import { Dialer } from './dialer.js';
import type { Link, LinkOptions } from './link.types.js';
import { LINK } from './link-limits.js';
import { Outgoing } from './outgoing.js';
import type { LinkState, PeerChannel } from './ports.js';
import { CAPABILITIES, checkRelayUrl, roleOf } from './roles.js';
import { type LinkRuntime, platformRuntime } from './runtime.js';
import { Serving } from './serving.js';
import type { Session } from './session.js';
import { Waiters } from './waiters.js';

const NO_CAPABILITIES: ReadonlySet<string> = new Set();

/**
 * A link that is idle until `start`. Reconnects for ever until `close`; its state says why and when.
 * @throws CountersignError `invalid_request` for a relay URL that is not `ws(s)://`.
 */
export function openLink<Tx>(options: LinkOptions<Tx>): Link {
  const { clock } = options;
  return openLinkIn(options, clock ? { ...platformRuntime, now: () => clock.now() } : platformRuntime);
}

/** The same in a world of the caller's: timers, sockets, randomness. For tests; not part of the door. */
export function openLinkIn<Tx>(options: LinkOptions<Tx>, runtime: LinkRuntime): Link {
  checkRelayUrl(options.relayUrl);
  return new PeerLink(options, runtime);
}

class PeerLink<Tx> implements Link {
  readonly #options: LinkOptions<Tx>;
  readonly #runtime: LinkRuntime;
  readonly #outgoing: Outgoing<Tx>;
  readonly #serving: Serving<Tx>;
  readonly #dialer: Dialer;
  readonly #waiters: Waiters;
  /** Whether a challenge of this relay was ever bound; then none may be unbound. */
  #boundSeen = false;
  #closing: Promise<void> | undefined;

  constructor(options: LinkOptions<Tx>, runtime: LinkRuntime) {
    this.#options = options;
    this.#runtime = runtime;
    this.#outgoing = new Outgoing(runtime, options);
    this.#serving = new Serving(runtime, options, this.#outgoing);
    this.#waiters = new Waiters(runtime);
    this.#dialer = new Dialer(runtime, () => this.#connectionParams(), {
      online: (connection, result) => this.#serving.begin(connection, result),
      offline: () => this.#serving.end(),
      frame: (frame, bytes) => this.#serving.onFrame(frame, bytes),
      ping: (data) => this.#serving.onPing(data),
      state: (state) => this.#onState(state),
    });
  }

  get state(): LinkState {
    return this.#dialer.state;
  }

  get capabilities(): ReadonlySet<string> {
    return this.#serving.session?.capabilities ?? NO_CAPABILITIES;
  }

  get dropped(): Readonly<Record<string, number>> {
    return this.#serving.dropped;
  }

  start(): void {
    this.#dialer.start();
  }

  retryNow(): void {
    this.#dialer.retryNow();
  }

  loginAgain(): void {
    this.#dialer.loginAgain();
  }

  async whenOnline(options: { timeoutMs?: number; signal?: AbortSignal } = {}): Promise<void> {
    if (this.#closing) throw closed();
    if (this.state.phase !== 'online') await this.#waiters.wait(options);
  }

  close(): Promise<void> {
    this.#closing ??= this.#shutDown();
    return this.#closing;
  }

  async sendLive(
    channel: PeerChannel,
    payload: object,
    options: { undelivered?: () => void } = {},
  ): Promise<'written' | 'offline' | 'too_large'> {
    if (this.#closing) return 'offline';
    return this.#outgoing.sendLive(this.#serving.session, channel, payload, options.undelivered);
  }

  async queue(
    channel: PeerChannel,
    payload: object,
    options: { push?: Uint8Array; ttlMs?: number } = {},
  ): Promise<number> {
    if (this.#closing) throw closed();
    return this.#outgoing.queue(channel, payload, options);
  }

  async flushed(options: { signal?: AbortSignal } = {}): Promise<void> {
    if (this.#closing) throw closed();
    await orAborted(this.#outgoing.flushed(), options.signal);
  }

  async authorize(devices: readonly Uint8Array[]): Promise<number> {
    const frame = { type: 'authorize', clients: [...devices] } as const;
    return (await this.#session().request(frame, 'authorize_ok')).authorized;
  }

  async pairingStart(token: Uint8Array, ttlSeconds: number): Promise<number> {
    const frame = { type: 'pairing_start', pairingToken: token, ttl: ttlSeconds } as const;
    return (await this.#session().request(frame, 'pairing_ready')).ttl;
  }

  async pairingStop(): Promise<void> {
    await this.#session().request({ type: 'pairing_stop' }, 'pairing_stop_ok');
  }

  async presence(): Promise<string[]> {
    const { online } = await this.#session().request({ type: 'presence_request' }, 'presence_list');
    return online.filter((key) => key.length === WIRE.ed25519PublicBytes).map(toHex);
  }

  #session(): Session {
    const { session } = this.#serving;
    if (session) return session;
    throw new CountersignError('unavailable', 'Not connected to the relay; it is tried again');
  }

  #connectionParams(): ConnectionParams {
    const { relayUrl, identity, invite, ca } = this.#options;
    const hasInvite = invite !== undefined;
    return {
      relayUrl,
      ca,
      invite: identity.role === 'agent' ? invite : undefined,
      who: { role: identity.role, authority: authorityOf(relayUrl), hasInvite },
      role: roleOf(this.#options),
      namespaceId: identity.namespaceId,
      capabilities: CAPABILITIES[identity.role],
      binding: this.#boundSeen ? 'required' : this.#options.binding,
      sign: (message) => identity.sign(message),
      onBound: () => this.#onBound(),
    };
  }

  async #onBound(): Promise<void> {
    if (!this.#boundSeen) await this.#options.handler.onRelayBindingSeen?.();
    this.#boundSeen = true;
  }

  #onState(state: LinkState): void {
    const { handler, logger } = this.#options;
    logger?.debug('link_state', {
      phase: state.phase,
      ...(state.phase === 'waiting' && { code: state.problem.code }),
    });
    try {
      handler.onState?.(state);
    } catch {
      logger?.warn('handler_failed', { event: 'state' });
    }
    if (state.phase !== 'online') return;
    this.#waiters.resolve();
    void this.#serving.run();
  }

  async #shutDown(): Promise<void> {
    this.#dialer.stopDialling();
    const { session } = this.#serving;
    const finished = Promise.all([this.#outgoing.quiet(session), this.#serving.idle]);
    await within(this.#runtime, finished, LINK.closeWriteMs);
    this.#dialer.close();
    this.#waiters.fail(closed());
    this.#outgoing.stop(closed());
  }
}

function closed(): CountersignError {
  return new CountersignError('closed', 'This link is closed');
}

/**
 * What is decided about an upgrade before it happens: path, Origin, place (01 §1, §6). Each refusal says what to
 * change. Must not know frames.
 */
import type { ServerResponse } from 'node:http';
import { WIRE } from '@countersign/protocol';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Relay, Ticket } from '../domain/index.js';
import type { RefusalReason, RelayEvents } from '../ports/index.js';
import type { Authorities, Authority } from './authority.js';

export interface UpgradeOptions {
  readonly relay: Relay;
  readonly events: RelayEvents;
  readonly authorities: Authorities;
  readonly allowedOrigins: readonly string[];
}

/** What the handler of the upgraded connection needs. */
export interface Admitted {
  readonly ticket: Ticket;
  readonly authority: Authority;
  /** The answer the upgrade took the place of. */
  readonly response: ServerResponse;
  /** Hears that the socket closed; not needed once there is a connection. */
  readonly onClose: () => void;
}

const TEXTS: Readonly<Record<RefusalReason, string>> = {
  address_rate: 'too many new connections from this address',
  address_open: 'too many connections from this address wait for their login',
  relay_full: 'this relay serves as many connections as it is allowed to (maxConnections)',
  stopping: 'this relay is going away',
  origin: '',
};

/** Refusals for one reason are told of at most so often. */
const TELL_EVERY_MS = 60_000;

export class UpgradeChecks {
  readonly #options: UpgradeOptions;
  readonly #admitted = new WeakMap<object, Admitted>();
  readonly #toldOnce = new Set<string>();
  readonly #toldAt = new Map<RefusalReason, number>();

  constructor(options: UpgradeOptions) {
    this.#options = options;
  }

  /** The answer when the upgrade is refused; undefined lets it go on. */
  check(request: FastifyRequest, reply: FastifyReply): FastifyReply | undefined {
    if (!request.ws) return undefined;
    if (request.url.split('?')[0] !== WIRE.path)
      return reply.code(404).type('text/plain').send('not found\n');
    const authority = this.#options.authorities.of(request.headers.host);
    const { origin } = request.headers;
    if (origin !== undefined && !this.#isAllowed(origin, authority)) return this.#refuseOrigin(reply);
    if (!authority.isKnown) this.#once('host_unknown');
    this.#warnOfForwarded(request);
    return this.#admit(request, reply, authority);
  }

  /** Of a request that {@link check} let pass. */
  admitted(request: FastifyRequest): Admitted | undefined {
    return this.#admitted.get(request);
  }

  #admit(request: FastifyRequest, reply: FastifyReply, authority: Authority): FastifyReply | undefined {
    const result = this.#options.relay.admit(request.ip);
    if ('refused' in result) {
      this.#tellRefused(result.refused);
      return reply
        .code(result.refused === 'stopping' ? 503 : 429)
        .header('retry-after', result.retryAfterSeconds)
        .type('text/plain')
        .send(`${TEXTS[result.refused]}\n`);
    }
    const { ticket } = result;
    // For when the upgrade itself fails and no connection ever comes of it.
    const onClose = () => ticket.closed();
    request.raw.socket.on('close', onClose);
    this.#admitted.set(request, { ticket, authority, response: reply.raw, onClose });
    return undefined;
  }

  #isAllowed(origin: string, authority: Authority): boolean {
    const { allowedOrigins, authorities } = this.#options;
    return [...allowedOrigins, ...authorities.ownOrigins(authority)].includes(origin.toLowerCase());
  }

  #refuseOrigin(reply: FastifyReply): FastifyReply {
    this.#options.relay.tally.refused.origin++;
    this.#tellRefused('origin');
    return reply
      .code(403)
      .type('text/plain')
      .send('this web origin may not connect: the operator lists it in the setting allowedOrigins\n');
  }

  /** Now and then: a flood must not fill the log. */
  #tellRefused(reason: RefusalReason): void {
    const now = performance.now();
    if (now - (this.#toldAt.get(reason) ?? Number.NEGATIVE_INFINITY) < TELL_EVERY_MS) return;
    this.#toldAt.set(reason, now);
    this.#options.events.emit({ event: 'connection_refused', reason });
  }

  /** Only a configured proxy may say where a connection comes from (01 §6). */
  #warnOfForwarded(request: FastifyRequest): void {
    const isForwarded = ['x-forwarded-for', 'forwarded'].some((name) => name in request.headers);
    if (isForwarded && request.ip === request.socket.remoteAddress) this.#once('forwarded_header_ignored');
  }

  #once(event: 'host_unknown' | 'forwarded_header_ignored'): void {
    if (this.#toldOnce.has(event)) return;
    this.#toldOnce.add(event);
    this.#options.events.emit({ event });
  }
}

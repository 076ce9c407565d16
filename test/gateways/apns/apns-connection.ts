/**
 * What APNs keeps per HTTP/2 connection: the tokens it saw, its stream limit, and how it goes away.
 * Must not know devices, topics or payloads.
 */
import { constants, type ServerHttp2Session } from 'node:http2';
import type { Exchange } from '../kit/exchange.js';
import type { WireConnection } from '../kit/wire.js';
import type { ProviderTokenCheck } from './provider-token.js';

/** Streams a client may open: before the first accepted push and after each refused one, and otherwise. */
export interface StreamLimits {
  readonly unproven: number;
  readonly proven: number;
}

export class ApnsConnection {
  readonly tokens: ProviderTokenCheck;
  readonly #session: ServerHttp2Session;
  readonly #limits: StreamLimits;
  readonly #active = new Map<number, Exchange>();
  #limit: number;
  #sentLimit: number;
  #isSending = false;
  #lastStreamId: number | undefined;
  #highestStreamId = 0;
  #wire: WireConnection | undefined;

  constructor(session: ServerHttp2Session, tokens: ProviderTokenCheck, limits: StreamLimits) {
    this.#session = session;
    this.tokens = tokens;
    this.#limits = limits;
    this.#limit = limits.unproven;
    this.#sentLimit = limits.unproven;
  }

  /** False for a request that came after GOAWAY: it is not processed, and the client knows. */
  begin(exchange: Exchange): boolean {
    if (this.#lastStreamId !== undefined && exchange.streamId > this.#lastStreamId) {
      exchange.record.fate = 'goaway';
      return false;
    }
    this.#wire = exchange.wire;
    this.#highestStreamId = Math.max(this.#highestStreamId, exchange.streamId);
    this.#active.set(exchange.streamId, exchange);
    exchange.whenClosed(() => this.#end(exchange.streamId));
    return true;
  }

  /** Raises the stream limit after an accepted push, lowers it after a refused one. */
  answered(accepted: boolean): void {
    this.#limit = accepted ? this.#limits.proven : this.#limits.unproven;
    this.#sendLimit();
  }

  /**
   * GOAWAY with Apple's JSON reason. Streams above `lastStreamId` (default: the highest seen) are not processed;
   * the others end as they would, then the connection closes.
   */
  goAway(reason: string | undefined, lastStreamId = this.#highestStreamId): void {
    if (this.#lastStreamId !== undefined || this.#session.destroyed) return;
    this.#lastStreamId = lastStreamId;
    const debug = reason === undefined ? undefined : Buffer.from(JSON.stringify({ reason }));
    this.#session.goaway(constants.NGHTTP2_NO_ERROR, lastStreamId, debug);
    for (const [id, exchange] of this.#active) {
      if (id <= lastStreamId) continue;
      exchange.record.fate = 'goaway';
      exchange.abandon();
      this.#active.delete(id);
    }
    this.#endWhenIdle();
  }

  /** One SETTINGS at a time: node ends a session that has several without acknowledgement. */
  #sendLimit(): void {
    if (this.#isSending || this.#limit === this.#sentLimit || this.#session.destroyed) return;
    this.#isSending = true;
    this.#sentLimit = this.#limit;
    this.#session.settings({ maxConcurrentStreams: this.#limit }, () => {
      this.#isSending = false;
      this.#sendLimit();
    });
  }

  #end(streamId: number): void {
    this.#active.delete(streamId);
    this.#endWhenIdle();
  }

  /** The answer to a PING proves that the client has read the GOAWAY and every answer before it. */
  #endWhenIdle(): void {
    if (this.#lastStreamId === undefined || this.#active.size > 0 || this.#session.destroyed) return;
    const isSent = this.#session.ping(() => this.#wire?.end());
    if (!isSent) this.#wire?.end();
  }
}

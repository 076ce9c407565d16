/**
 * Everything this peer says to another: sealed, then sent now or queued until safe. Must not know logins.
 */
import { frameBody } from '../e2e/index.js';
import { CountersignError, fromHex, ROUTING, WIRE } from '../frames/index.js';
import type { LinkLogger, LinkOptions } from './link.types.js';
import { LiveOrder } from './live-order.js';
import { LiveRefs, type LiveRefusal } from './live-refs.js';
import { OutboxIndex } from './outbox-index.js';
import { OutboxRows } from './outbox-rows.js';
import { OutboxSender } from './outbox-sender.js';
import type { GivenUp, OutboxRow, PeerChannel, PeerStore } from './ports.js';
import { Refusals } from './refusals.js';
import type { LinkRuntime } from './runtime.js';
import { Sealer } from './sealer.js';
import type { Session } from './session.js';

export class Outgoing<Tx> {
  readonly #runtime: LinkRuntime;
  readonly #store: PeerStore<Tx>;
  readonly #logger: LinkLogger | undefined;
  readonly #sealer: Sealer;
  readonly #index: OutboxIndex;
  readonly #refusals: Refusals;
  readonly #order: LiveOrder;
  readonly #sender: OutboxSender;
  readonly #liveRefs: LiveRefs;

  constructor(
    runtime: LinkRuntime,
    { store, logger, handler }: Pick<LinkOptions<Tx>, 'store' | 'logger' | 'handler'>,
  ) {
    this.#runtime = runtime;
    this.#liveRefs = new LiveRefs(runtime.now());
    this.#store = store;
    this.#logger = logger;
    this.#sealer = new Sealer(runtime, store);
    const index = new OutboxIndex(store);
    const refusals = new Refusals(runtime);
    const order = new LiveOrder(runtime, index, refusals);
    this.#index = index;
    this.#refusals = refusals;
    this.#order = order;
    const onGivenUp = (message: GivenUp) => handler.onGivenUp?.(message);
    const rows = new OutboxRows({ runtime, index, refusals, order, logger, onGivenUp });
    this.#sender = new OutboxSender({ runtime, index, refusals, order, logger, rows, live: this.#liveRefs });
  }

  /** See {@link import('./link.types.js').Link.sendLive}. */
  async sendLive(
    session: Session | undefined,
    channel: PeerChannel,
    payload: object,
    undelivered?: () => void,
  ): Promise<'written' | 'offline' | 'too_large'> {
    const peer = keyOf(channel);
    const framed = frameLive(payload);
    const told = undelivered && (() => this.#tell(undelivered));
    if (!framed) return 'too_large';
    if (!session) return 'offline';
    await this.#order.turnOf(channel.peer, session);
    if (!(await session.roomForLive())) return 'offline';
    return this.#sealer.seal(channel, framed, (sealed) => {
      if (!session.isOnline) return 'offline';
      const ref = session.namesMessages ? this.#liveRefs.take(channel.peer, told) : undefined;
      session.write({ ...sealed, peer, live: true, ref });
      return 'written';
    });
  }

  /** See {@link import('./link.types.js').Link.queue}. */
  async queue(
    channel: PeerChannel,
    payload: object,
    { push, ttlMs = ROUTING.queuedMessageMs }: { push?: Uint8Array; ttlMs?: number },
  ): Promise<number> {
    keyOf(channel);
    const framed = frameBody(jsonOf(payload), 'queued');
    const expiresAt = this.#runtime.now() + ttlMs;
    const id = await this.#sealer.seal(channel, framed, (sealed) =>
      this.#enqueue({ ...sealed, peer: channel.peer, push, expiresAt }),
    );
    this.#sender.wake();
    return id;
  }

  async flushed(): Promise<void> {
    await this.#sealer.idle();
    await this.#index.flushed();
  }

  /** A login, before anything is sent. */
  begin(session: Session): void {
    this.#sender.begin(session);
  }

  /** Sends what is queued for as long as the session lasts. */
  run(session: Session): Promise<void> {
    return this.#sender.run(session);
  }

  /** The peer showed itself: what was held back for it may go. */
  peerSeen(peer: string): void {
    if (this.#refusals.release(peer)) this.#sender.wake();
  }

  /** The relay did not deliver a live message, and may name it. */
  undelivered(refusal: LiveRefusal): void {
    this.#liveRefs.refused(refusal);
  }

  /** Settles when all is sealed and, given a session, nothing is left that may be sent now. */
  async quiet(session: Session | undefined): Promise<void> {
    await this.#sealer.idle();
    if (session) await Promise.race([this.#sender.idle, session.ended]);
  }

  stop(reason: CountersignError): void {
    this.#index.fail(reason);
  }

  /** It answers nobody, so a failure there costs nothing. */
  #tell(undelivered: () => void): void {
    try {
      undelivered();
    } catch {
      this.#logger?.warn('handler_failed', { event: 'undelivered' });
    }
  }

  async #enqueue(row: Omit<OutboxRow, 'id'>): Promise<number> {
    await this.#index.load();
    const id = await this.#store.enqueue(row);
    this.#index.add({ id, peer: row.peer });
    return id;
  }
}

function keyOf({ peer }: PeerChannel): Uint8Array {
  const key = fromHex(peer, WIRE.ed25519PublicBytes);
  if (!key) throw new CountersignError('invalid_request', 'A channel names its peer by 64 hex characters');
  return key;
}

function jsonOf(payload: object): string {
  try {
    return JSON.stringify(payload);
  } catch (cause) {
    throw new CountersignError('invalid_request', 'The payload is no JSON', { cause });
  }
}

function frameLive(payload: object): Uint8Array | undefined {
  try {
    return frameBody(jsonOf(payload), 'none');
  } catch (error) {
    if (error instanceof CountersignError && error.code === 'payload_too_large') return undefined;
    throw error;
  }
}

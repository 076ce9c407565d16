/**
 * A logged-in connection: its place on the bus, what it sends, what it is sent (01 §3 rows 6–11, §4, §5). Must
 * not know how it logged in.
 */
import {
  CAPABILITY,
  CountersignError,
  encodeFrame,
  type RelayFrame,
  type WireCode,
} from '@countersign/protocol';
import type {
  BusConnection,
  BusRegistration,
  Clock,
  PairedDevice,
  PeerSocket,
  Random,
} from '../../ports/index.js';
import type { BucketSize } from '../admission/token-bucket.js';
import { bucketOf } from '../commands/authorize.js';
import type { PeerIdentity, RelayContext } from '../context.js';
import { keyOf } from '../keys.js';
import { ReportFeed } from '../push/report-feed.js';
import type { RelayLimits } from '../settings.js';
import { CLOSED, type Closing, closingFor } from './closing.js';
import { Commits } from './commits.js';
import { Control } from './control.js';
import type { Inbound } from './inbound.js';
import { Incoming } from './incoming.js';
import { Liveness, type LivenessOptions } from './liveness.js';
import { Outbound, type OutboundOptions } from './outbound.js';
import type { PeerSession } from './peer-session.js';
import type { ReadGate } from './read-gate.js';
import { Receipts } from './receipts.js';

export interface MemberOptions {
  readonly context: RelayContext;
  /** Held in `authorizations`, until it stops. */
  readonly peer: PeerIdentity;
  readonly unstored: boolean;
  readonly socket: PeerSocket;
  readonly gate: ReadGate;
  /** Ended by `close`, which calls {@link Member.stop} back. */
  readonly connection: { close(closing: Closing): void };
}

/** Above the limit for others' messages, what the relay itself says may still be buffered so far. */
const CONTROL_HEADROOM_BYTES = 64 * 1024;

/** Parts of it call it back by these, so that an idle connection is not made of closures. */
type Host = PeerSession & BusConnection & LivenessOptions & OutboundOptions;

export class Member implements Host {
  readonly context: RelayContext;
  readonly peer: PeerIdentity;
  readonly commits = new Commits();
  unstored: boolean;
  active = true;
  readonly #options: MemberOptions;
  readonly receipts: Receipts;
  readonly #liveness: Liveness;
  readonly #outbound: Outbound;
  readonly #control: Control;
  readonly #incoming: Incoming;
  readonly #reports: ReportFeed;
  #registration: BusRegistration | undefined;

  constructor(options: MemberOptions) {
    this.#options = options;
    this.context = options.context;
    this.peer = options.peer;
    this.unstored = options.unstored;
    this.receipts = new Receipts(this.confirms);
    this.#liveness = new Liveness(this);
    this.#outbound = new Outbound(this);
    this.#control = new Control(this);
    this.#incoming = new Incoming(this, this);
    this.#reports = new ReportFeed(this, (error) => this.#emitFailure('reports', error));
  }

  /** Takes the peer's place; an older connection is displaced. */
  async attach(): Promise<void> {
    const registration = await this.context.bus.attach(this.peer.namespaceId, this.peer.key, this);
    if (this.active) this.#registration = registration;
    else registration.release();
  }

  /**
   * What must be known before `auth_ok`: an agent's pending devices and the size of its bucket; of a device, whether
   * it is still authorized now that a revocation would find it. Undefined when it is not.
   */
  async prepare(): Promise<readonly PairedDevice[] | undefined> {
    if (this.unstored) return [];
    const { store, clock, settings, authorizations } = this.context;
    const { namespaceId, key, role, old } = this.peer;
    const devices = await authorizations.devices(namespaceId);
    if (role === 'client') return devices.has(keyOf(key)) ? [] : undefined;
    const now = clock.now();
    if (old) await store.dropWaitingForAgent(namespaceId, now - settings.oldAgentMessageMs);
    this.resizeBucket(bucketOf(settings, devices.size));
    return store.pendingDevices(namespaceId, now - settings.pendingDeviceMs);
  }

  /** `auth_ok` is written. `mayWait`: see {@link Outbound.open}. */
  start(pending: readonly PairedDevice[], mayWait: boolean): void {
    this.#control.open(pending);
    this.#liveness.start();
    this.#outbound.open(mayWait);
    this.#reports.open();
  }

  /** The peer is gone: nothing reaches it any more. What it sent is dealt with before {@link stop}. */
  leave(): void {
    this.#liveness.stop();
    this.#outbound.stop();
  }

  /** The connection ends; OFFLINE is announced only by one that still has its place. */
  stop(): void {
    if (!this.active) return;
    this.active = false;
    this.leave();
    this.context.authorizations.drop(this.peer.namespaceId);
    if (!this.#registration?.release()) return;
    this.context.bus.announce(this.peer.namespaceId, this.peer.key, false);
    this.onUnproven(this.receipts.report());
  }

  handle(item: Inbound): void | Promise<void> {
    if (!this.active) return undefined;
    return this.#incoming.handle(item)?.catch((error: unknown) => this.#storeFailed(error));
  }

  get unprovenBytes(): number {
    return this.receipts.unprovenBytes;
  }

  // Of its liveness.

  get clock(): Clock {
    return this.context.clock;
  }

  get random(): Random {
    return this.context.random;
  }

  get limits(): RelayLimits {
    return this.context.settings;
  }

  get socket(): PeerSocket {
    return this.#options.socket;
  }

  isPaused(): boolean {
    return this.#options.gate.paused;
  }

  onIdle(): void {
    this.#close(CLOSED.idle);
  }

  onUnproven(seqs: readonly number[]): void {
    if (seqs.length > 0) this.context.unproven.unproven(this.peer.namespaceId, this.peer.key, seqs);
  }

  // Of what is written to it.

  ping(): void {
    this.#liveness.ping();
  }

  onFirstBatch(): void {
    this.#control.openPresence();
    if (this.#registration?.current) this.context.bus.announce(this.peer.namespaceId, this.peer.key, true);
  }

  onTooSlow(): void {
    this.#close(CLOSED.tooSlow);
  }

  onStoreFailure(error: unknown): void {
    this.#emitFailure('drain', error);
    this.fail('unavailable', 'the relay cannot read the queue now');
  }

  heard(): void {
    this.#liveness.heard();
  }

  bytesCame(): void {
    this.#liveness.bytesCame();
  }

  resumed(): void {
    this.#liveness.resumed();
  }

  drained(): void {
    this.#outbound.drained();
  }

  /** False when it echoes no ping of ours. */
  ponged(payload: Uint8Array): boolean {
    const throughSeq = this.receipts.ponged(payload);
    if (throughSeq === undefined) return false;
    if (throughSeq > 0) void this.#acknowledge(throughSeq);
    if (this.receipts.isUnasked) this.#liveness.ping();
    this.#outbound.proceed();
    return true;
  }

  /** Whether the peer proves receipt by `received`. */
  get confirms(): boolean {
    return this.peer.capabilities.includes(CAPABILITY.received);
  }

  /** False when it proves nothing new: repeated, never written here, or too late. */
  received(seq: number): boolean {
    const throughSeq = this.active ? this.receipts.received(seq) : undefined;
    if (throughSeq === undefined) return false;
    void this.#acknowledge(throughSeq);
    this.#outbound.proceed();
    return true;
  }

  send(frame: RelayFrame): void {
    if (!this.active) return;
    this.#options.socket.send(encodeFrame(frame));
    this.#closeUnread();
  }

  refuse(code: WireCode, message: string, ref?: bigint): void {
    this.context.events.emit({
      event: 'frame_refused',
      code,
      namespace: this.peer.namespaceId,
      peer: this.peer.key,
    });
    this.send({ type: 'error', code, message, ...(ref === undefined ? {} : { ref }) });
  }

  fail(code: WireCode, message: string, ref?: bigint): void {
    this.refuse(code, message, ref);
    this.#close(closingFor(code));
  }

  resizeBucket(size: BucketSize): void {
    this.#options.gate.resize(size);
  }

  deliverLive(sender: Uint8Array, frame: Uint8Array, afterSeq: number): boolean | Promise<boolean> {
    return this.#outbound.deliverLive(sender, frame, afterSeq);
  }

  wake(): void {
    this.#outbound.wake();
  }

  accepted(ref: bigint): void {
    this.#control.accepted(ref);
  }

  reports(): void {
    this.#reports.wake();
  }

  displace(reason: 'displaced' | 'revoked'): void {
    this.#close(CLOSED[reason]);
  }

  presence(peer: Uint8Array, online: boolean): void {
    this.#control.presence(peer, online);
  }

  paired(device: PairedDevice): void {
    this.#control.paired(device);
  }

  #close(closing: Closing): void {
    this.#options.connection.close(closing);
  }

  pong(payload: Uint8Array): void {
    this.#options.socket.pong(payload);
    this.#closeUnread();
  }

  /** Who asks and does not read the answers is closed. */
  #closeUnread(): void {
    const limit = this.context.settings.maxBufferedBytes + CONTROL_HEADROOM_BYTES;
    if (this.#options.socket.bufferedBytes > limit) this.#close(CLOSED.tooSlow);
  }

  async #acknowledge(throughSeq: number): Promise<void> {
    try {
      const { store, tally, bus, clock } = this.context;
      const { namespaceId, key, agent } = this.peer;
      const proved = await store.ackThrough(namespaceId, key, throughSeq, clock.now());
      tally.queued.proved += proved.messages;
      if (proved.reported) bus.reports(namespaceId, agent);
    } catch (error) {
      // The messages stay and are delivered again; the peer drops what it has.
      this.#emitFailure('acknowledge', error);
    }
  }

  #storeFailed(error: unknown): void {
    this.#emitFailure('command', error);
    this.refuse('unavailable', 'the relay cannot do this now');
  }

  #emitFailure(operation: string, error: unknown): void {
    const code = error instanceof CountersignError ? error.code : 'unknown';
    this.context.events.emit({ event: 'store_failed', operation, code });
  }
}

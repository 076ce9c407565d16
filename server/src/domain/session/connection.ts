/**
 * One connection from its challenge to its end: who it is, is decided by `login`, what it does afterwards by
 * `Member`. What it may make the relay hold before its login is bounded here. Must not know frames beyond those
 * of the handshake.
 */
import { CountersignError, encodeFrame, type RelayFrame, WIRE, type WireCode } from '@countersign/protocol';
import { challengeNonce } from '@countersign/protocol/auth';
import type { Clock, PeerRole, PeerSocket, SocketListener } from '../../ports/index.js';
import type { Ticket } from '../admission/admission.js';
import type { BucketSize } from '../admission/token-bucket.js';
import type { Waiting } from '../admission/waiting-room.js';
import { bucketOf } from '../commands/authorize.js';
import type { RelayContext } from '../context.js';
import { login } from '../login/login.js';
import type { LoginResult, PairingLogin, PeerLogin } from '../login/login.types.js';
import { recordDevice } from '../login/record-device.js';
import { CLOSED, type Closing, closingFor } from './closing.js';
import { type Inbound, sizeOf } from './inbound.js';
import { Inbox, type InboxOptions } from './inbox.js';
import { Member } from './member.js';
import { PAUSE, ReadGate, type ReadGateOptions } from './read-gate.js';
import { receivedSeq } from './received.js';

export interface ConnectionOptions {
  readonly context: RelayContext;
  readonly socket: PeerSocket;
  readonly ticket: Ticket;
  /** The name the challenge is bound to. */
  readonly authority: string;
  onGone(connection: Connection): void;
}

/** What one connection is to the relay's memory. */
export interface ConnectionLoad {
  readonly role: PeerRole | 'unknown';
  /** Written for it and not yet taken by the network. */
  readonly bufferedBytes: number;
  /** Queued messages written to it whose receipt it has not proved. */
  readonly unprovenBytes: number;
}

/** Besides one frame, a peer may send so much before its login: frame headers and pings. */
const BEFORE_LOGIN_HEADROOM_BYTES = 4 * 1024;
/** In at most so many pieces. */
export const MAX_READS_BEFORE_LOGIN = 1024;
const NOTHING = new Uint8Array(0);
/** A refused peer that goes on sending has so long to read why. */
const LINGER_MS = 1000;

/** Parts of it call it back by these, so that an idle connection is not made of closures. */
type Host = SocketListener & Waiting & InboxOptions<Inbound> & ReadGateOptions;

export class Connection implements Host {
  readonly #options: ConnectionOptions;
  readonly #inbox: Inbox<Inbound>;
  readonly #gate: ReadGate;
  /** Until it is answered. */
  #challenge: Uint8Array = NOTHING;
  #role: PeerRole | 'unknown' = 'unknown';
  #phase: 'waiting' | 'judging' | 'member' | 'closed' = 'waiting';
  #member: Member | undefined;
  #isWelcome = false;
  #bytesRead = 0;
  #piecesRead = 0;
  #closeCode: number | undefined;

  constructor(options: ConnectionOptions) {
    this.#options = options;
    this.#gate = new ReadGate(this);
    this.#inbox = new Inbox<Inbound>(this);
    options.context.waitingRoom.enter(this);
    this.#inbox.push({ kind: 'greet' });
  }

  onMessage(data: Uint8Array, binary: boolean): void {
    if (this.#phase === 'member') {
      this.#member?.heard();
      if (binary && this.#isReceipt(data)) return;
      this.#gate.message();
    } else if (this.#phase === 'waiting') {
      this.#phase = 'judging';
      this.#gate.pause(PAUSE.login);
    }
    this.#inbox.push({ kind: 'message', data, binary });
  }

  /** Dealt with at once, as a pong is; one that proves nothing counts like a pong nobody asked for. */
  #isReceipt(data: Uint8Array): boolean {
    const seq = this.#member?.confirms ? receivedSeq(data) : undefined;
    if (seq === undefined) return false;
    if (!this.#member?.received(seq)) this.#gate.control();
    return true;
  }

  onPing(payload: Uint8Array): void {
    this.#member?.heard();
    this.#gate.control();
    this.#inbox.push({ kind: 'ping', payload });
  }

  onPong(payload: Uint8Array): void {
    this.#member?.heard();
    if (this.#phase === 'closed' || this.#member?.ponged(payload)) return;
    this.#gate.control();
  }

  onRead(bytes: number): void {
    if (this.#phase === 'member') {
      this.#member?.bytesCame();
      return;
    }
    this.#bytesRead += bytes;
    this.#piecesRead++;
    const limit = this.#options.context.settings.maxQueuedFrameBytes + BEFORE_LOGIN_HEADROOM_BYTES;
    if (this.#bytesRead <= limit && this.#piecesRead <= MAX_READS_BEFORE_LOGIN) return;
    if (this.#phase === 'closed') this.#lingerUnread();
    if (this.#phase !== 'waiting') return;
    this.#refuse('bad_request', 'too much before a login');
    this.#lingerUnread();
  }

  onDrained(): void {
    this.#member?.drained();
  }

  /** What the peer sent before its goodbye is still dealt with. */
  onClosed(code: number): void {
    this.#member?.leave();
    if (this.#phase === 'member') this.#inbox.finish(() => this.#gone(code));
    else this.#gone(code);
  }

  #gone(code: number): void {
    this.#end();
    this.#options.ticket.closed();
    const peer = this.#isWelcome ? this.#member?.peer : undefined;
    this.#options.context.events.emit({
      event: 'closed',
      role: this.#role,
      closeCode: this.#closeCode ?? code,
      by: this.#closeCode === undefined ? 'peer' : 'relay',
      namespace: peer?.namespaceId,
      peer: peer?.key,
    });
    this.#options.onGone(this);
  }

  onDeadline(): void {
    this.#refuse('challenge_timeout', 'no login in time');
  }

  onCrowdedOut(): void {
    this.#refuse('unavailable', 'too many connections wait for a login');
  }

  close(closing: Closing): void {
    if (this.#phase === 'closed') return;
    this.#end();
    this.#closeCode = closing.code;
    this.#options.socket.close(closing.code, closing.reason);
  }

  terminate(): void {
    this.#options.socket.terminate();
  }

  load(): ConnectionLoad {
    const role = this.#phase === 'waiting' || this.#phase === 'judging' ? 'unknown' : this.#role;
    const { bufferedBytes } = this.#options.socket;
    return { role, bufferedBytes, unprovenBytes: this.#member?.unprovenBytes ?? 0 };
  }

  #end(): void {
    if (this.#phase === 'closed') return;
    this.#phase = 'closed';
    this.#options.context.waitingRoom.leave(this);
    this.#inbox.stop();
    this.#member?.stop();
    this.#gate.stop();
  }

  // Of its read gate.

  get socket(): PeerSocket {
    return this.#options.socket;
  }

  get clock(): Clock {
    return this.#options.context.clock;
  }

  get size(): BucketSize {
    return bucketOf(this.#options.context.settings, 0);
  }

  get excessMs(): number {
    return this.#options.context.settings.excessMs;
  }

  onResume(): void {
    this.#member?.resumed();
  }

  onExcess(): void {
    this.#member?.fail('rate_limited', 'too many messages for too long');
  }

  // Of its inbox.

  sizeOf(item: Inbound): number {
    return sizeOf(item);
  }

  onBacklog(full: boolean): void {
    if (full) this.#gate.pause(PAUSE.backlog);
    else this.#gate.resume(PAUSE.backlog);
  }

  handle(item: Inbound): void | Promise<void> {
    if (this.#phase === 'member') return this.#member?.handle(item);
    if (this.#phase === 'closed') return undefined;
    if (item.kind === 'ping') return this.#options.socket.pong(item.payload);
    return item.kind === 'greet' ? this.#greet() : this.#judge(item.data, item.binary);
  }

  async #greet(): Promise<void> {
    const r = this.#options.context.random.bytes(WIRE.challengeRandomBytes);
    this.#challenge = await challengeNonce(r, this.#options.authority);
    if (!this.#isOver()) this.#send({ type: 'challenge', nonce: this.#challenge });
  }

  async #judge(data: Uint8Array, binary: boolean): Promise<void> {
    try {
      const { context, ticket } = this.#options;
      const origin = { challenge: this.#challenge, prefixes: ticket.prefixes };
      this.#challenge = NOTHING;
      const result = await login(context, data, binary, origin);
      if (!this.#isOver()) await this.#accept(result);
      else if (result.kind === 'peer') context.authorizations.drop(result.identity.namespaceId);
    } catch (error) {
      const code = error instanceof CountersignError ? error.code : 'unknown';
      this.#options.context.events.emit({ event: 'store_failed', operation: 'login', code });
      this.#refuse('unavailable', 'the relay cannot take logins now');
    }
  }

  #accept(result: LoginResult): void | Promise<void> {
    if (result.kind === 'refused') {
      this.#role = result.role;
      return this.#refuse(result.code, result.message);
    }
    return result.kind === 'pairing' ? this.#finishPairing(result) : this.#enter(result);
  }

  async #enter({ identity, unstored, device }: PeerLogin): Promise<void> {
    const { context, socket } = this.#options;
    this.#role = identity.role;
    const member = new Member({
      context,
      peer: identity,
      unstored,
      socket,
      gate: this.#gate,
      connection: this,
    });
    this.#member = member;
    await member.attach();
    const pending = await member.prepare();
    if (this.#isOver()) return;
    if (pending === undefined) return this.#refuse('unauthorized', 'this device was revoked');
    const found = device && (await recordDevice(context, identity, device));
    if (this.#isOver()) return;
    this.#isWelcome = true;
    this.#welcome(identity.namespaceId, identity.capabilities, found?.handle);
    context.events.emit({
      event: 'login',
      role: identity.role,
      namespace: identity.namespaceId,
      peer: identity.key,
    });
    this.#phase = 'member';
    member.start(pending, found?.hasQueued ?? true);
    this.#gate.resume(PAUSE.login);
  }

  async #finishPairing({ namespaceId, agent, device, capabilities, again }: PairingLogin): Promise<void> {
    this.#role = 'pairing';
    const { bus, events } = this.#options.context;
    events.emit({ event: 'paired', namespace: namespaceId, peer: device.ed25519, again });
    await bus.announcePaired(namespaceId, agent, device);
    if (this.#isOver()) return;
    this.#welcome(namespaceId, capabilities);
    this.close(CLOSED.pairingDone);
  }

  #welcome(namespaceId: Uint8Array, capabilities: readonly string[], pushHandle?: Uint8Array): void {
    this.#options.context.waitingRoom.leave(this);
    this.#options.ticket.loggedIn();
    const handle = pushHandle === undefined ? {} : { pushHandle };
    this.#send({ type: 'auth_ok', namespaceId, capabilities: [...capabilities], ...handle });
  }

  #refuse(code: WireCode, message: string): void {
    if (this.#isOver()) return;
    this.#options.context.events.emit({ event: 'login_refused', role: this.#role, code });
    this.#send({ type: 'auth_error', code, message });
    this.close(closingFor(code));
  }

  #send(frame: RelayFrame): void {
    this.#options.socket.send(encodeFrame(frame));
  }

  #isOver(): boolean {
    return this.#phase === 'closed';
  }

  /** Takes nothing more from a peer that would not stop, and gives it a moment to read the reason. */
  #lingerUnread(): void {
    const { socket, context } = this.#options;
    socket.pause();
    context.clock.after(LINGER_MS, () => socket.terminate());
  }
}

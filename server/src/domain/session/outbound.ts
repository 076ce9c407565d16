/**
 * Everything routed to one peer, in one order: its queue from the store and live messages of others (01 §5).
 * Nothing before the login's drain; live behind older queued messages of the same sender; at most so much
 * unproven and so much unread. Must not know who may send what.
 */
import { CAPABILITY, encodeQueued, forwardMessage, peekMessage } from '@countersign/protocol';
import type { PeerSocket, QueuedMessage } from '../../ports/index.js';
import type { PeerIdentity, RelayContext } from '../context.js';
import { keyOf } from '../keys.js';
import { HeldLives } from './held-live.js';
import type { Receipts } from './receipts.js';
import { SlowReader } from './slow-reader.js';

export interface OutboundOptions {
  readonly context: RelayContext;
  readonly peer: PeerIdentity;
  readonly socket: PeerSocket;
  readonly receipts: Receipts;
  /** Asks the peer to prove what was written. */
  ping(): void;
  /** The first batch of the drain is written. */
  onFirstBatch(): void;
  /** The peer did not read for too long. */
  onTooSlow(): void;
  /** The store could not be read. */
  onStoreFailure(error: unknown): void;
}

export class Outbound {
  readonly #options: OutboundOptions;
  readonly #held: HeldLives;
  readonly #reader: SlowReader;
  readonly #tellsSeq: boolean;
  #writtenSeq = 0;
  /** What is queued up to here and not written is proved, expired or gone: a read found so that began late enough. */
  #searchedSeq = 0;
  /** Up to where the read that is due, or under way, will have looked. */
  #soughtSeq = 0;
  #pumping = false;
  /** Something may have been queued that was not read yet. */
  #dirty = false;
  #opened = false;
  #firstBatchDone = false;
  #initialDrainDone = false;
  #stopped = false;

  constructor(options: OutboundOptions) {
    this.#options = options;
    this.#tellsSeq = options.peer.capabilities.includes(CAPABILITY.received);
    const { clock, settings } = options.context;
    this.#held = new HeldLives(clock, settings);
    this.#reader = new SlowReader({
      clock,
      socket: options.socket,
      limits: settings,
      onTooSlow: () => options.onTooSlow(),
    });
  }

  /** `auth_ok` is written: the drain begins. `mayWait`: unless nothing was queued since the peer has its place. */
  open(mayWait: boolean): void {
    this.#opened = true;
    this.#dirty ||= mayWait;
    if (!this.#dirty) this.#firstBatchWritten();
    void this.#pump();
  }

  stop(): void {
    this.#stopped = true;
    this.#reader.stop();
    this.#held.refuseAll();
  }

  wake(): void {
    this.#dirty = true;
    void this.#pump();
  }

  deliverLive(sender: Uint8Array, frame: Uint8Array, afterSeq: number): boolean | Promise<boolean> {
    if (this.#stopped) return false;
    const isFirst = this.#initialDrainDone && !this.#held.has(keyOf(sender));
    if (isFirst && this.#isPast(afterSeq)) return this.#writeLive(frame);
    const held = this.#held.hold(sender, frame, afterSeq);
    if (held !== false && afterSeq > this.#soughtSeq) this.#seek(afterSeq);
    return held;
  }

  /** Something written was proved: there may be room for more. */
  proceed(): void {
    void this.#pump();
  }

  /** The network took what was waiting. */
  drained(): void {
    this.#reader.hasRoom(0);
    this.proceed();
  }

  get #isDrained(): boolean {
    return !this.#dirty && !this.#pumping;
  }

  #isPast(afterSeq: number): boolean {
    return afterSeq <= this.#writtenSeq || afterSeq <= this.#searchedSeq;
  }

  /** A live message can be here before the wake of the queued one it was sent after. */
  #seek(seq: number): void {
    this.#soughtSeq = seq;
    if (seq > this.#writtenSeq) this.wake();
  }

  async #pump(): Promise<void> {
    if (this.#pumping || !this.#opened || this.#stopped) return;
    this.#pumping = true;
    try {
      while (this.#dirty && !this.#stopped && (await this.#drainOnce()));
    } catch (error) {
      if (!this.#stopped) this.#options.onStoreFailure(error);
    } finally {
      this.#pumping = false;
    }
    if (this.#isDrained && !this.#stopped) this.#finishDrain();
  }

  /** False when it cannot go on for now. */
  async #drainOnce(): Promise<boolean> {
    const room = this.#options.context.settings.maxUnprovenBytes - this.#options.receipts.unprovenBytes;
    if (room <= 0) return false;
    this.#dirty = false;
    const batch = await this.#take(room);
    if (this.#stopped) return false;
    const wroteAll = this.#writeBatch(batch);
    if (!wroteAll || this.#mayHaveLeftSome(batch, room)) this.#dirty = true;
    this.#firstBatchWritten();
    return wroteAll;
  }

  #firstBatchWritten(): void {
    if (this.#firstBatchDone) return;
    this.#firstBatchDone = true;
    this.#options.onFirstBatch();
  }

  #take(maxBytes: number): Promise<QueuedMessage[]> {
    const { store, clock, settings } = this.#options.context;
    const { namespaceId, key, role, old } = this.#options.peer;
    const now = clock.now();
    const isOldAgent = role === 'agent' && old;
    return store.takeUnproven(namespaceId, key, {
      afterSeq: this.#writtenSeq,
      maxBytes,
      now,
      ...(isOldAgent ? { enqueuedNotBefore: now - settings.oldAgentMessageMs } : {}),
    });
  }

  /** Whether the store may have stopped for want of room: another message of the largest size would not have fitted. */
  #mayHaveLeftSome(batch: readonly QueuedMessage[], room: number): boolean {
    const bytes = batch.reduce((sum, { ciphertext }) => sum + ciphertext.length, 0);
    return batch.length > 0 && bytes + this.#options.context.settings.maxQueuedFrameBytes > room;
  }

  /** False when a message found no room; the rest of the batch is read again later. */
  #writeBatch(batch: readonly QueuedMessage[]): boolean {
    const { receipts, context } = this.#options;
    let messages = 0;
    for (const message of batch) {
      const frame = frameOf(message, this.#tellsSeq);
      this.#releaseHeldBefore(message);
      if (!this.#fits(frame.length)) break;
      this.#options.socket.send(frame);
      this.#writtenSeq = message.seq;
      receipts.written(message.seq, frame.length, context.clock.elapsed());
      messages++;
    }
    context.tally.queued.sent += messages;
    if (messages > 0 && receipts.mayAsk) this.#options.ping();
    return messages === batch.length;
  }

  #fits(bytes: number): boolean {
    const { receipts, context } = this.#options;
    const unproven = receipts.unprovenBytes;
    const isWithinWindow = unproven === 0 || unproven + bytes <= context.settings.maxUnprovenBytes;
    return isWithinWindow && this.#reader.hasRoom(bytes);
  }

  /** Live messages that were accepted before this queued one of their sender. */
  #releaseHeldBefore({ sender, seq }: QueuedMessage): void {
    const key = keyOf(sender);
    this.#held.release(
      (held) => held.sender === key && held.afterSeq < seq,
      (frame) => this.#writeLive(frame),
    );
  }

  #finishDrain(): void {
    this.#initialDrainDone = true;
    this.#searchedSeq = this.#soughtSeq;
    this.#held.release(
      () => true,
      (frame) => this.#writeLive(frame),
    );
  }

  #writeLive(frame: Uint8Array): boolean {
    const ready = this.#options.peer.old ? asOldPeersKnowIt(frame) : frame;
    if (!this.#reader.hasRoom(ready.length)) return false;
    this.#options.socket.send(ready);
    return true;
  }
}

function frameOf({ sender, nonce, ciphertext, seq }: QueuedMessage, tellsSeq: boolean): Uint8Array {
  return encodeQueued({ ciphertext, nonce, peer: sender, seq: tellsSeq ? seq : undefined });
}

/** `live` is delivered as false to peers that announced no capability (01 §5). */
function asOldPeersKnowIt(frame: Uint8Array): Uint8Array {
  const peek = peekMessage(frame);
  return peek ? forwardMessage(frame, peek, peek.peer.slice(), { live: false }) : frame;
}

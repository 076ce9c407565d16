/**
 * Seals stored answers and seals them again until they are final (03 §5): after 10 s, after 60 s, then at logins.
 * Must not know what an answer says.
 */
import { CONTENT } from '@countersign/protocol';
import type { Link, PeerChannel } from '@countersign/protocol/link';
import type { ClientPeerStore } from '../client/peer-store.js';
import type { ClientRuntime, Timer } from '../client/runtime.js';
import type { Storage } from '../storage/storage.js';
import type { AnswerStates } from './answer-states.js';
import { type AnswerRecord, isFinal, listAnswers, readAnswer, writeAnswer } from './inbox-records.js';

export interface SenderPorts {
  readonly storage: Storage;
  readonly pairingId: string;
  readonly channel: PeerChannel;
  readonly store: Pick<ClientPeerStore, 'hasOutboxRow'>;
  readonly runtime: ClientRuntime;
  link(): Pick<Link, 'queue' | 'sendLive' | 'flushed'>;
  /** Unix ms in the agent's clock. */
  agentNow(): number;
  /** Something a person sees has changed: resolves when it is taken in. */
  changed(): Promise<void>;
}

export class AnswerSender {
  readonly #ports: SenderPorts;
  readonly #states: AnswerStates;
  readonly #timers = new Map<string, Timer>();
  /** How many of the timed resends each answer had in this process. */
  readonly #attempts = new Map<string, number>();
  /** Answers that wait for the relay to have them. */
  readonly #watched = new Set<string>();
  readonly #closing = new AbortController();

  constructor(ports: SenderPorts, states: AnswerStates) {
    this.#ports = ports;
    this.#states = states;
  }

  close(): void {
    this.#closing.abort();
    for (const timer of this.#timers.values()) timer.cancel();
    this.#timers.clear();
  }

  /** After a login, and when the agent comes online: what is not confirmed goes again. */
  async resendAll(): Promise<void> {
    const { storage, pairingId } = this.#ports;
    for (const record of await storage.transaction((tx) => listAnswers(tx, pairingId))) {
      const onItsWay = this.#watched.has(record.id) || this.#timers.has(record.id);
      if (!this.#isDue(record) || onItsWay) continue;
      if (await this.#isStillQueued(record)) this.#watch(record);
      else await this.seal(record);
    }
  }

  /** Seals one more copy, with a new counter, and waits for it to be safe before the next is due. */
  async seal(record: AnswerRecord): Promise<void> {
    const { channel } = this.#ports;
    const link = this.#ports.link();
    const payload = record.payload as Record<string, unknown>;
    if (record.transport === 'live') {
      const written = await link.sendLive(channel, payload);
      if (written !== 'written') return;
      await this.change(record, (now) => ({ ...now, sends: now.sends + 1 }));
      return this.#retryLater(record);
    }
    // Kept as long as the queue keeps anything: of an item that has ended meanwhile the person is told so.
    const outboxId = await link.queue(channel, payload);
    await this.change(record, (now) => ({ ...now, outboxId, sends: now.sends + 1 }));
    this.#watch(record);
  }

  /** Never counts as sent: it left the outbox another way. */
  async givenUp(outboxId: number): Promise<void> {
    const { storage, pairingId } = this.#ports;
    const records = await storage.transaction((tx) => listAnswers(tx, pairingId));
    for (const record of records) {
      if (record.outboxId === outboxId) await this.change(record, asNotConfirmed);
    }
  }

  /** Nothing of this answer is sent any more. */
  stop(id: string): void {
    this.#timers.get(id)?.cancel();
    this.#timers.delete(id);
    this.#attempts.delete(id);
  }

  /** Changes the stored record, if it is still about this answer, and tells those who watch. */
  async change(record: AnswerRecord, change: (now: AnswerRecord) => AnswerRecord): Promise<void> {
    const { storage, pairingId } = this.#ports;
    const next = await storage.transaction(async (tx) => {
      const now = await readAnswer(tx, pairingId, record.kind, record.requestId);
      if (now?.id !== record.id) return undefined;
      const changed = change(now);
      if (changed !== now) await writeAnswer(tx, pairingId, changed);
      return changed;
    });
    if (next === undefined) return;
    this.#states.set(next.id, next.state);
    await this.#ports.changed();
  }

  #isDue(record: AnswerRecord): boolean {
    if (record.payload === undefined || isFinal(record.state) || record.itemGone) return false;
    return record.itemExpiresAt > this.#ports.agentNow();
  }

  /** Sealed and on its way: the link sends those very bytes. */
  async #isStillQueued({ outboxId }: AnswerRecord): Promise<boolean> {
    return outboxId !== undefined && (await this.#ports.store.hasOutboxRow(outboxId));
  }

  /** When the relay has everything queued so far, the answer is sent, and the wait for its ack begins. */
  #watch(record: AnswerRecord): void {
    this.#watched.add(record.id);
    this.#ports
      .link()
      .flushed({ signal: this.#closing.signal })
      .then(() => this.change(record, asSent))
      .then(() => this.#retryLater(record))
      // Closing, or the storage failed: the next start finds the record as it is.
      .catch(() => undefined)
      .finally(() => this.#watched.delete(record.id));
  }

  #retryLater(record: AnswerRecord): void {
    const attempt = this.#attempts.get(record.id) ?? 0;
    const delay = CONTENT.answerRetryMs[attempt];
    const settled = isFinal(this.#states.get(record.id));
    if (this.#closing.signal.aborted || settled || this.#timers.has(record.id) || delay === undefined) return;
    this.#attempts.set(record.id, attempt + 1);
    const timer = this.#ports.runtime.setTimer(() => {
      this.#timers.delete(record.id);
      this.#retry(record).catch(() => undefined);
    }, delay);
    this.#timers.set(record.id, timer);
  }

  async #retry(record: AnswerRecord): Promise<void> {
    const { storage, pairingId } = this.#ports;
    await this.change(record, asNotConfirmed);
    const now = await storage.transaction((tx) => readAnswer(tx, pairingId, record.kind, record.requestId));
    if (now?.id === record.id && this.#isDue(now)) await this.seal(now);
  }
}

function asSent(record: AnswerRecord): AnswerRecord {
  return record.state.phase === 'sending' ? { ...record, state: { phase: 'sent' } } : record;
}

function asNotConfirmed(record: AnswerRecord): AnswerRecord {
  return isFinal(record.state) ? record : { ...record, state: { phase: 'not_confirmed' } };
}

/**
 * The answers given here, from the tap to the agent's confirmation (03 §5). Secret ones never touch storage. Must not
 * know how items are shown or checked.
 */
import { CONTENT, CountersignError } from '@countersign/protocol';
import type { AnswerState, SentAnswer } from '../api.js';
import type { StorageTx } from '../storage/storage.js';
import { type Ack, type AckEffect, effectOfAck } from './acks.js';
import { AnswerSender, type SenderPorts } from './answer-sender.js';
import { AnswerStates } from './answer-states.js';
import {
  type AnswerRecord,
  deleteAnswer,
  isFinal,
  listAnswers,
  pruneAnswers,
  readAnswer,
  type SnapshotRecord,
  type StoredItem,
  writeAnswer,
} from './inbox-records.js';

export interface AnswersPorts extends SenderPorts {
  /** The agent acks (03 §1); without that its answers go once. */
  agentAcks(): boolean;
}

export interface NewAnswer {
  item: StoredItem;
  payload: Record<string, unknown>;
  fitsQueue: boolean;
  /** Counter of the snapshot it answers. */
  snapshotCounter: number;
}

export class Answers {
  readonly #ports: AnswersPorts;
  readonly #states: AnswerStates;
  readonly #sender: AnswerSender;
  /** Secret answers: what became of them, never what they say. */
  readonly #volatile = new Map<string, AnswerRecord>();
  /** Answers of this process that went once and are remembered. */
  readonly #onceSent = new Map<string, AnswerRecord>();

  constructor(ports: AnswersPorts) {
    this.#ports = ports;
    this.#states = new AnswerStates(ports.runtime);
    this.#sender = new AnswerSender(ports, this.#states);
  }

  get volatile(): readonly AnswerRecord[] {
    return [...this.#volatile.values()];
  }

  /** Undefined for an answer that is not remembered. */
  stateOf(id: string): AnswerState | undefined {
    return this.#states.find(id);
  }

  /** Forgets old final answers and learns the states of the others. */
  async load(): Promise<void> {
    const { storage, pairingId, runtime } = this.#ports;
    const records = await storage.transaction(async (tx) => {
      await pruneAnswers(tx, pairingId, runtime.now(), CONTENT.rememberedAnswersMs);
      return listAnswers(tx, pairingId);
    });
    for (const record of records) this.#states.set(record.id, record.state);
  }

  close(): void {
    this.#sender.close();
    this.#states.close();
  }

  resendAll(): Promise<void> {
    return this.#sender.resendAll();
  }

  /** The relay refused what was queued under this id for good: not sent, and sealed anew with the next resend. */
  givenUp(outboxId: number): Promise<void> {
    return this.#sender.givenUp(outboxId);
  }

  /** Stores the answer, then sends it; resolves when it is stored and sealed. @throws what the outbox refuses. */
  async sendDurably(answer: NewAnswer): Promise<SentAnswer> {
    const { storage, pairingId } = this.#ports;
    const record = this.#record(answer, answer.fitsQueue ? 'queued' : 'live');
    await this.#replaceEarlier(record);
    await this.#ports.changed();
    try {
      await this.#sender.seal(record);
    } catch (error) {
      await storage.transaction((tx) => deleteAnswer(tx, pairingId, record));
      await this.#ports.changed();
      throw error;
    }
    return this.#states.handle(answer.payload);
  }

  /**
   * Sends now or not at all. `kept`: what became of it is remembered, without the payload; else nothing of it is
   * (a secret). @throws CountersignError `unavailable` when it could not be written.
   */
  async sendOnce(answer: NewAnswer, kept: boolean): Promise<SentAnswer> {
    const written = await this.#ports.link().sendLive(this.#ports.channel, answer.payload);
    if (written !== 'written') throw notWritten(written);
    const record: AnswerRecord = {
      ...this.#record(answer, 'once'),
      payload: undefined,
      sends: 1,
      state: { phase: 'sent' },
    };
    if (kept) await this.#replaceEarlier(record);
    (kept ? this.#onceSent : this.#volatile).set(record.id, record);
    this.#states.set(record.id, record.state);
    await this.#ports.changed();
    return this.#states.handle(answer.payload);
  }

  /** Inside the receive transaction. Undefined when the ack is about nothing known. */
  async applyAck(tx: StorageTx, ack: Ack): Promise<AckEffect | undefined> {
    const { pairingId } = this.#ports;
    const stored = (await listAnswers(tx, pairingId)).find(({ id }) => id === ack.ref_id);
    const record = this.#volatile.get(ack.ref_id) ?? stored;
    const isOther = ack.request_id !== undefined && ack.request_id !== record?.requestId;
    if (record === undefined || isOther) return undefined;
    const effect = effectOfAck(ack, record);
    if (stored !== undefined) await writeAnswer(tx, pairingId, withEffect(stored, effect));
    return effect;
  }

  /** Once the transaction of {@link applyAck} is durable. */
  acked(id: string, effect: AckEffect): void {
    const secret = this.#volatile.get(id);
    if (secret !== undefined) this.#volatile.set(id, withEffect(secret, effect));
    this.#onceSent.delete(id);
    this.#sender.stop(id);
    this.#states.set(id, effect.state);
  }

  /** Inside the receive transaction of a newer snapshot: items that left it are sent no more. */
  async applySnapshot(tx: StorageTx, snapshot: SnapshotRecord): Promise<void> {
    for (const record of await listAnswers(tx, this.#ports.pairingId)) {
      if (isFinal(record.state) || isIn(snapshot, record)) continue;
      await writeAnswer(tx, this.#ports.pairingId, this.#afterLeaving(record));
    }
  }

  /** Once the transaction of {@link applySnapshot} is durable. */
  async snapshotApplied(snapshot: SnapshotRecord): Promise<void> {
    const { storage, pairingId } = this.#ports;
    for (const record of this.volatile.filter((secret) => !isIn(snapshot, secret))) {
      const next = isFinal(record.state) ? record : this.#afterLeaving(record);
      this.#states.set(record.id, next.state);
      if (isFinal(next.state)) this.#volatile.delete(record.id);
      else this.#volatile.set(record.id, next);
    }
    for (const record of await storage.transaction((tx) => listAnswers(tx, pairingId))) {
      this.#states.set(record.id, record.state);
      if (record.itemGone) this.#sender.stop(record.id);
    }
  }

  /** The relay says the agent was not there for something live: what went only once is not kept. */
  agentOffline(): void {
    for (const record of this.volatile.filter(({ state }) => !isFinal(state))) {
      this.#volatile.set(record.id, { ...record, state: MISSED_SECRET, snapshotCounter: REOPENED });
      this.#states.set(record.id, MISSED_SECRET);
    }
    for (const record of this.#onceSent.values()) {
      const missed = (now: AnswerRecord) =>
        isFinal(now.state) ? now : { ...now, state: MISSED, snapshotCounter: REOPENED };
      this.#sender.change(record, missed).catch(() => undefined);
    }
    this.#onceSent.clear();
  }

  /** An item that came back may be answered anew; the earlier answer is sent no more. */
  async #replaceEarlier(record: AnswerRecord): Promise<void> {
    const { storage, pairingId } = this.#ports;
    const earlier = await storage.transaction(async (tx) => {
      const found = await readAnswer(tx, pairingId, record.kind, record.requestId);
      await writeAnswer(tx, pairingId, record);
      return found;
    });
    if (earlier !== undefined) this.#sender.stop(earlier.id);
    this.#states.set(record.id, record.state);
  }

  #record({ item, payload, snapshotCounter }: NewAnswer, transport: AnswerRecord['transport']): AnswerRecord {
    return {
      id: payload.id as string,
      kind: item.kind,
      requestId: item.requestId,
      payload,
      transport,
      createdAt: this.#ports.runtime.now(),
      sentTs: payload.ts as number,
      itemExpiresAt: item.expiresAt,
      snapshotCounter,
      sends: 0,
      state: { phase: 'sending' },
      itemGone: false,
    };
  }

  /** An agent without acks confirms by leaving the item out (03 §5); any other still sends its ack. */
  #afterLeaving(record: AnswerRecord): AnswerRecord {
    if (this.#ports.agentAcks()) return { ...record, itemGone: true };
    return { ...record, itemGone: true, state: { phase: 'confirmed', status: 'applied' } };
  }
}

/** Below every counter: any snapshot with the item opens it again. */
const REOPENED = -1;

const MISSED: AnswerState = {
  phase: 'refused',
  status: 'offline',
  message: 'The agent went offline before the answer reached it. Answer again when the agent is online.',
};

const MISSED_SECRET: AnswerState = {
  phase: 'refused',
  status: 'offline',
  message:
    'The agent went offline, and this answer is secret: it was not kept. Answer again when the agent is online.',
};

function withEffect(record: AnswerRecord, effect: AckEffect): AnswerRecord {
  const snapshotCounter = effect.reopens ? REOPENED : record.snapshotCounter;
  return { ...record, state: effect.state, snapshotCounter, payload: undefined };
}

function isIn(snapshot: SnapshotRecord, answer: AnswerRecord): boolean {
  return snapshot.items.some((item) => item.kind === answer.kind && item.requestId === answer.requestId);
}

function notWritten(why: 'offline' | 'too_large'): CountersignError {
  if (why === 'too_large') {
    return new CountersignError('payload_too_large', 'The answer is too long to be sent. Shorten it.');
  }
  return new CountersignError(
    'unavailable',
    'The agent is not connected now, and this answer is not kept. Answer again when the agent is online.',
  );
}

/**
 * Where a person's decision becomes a signed answer: found in the present inbox, checked, composed, handed to the
 * right way of sending (03 §5). Must not know sockets or storage.
 */
import { CountersignError } from '@countersign/protocol';
import type { AnswerContent, ApproveOptions, InboxItem, RejectOptions, SentAnswer } from '../api.js';
import type { Answers } from './answers.js';
import { checkApproval, checkContent, checkRejection, refuse } from './check-answer.js';
import {
  approvalMembers,
  composeAnswer,
  contentMembers,
  isSensitive,
  type Members,
  rejectionMembers,
  type Signer,
  wipeContent,
} from './compose-answer.js';
import type { InboxState, StoredItem } from './inbox-records.js';
import { isAnswered, itemKey, pendingItems } from './view.js';

export interface DeskPorts {
  readonly answers: Answers;
  readonly signer: Signer;
  inbox(): InboxState;
  newId(): string;
  /** What `ts` says now. */
  envelopeTime(): number;
  /** Unix ms in the agent's clock. */
  agentNow(): number;
  agentAcks(): boolean;
  /** The relay is connected and does not say that the agent is away. */
  agentMayBeThere(): boolean;
  /** A snapshot came on the present connection. */
  snapshotIsFresh(): boolean;
}

export class AnswerDesk {
  readonly #ports: DeskPorts;
  /** Items being answered right now: two taps are one answer. */
  readonly #busy = new Set<string>();

  constructor(ports: DeskPorts) {
    this.#ports = ports;
  }

  approve(item: InboxItem, options: ApproveOptions): Promise<SentAnswer> {
    return this.#answerOnce(item, (current) => {
      checkApproval(current, options);
      return this.#send(current, approvalMembers(current, options), options.shown ?? 'full');
    });
  }

  reject(item: InboxItem, options: RejectOptions): Promise<SentAnswer> {
    return this.#answerOnce(item, (current) => {
      checkRejection(current, options);
      return this.#send(current, rejectionMembers(current, options), 'full');
    });
  }

  async answer(item: InboxItem, content: AnswerContent): Promise<SentAnswer> {
    try {
      return await this.#answerOnce(item, (current) => {
        checkContent(current, content);
        return this.#send(current, contentMembers(current, content), 'full');
      });
    } finally {
      wipeContent(content);
    }
  }

  async #answerOnce(
    item: InboxItem,
    give: (current: StoredItem) => Promise<SentAnswer>,
  ): Promise<SentAnswer> {
    const key = itemKey(item);
    if (this.#busy.has(key)) refuse('This item is being answered.');
    this.#busy.add(key);
    try {
      return await give(this.#current(item));
    } finally {
      this.#busy.delete(key);
    }
  }

  /** What was shown must be what is there now: an item never changes (02 §4). */
  #current(item: InboxItem): StoredItem {
    const inbox = this.#ports.inbox();
    if (item.state === 'waiting') refuse('The item has not come yet, only its announcement. Load it first.');
    const current = pendingItems(inbox).find(
      (one) => one.kind === item.kind && one.requestId === item.requestId,
    );
    if (current === undefined) refuse('The item has ended: the agent does not ask this any more.');
    if (current.digest !== item.digest) refuse('The item is not the one that was shown. Look at it again.');
    const key = itemKey(item);
    const given = [...inbox.answers, ...this.#ports.answers.volatile].filter((one) => itemKey(one) === key);
    if (given.some((answer) => isAnswered(answer, inbox.snapshot)))
      refuse('This item was answered here already.');
    return current;
  }

  async #send(item: StoredItem, members: Members, shown: 'full' | 'summary'): Promise<SentAnswer> {
    const { answers, signer } = this.#ports;
    const secret = isSensitive(item) && members.action === 'accept';
    this.#assertReachable(secret);
    const envelope = {
      id: this.#ports.newId(),
      ts: Math.floor(this.#ports.envelopeTime()),
      decidedAt: this.#ports.agentNow(),
    };
    const { payload, fitsQueue } = await composeAnswer(item, members, envelope, signer, { shown });
    const snapshotCounter = this.#ports.inbox().snapshot?.counter ?? 0;
    const answer = { item, payload, fitsQueue, snapshotCounter };
    if (secret) return answers.sendOnce(answer, false);
    return this.#ports.agentAcks() ? answers.sendDurably(answer) : answers.sendOnce(answer, true);
  }

  /** Before anything is signed: a secret is never kept, and an agent without acks is answered now or not at all. */
  #assertReachable(secret: boolean): void {
    if (secret && !this.#ports.agentMayBeThere()) {
      throw new CountersignError(
        'unavailable',
        'The agent is not connected now, and this answer is secret: it was not kept. Answer again when the agent is online.',
      );
    }
    if (!this.#ports.agentAcks() && !this.#ports.snapshotIsFresh()) {
      throw new CountersignError(
        'unavailable',
        'This agent takes answers only while it is connected. Wait until it is online and its list is fresh.',
      );
    }
  }
}

/**
 * An answer given on a notification's button (03 §5): only to an item that says what the notification said, and of low or
 * normal risk. Must not know platforms or how anything is sent.
 */
import { CountersignError } from '@countersign/protocol';
import type { InboxItem, SentAnswer, ShownAnswer, ShownAnswerResult } from '../api.js';

export interface ShownAnswerPorts {
  /** Known from a snapshot or a notification. */
  find(requestId: string): InboxItem | undefined;
  /** Fresh and whole; undefined when it has ended. */
  load(item: InboxItem): Promise<InboxItem | undefined>;
  approve(item: InboxItem): Promise<SentAnswer>;
  reject(item: InboxItem): Promise<SentAnswer>;
}

/** @throws CountersignError as `Client.approve`, but for what the result says. */
export async function answerShown(
  { requestId, summary, decision }: ShownAnswer,
  ports: ShownAnswerPorts,
): Promise<ShownAnswerResult> {
  const known = ports.find(requestId);
  if (known === undefined || known.state === 'answered') return { result: 'ended' };
  const item = await ports.load(known);
  if (item === undefined || item.state === 'answered') return { result: 'ended' };
  // Still no more than announced: the agent does not answer.
  if (item.state === 'waiting') return { result: 'unreachable' };
  if (item.summary !== summary) return { result: 'differs' };
  if (item.kind !== 'approval' || item.risk === 'high') return { result: 'look' };
  try {
    const answer = decision === 'approve' ? await ports.approve(item) : await ports.reject(item);
    return { result: 'given', answer };
  } catch (error) {
    // Not offered, not whole, altered: a person has to look at it.
    if (error instanceof CountersignError && error.code === 'invalid_request') return { result: 'look' };
    throw error;
  }
}

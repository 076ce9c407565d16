/**
 * Gives an answer that was tapped on a notification and keeps it in the history. Runs in the page that is connected, or in
 * the worker when there is none. What may be answered this way, the SDK judges (03 §5).
 */
import type { Client, InboxItem, InboxSnapshot, ShownAnswer } from '@countersign/client-sdk';
import type { History } from '../state/history.js';
import type { ItemName, ShownOutcome } from './messages.js';

const CONFIRM_MS = 8_000;

export interface GivePorts {
  readonly client: Pick<Client, 'inbox' | 'answerShown'>;
  readonly history: Pick<History, 'add'>;
  now(): number;
}

/** Never rejects: what goes wrong is an outcome that the person is told. */
export async function giveShown(answer: ShownAnswer, ports: GivePorts): Promise<ShownOutcome> {
  try {
    return await give(answer, ports);
  } catch {
    // The outbox is full, or there is no such pairing any more: the app says more about it.
    return 'look';
  }
}

async function give(answer: ShownAnswer, { client, history, now }: GivePorts): Promise<ShownOutcome> {
  const before = itemOf(client.inbox.get(), answer);
  const given = await client.answerShown(answer);
  if (given.result !== 'given') return given.result;
  const item = itemOf(client.inbox.get(), answer) ?? before;
  const decision = answer.decision === 'approve' ? 'approved' : 'rejected';
  if (item !== undefined) await history.add(item, decision, given.answer, now());
  const { phase } = await given.answer.settled({ timeoutMs: CONFIRM_MS });
  if (phase === 'refused') return 'ended';
  return phase === 'confirmed' ? 'confirmed' : 'on_its_way';
}

export function itemOf(
  { items }: Pick<InboxSnapshot, 'items'>,
  { pairingId, requestId }: ItemName,
): InboxItem | undefined {
  return items.find((item) => item.pairingId === pairingId && item.requestId === requestId);
}

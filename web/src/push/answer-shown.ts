/**
 * Gives an answer that was tapped on a notification: only to an item that says what the notification said, and of low
 * or normal risk (03 §5). Runs in the page that is connected, or in the worker when there is none.
 */
import type { Client, InboxItem, InboxSnapshot, SentAnswer } from '@countersign/client-sdk';
import type { Act } from '../state/answering.js';
import { approvalOffer, hindranceOf } from '../state/decide.js';
import type { ShownAnswer, ShownOutcome } from './messages.js';

/** Connecting, and loading the item, each. */
const PATIENCE_MS = 10_000;
const CONFIRM_MS = 8_000;

export interface AnswerPorts {
  readonly client: Pick<Client, 'inbox' | 'load'>;
  /** Signs, sends, and keeps it in the history. */
  give(act: Act, item: InboxItem): Promise<Pick<SentAnswer, 'settled'>>;
}

/** Never rejects: what goes wrong is an outcome that the person is told. */
export async function answerShown(answer: ShownAnswer, ports: AnswerPorts): Promise<ShownOutcome> {
  try {
    return await attempt(answer, ports);
  } catch {
    // Whatever failed, nothing was sent, and the app says more about it.
    return 'look';
  }
}

async function attempt(answer: ShownAnswer, { client, give }: AnswerPorts): Promise<ShownOutcome> {
  if (!(await until(client, (inbox) => isOnline(inbox, answer)))) return 'unreachable';
  const known = itemOf(client.inbox.get(), answer);
  if (known === undefined || known.state === 'answered') return 'ended';
  const item = await client.load(known);
  if (item === undefined || item.state === 'answered') return 'ended';
  // Announced, and still no more than that: the agent does not answer.
  if (item.state === 'waiting') return 'unreachable';
  if (item.summary !== answer.summary) return 'differs';
  if (!mayAnswer(item, answer)) return 'look';
  const sent = await give(actOf(answer), item);
  const { phase } = await sent.settled({ timeoutMs: CONFIRM_MS });
  if (phase === 'refused') return 'ended';
  return phase === 'confirmed' ? 'confirmed' : 'on_its_way';
}

function mayAnswer(item: InboxItem, { decision }: ShownAnswer): boolean {
  if (item.kind !== 'approval' || item.risk === 'high') return false;
  if (decision === 'reject') return true;
  const hindrance = hindranceOf(item, { toItsEnd: false, leftMs: item.remainingMs });
  return hindrance === undefined && approvalOffer(item).once;
}

function actOf({ decision }: ShownAnswer): Act {
  return decision === 'approve' ? { kind: 'approve', options: { shown: 'summary' } } : { kind: 'reject' };
}

export function itemOf(
  { items }: Pick<InboxSnapshot, 'items'>,
  { pairingId, requestId }: Pick<ShownAnswer, 'pairingId' | 'requestId'>,
): InboxItem | undefined {
  return items.find((item) => item.pairingId === pairingId && item.requestId === requestId);
}

function isOnline({ pairings }: InboxSnapshot, { pairingId }: ShownAnswer): boolean {
  return pairings.some(({ id, connection }) => id === pairingId && connection === 'online');
}

/** False when it did not come true in time. */
function until({ inbox }: Pick<Client, 'inbox'>, holds: (inbox: InboxSnapshot) => boolean): Promise<boolean> {
  if (holds(inbox.get())) return Promise.resolve(true);
  return new Promise((resolve) => {
    const done = (came: boolean) => {
      clearTimeout(timer);
      stop();
      resolve(came);
    };
    const timer = setTimeout(() => done(false), PATIENCE_MS);
    const stop = inbox.subscribe((snapshot) => {
      if (holds(snapshot)) done(true);
    });
  });
}

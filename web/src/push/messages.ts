/**
 * What pages and the service worker say to each other. Both come from one origin, yet perhaps from two versions of the
 * app: readers take what fits and drop the rest. Must not know who acts on it.
 */
import type { Alert, ShownAnswer } from '@countersign/client-sdk';

/** An item, from any agent of this device. */
export interface ItemName {
  readonly pairingId: string;
  readonly requestId: string;
}

/** What became of an answer given on a notification. */
export const SHOWN_OUTCOMES = [
  'confirmed',
  /** Stored here, not confirmed by the agent yet. */
  'on_its_way',
  /** The item says something else than the notification did. */
  'differs',
  /** High risk, locked, or for another reason to be looked at first. */
  'look',
  'ended',
  'unreachable',
] as const;
export type ShownOutcome = (typeof SHOWN_OUTCOMES)[number];

/** Of the notification that says only that something waits. */
export const LOOK_TAG = 'look';

/** Said by the page that answers, before it does. */
export const TAKEN = 'taken';

export type ToPage =
  | ({ readonly type: 'go' } & ItemName)
  | { readonly type: 'go_inbox' | 'subscription_changed' }
  | ({ readonly type: 'answer' } & ShownAnswer);

export type ToWorker = { readonly type: 'take-over' } | { readonly type: 'show'; readonly alert: Alert };

/** Undefined for anything else, as of an older page. */
export function readToPage(data: unknown): ToPage | undefined {
  const { type } = fieldsOf(data);
  if (type === 'go_inbox' || type === 'subscription_changed') return { type };
  const answer = readShownAnswer(data);
  if (type === 'answer') return answer && { type, ...answer };
  const item = readItemName(data);
  return type === 'go' && item !== undefined ? { type, ...item } : undefined;
}

export function readToWorker(data: unknown): ToWorker | undefined {
  const { type, alert } = fieldsOf(data);
  if (type === 'take-over') return { type };
  const { id, pairingId, title, body } = fieldsOf(alert);
  const isAlert = [id, pairingId, title, body].every((member) => typeof member === 'string');
  return type === 'show' && isAlert ? { type, alert: alert as Alert } : undefined;
}

export function readShownOutcome(data: unknown): ShownOutcome | undefined {
  return SHOWN_OUTCOMES.find((one) => one === data);
}

export function readItemName(data: unknown): ItemName | undefined {
  const { pairingId, requestId } = fieldsOf(data);
  return typeof pairingId === 'string' && typeof requestId === 'string'
    ? { pairingId, requestId }
    : undefined;
}

export function readShownAnswer(data: unknown): ShownAnswer | undefined {
  const item = readItemName(data);
  const { summary, decision } = fieldsOf(data);
  if (item === undefined || typeof summary !== 'string') return undefined;
  return decision === 'approve' || decision === 'reject' ? { ...item, summary, decision } : undefined;
}

function fieldsOf(data: unknown): Partial<Record<string, unknown>> {
  return typeof data === 'object' && data !== null ? { ...data } : {};
}

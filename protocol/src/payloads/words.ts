/** The words of 03: kinds, choices, states. Must not know schemas or what anyone does with a word. */

export const ITEM_KINDS = ['approval', 'clarification', 'elicitation'] as const;
export type ItemKind = (typeof ITEM_KINDS)[number];

/** Kinds of payloads in force. */
export const KINDS = [
  'inbox_update',
  'notification',
  'hello',
  'inbox_request',
  'approval_response',
  'clarification_response',
  'elicitation_response',
  'ack',
  'logout',
  'bypass_end',
] as const;
export type Kind = (typeof KINDS)[number];

/** Answer kinds and the items they answer. */
export const ANSWERED_KIND = {
  approval_response: 'approval',
  clarification_response: 'clarification',
  elicitation_response: 'elicitation',
} as const satisfies Partial<Record<Kind, ItemKind>>;

export type AnswerKind = keyof typeof ANSWERED_KIND;

/** Whether a payload of this kind answers an item. */
export function isAnswerKind(kind: string): kind is AnswerKind {
  return Object.hasOwn(ANSWERED_KIND, kind);
}

/** What a host can take (03 §5). */
export const CHOICES = [
  'approve',
  'approve_session',
  'approve_for',
  'approve_rule',
  'edit',
  'reject',
  'reject_with_reason',
  'reject_and_stop',
  'respond',
] as const;
export type Choice = (typeof CHOICES)[number];

/** What an item without `choices` offers; `approve_for` then means 900 seconds and nothing else. */
export const DEFAULT_CHOICES: readonly Choice[] = [
  'approve',
  'approve_session',
  'approve_for',
  'reject',
  'reject_with_reason',
];

export const RISKS = ['low', 'normal', 'high'] as const;
export type Risk = (typeof RISKS)[number];

export const ACK_STATUSES = ['applied', 'already_decided', 'expired', 'unknown', 'invalid'] as const;
export type AckStatus = (typeof ACK_STATUSES)[number];

/** How an item may end; the `outcome` of an ack. */
export const OUTCOMES = ['approved', 'rejected', 'answered', 'expired', 'cancelled', 'superseded'] as const;
export type Outcome = (typeof OUTCOMES)[number];

/** Beginning of the request ids we make. Any other non-empty string is taken from others. */
export const REQUEST_ID_PREFIX: Readonly<Record<ItemKind, string>> = {
  approval: 'appr_',
  clarification: 'clar_',
  elicitation: 'elic_',
};

/**
 * The sentences a model reads about what became of its request (03 §5): never is silence told as a refusal.
 * Must not know rows or devices beyond a name.
 */
import type { CancelReason } from './stored-decision.js';

const CANCELLED: Readonly<Record<CancelReason, string>> = {
  aborted: 'The request was withdrawn before anyone decided; nothing was approved and nothing was refused.',
  agent_restarted:
    'The request was cancelled because the agent was restarted; nobody decided. Ask again if it is still needed.',
  no_device: 'The request was cancelled because no device is paired, so nobody could be asked.',
  closed: 'The request was cancelled because the agent was closed; nobody decided.',
};

export const TEXTS = {
  pending: 'Still waiting: the human has not decided yet. Do not act, and do not take it as a refusal.',
  expired: 'Nobody answered in time. This is not a refusal; the action did not run.',
  superseded: 'This request was replaced by a newer one and is void; the newer one decides.',
  unknown:
    'The action was approved and had started when the agent stopped: it may or may not have happened. Check before doing anything again.',
  lapsed: 'The action was approved, but nobody took the approval up in time; it did not run.',
  cancelled: (reason: CancelReason): string => CANCELLED[reason],
  approved: (by: string, changedTo?: string): string =>
    changedTo === undefined
      ? `Approved by the human on ${by}.`
      : `Approved by the human on ${by} with changed arguments: ${changedTo}`,
  approvedBefore: (ran: string): string =>
    `This was approved and its decision handed out before (${ran}); it must not run again.`,
  bypassed: (by: string): string => `Approved by a standing permission given on ${by}.`,
  rejected: (reason: string | undefined, stop: boolean): string =>
    `Rejected by the human${reason === undefined ? '.' : `: ${reason}`}${stop ? ' Stop here and do nothing further.' : ''}`,
  answered: (answer: string): string => `The human did not run the action but answered: ${answer}`,
  clarified: (answer: string): string => `The human answered: ${answer}`,
  accepted: 'The human gave the requested input.',
  forgotten:
    'The human answered, but the answer was sensitive and is not kept. Ask again if it is still needed.',
  declined: 'The human declined to give the requested input.',
  dismissed: 'The human dismissed the question without answering.',
} as const;

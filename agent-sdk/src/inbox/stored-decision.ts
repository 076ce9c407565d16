/** What is kept of a decision beside its state: JSON in the item's row, free of arguments. Must not know who writes it. */
import type { Approver, Scope } from '../api.js';

export type CancelReason = 'aborted' | 'agent_restarted' | 'no_device' | 'closed';

export interface StoredDecision {
  by?: Approver | undefined;
  reason?: string | undefined;
  stop?: boolean | undefined;
  scope?: Scope | undefined;
  modified?: boolean | undefined;
  /** Approved by a standing permission, without being asked. */
  bypassed?: boolean | undefined;
  answer?: string | undefined;
  action?: 'accept' | 'decline' | 'cancel' | undefined;
  /** Never of a sensitive elicitation. */
  content?: Record<string, unknown> | undefined;
  cancelled?: CancelReason | undefined;
  replacedBy?: string | undefined;
}

export function encodeDecision(decision: StoredDecision): string {
  return JSON.stringify(decision);
}

export function decodeDecision(text: string | null): StoredDecision {
  return text === null ? {} : (JSON.parse(text) as StoredDecision);
}

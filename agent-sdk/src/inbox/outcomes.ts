/** Turns the row of an ended item into what a host is told. Must not start, end or store anything. */
import type { ElicitationOutcome, EndedOutcome } from '../api.js';
import type { ItemRow } from '../store/index.js';
import { decodeDecision, type StoredDecision } from './stored-decision.js';
import { TEXTS } from './texts.js';

const UNKNOWN_APPROVER = { deviceId: '', name: 'a device that is no longer paired' };

/** Every end but an approval that is still to be handed out. */
export function endedOutcome(row: ItemRow): EndedOutcome {
  const decision = decodeDecision(row.decision);
  const receipt = receiptOf(row);
  const base = { requestId: row.requestId };
  const by = decision.by ?? UNKNOWN_APPROVER;
  switch (row.state) {
    case 'rejected': {
      const stop = decision.stop ?? false;
      const reason = decision.reason === undefined ? {} : { reason: decision.reason };
      return {
        ...base,
        status: 'rejected',
        ...reason,
        stop,
        by,
        ...receipt,
        text: TEXTS.rejected(decision.reason, stop),
      };
    }
    case 'answered': {
      const answer = decision.answer ?? '';
      const text = row.kind === 'approval' ? TEXTS.answered(answer) : TEXTS.clarified(answer);
      return { ...base, status: 'answered', answer, by, ...receipt, text };
    }
    case 'cancelled': {
      const reason = decision.cancelled ?? 'aborted';
      return { ...base, status: 'cancelled', reason, text: TEXTS.cancelled(reason) };
    }
    case 'superseded':
      return { ...base, status: 'superseded', replacedBy: decision.replacedBy ?? '', text: TEXTS.superseded };
    case 'expired':
      return { ...base, status: 'expired', text: TEXTS.expired };
    case 'approved':
      return row.run === 'lapsed'
        ? { ...base, status: 'expired', text: TEXTS.lapsed }
        : { ...base, status: 'unknown', text: TEXTS.unknown };
    case 'pending':
      throw new TypeError('A pending item has no outcome');
  }
}

/** `content` is the sensitive answer, if this process still holds it. */
export function elicitationOutcome(row: ItemRow, content?: Record<string, unknown>): ElicitationOutcome {
  if (row.state !== 'answered') return endedOutcome(row) as ElicitationOutcome;
  const decision = decodeDecision(row.decision);
  const base = { requestId: row.requestId, by: decision.by ?? UNKNOWN_APPROVER };
  if (decision.action !== 'accept') return { ...base, status: 'answered', ...declined(decision) };
  const given = content ?? decision.content;
  if (given === undefined) return { requestId: row.requestId, status: 'unknown', text: TEXTS.forgotten };
  return { ...base, status: 'answered', action: 'accept', content: given, text: TEXTS.accepted };
}

function declined({ action }: StoredDecision) {
  return action === 'decline'
    ? ({ action: 'decline', text: TEXTS.declined } as const)
    : ({ action: 'cancel', text: TEXTS.dismissed } as const);
}

export function receiptOf(row: ItemRow): { receipt?: Record<string, unknown> } {
  return row.receipt === null ? {} : { receipt: JSON.parse(row.receipt) as Record<string, unknown> };
}

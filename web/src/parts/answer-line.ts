/** What became of an answer, as one sentence (03 §5). */
import type { AnswerState } from '@countersign/client-sdk';
import { escapeToLine } from '@countersign/protocol/blocks';
import { spanText } from '../i18n/format.js';
import { t } from '../i18n/i18n.js';

const OUTCOMES = ['approved', 'rejected', 'answered', 'expired', 'cancelled', 'superseded'] as const;

export function answerLine(state: AnswerState): string {
  switch (state.phase) {
    case 'sending':
      return t('answer.sending');
    case 'sent':
      return t('answer.sent');
    case 'not_confirmed':
      return t('answer.notConfirmed');
    case 'confirmed':
      return state.bypassSecs === undefined
        ? t('answer.confirmed')
        : t('answer.confirmedFor', { span: spanText(state.bypassSecs) });
    case 'refused':
      return refusedLine(state);
  }
}

function refusedLine(state: Extract<AnswerState, { phase: 'refused' }>): string {
  switch (state.status) {
    case 'already_decided':
      return state.by === undefined
        ? t('answer.alreadyDecided', { outcome: outcomeWord(state.outcome) })
        : t('answer.alreadyDecidedBy', { outcome: outcomeWord(state.outcome), by: escapeToLine(state.by) });
    case 'expired':
      return t('answer.expired');
    case 'unknown':
      return t('answer.unknown');
    case 'offline':
      return t('answer.agentGone');
    default:
      return t('answer.invalid');
  }
}

/** Of an outcome this app does not know: the agent's own word. */
export function outcomeWord(outcome: string | undefined): string {
  const known = OUTCOMES.find((one) => one === outcome);
  return known === undefined ? escapeToLine(outcome ?? '?') : t(`outcome.${known}`);
}

/** What an `ack` makes of an answer, in words a person can act on. Pure. Must not know storage or sockets. */
import { CONTENT } from '@countersign/protocol';
import { titleLine } from '@countersign/protocol/blocks';
import type { AnswerState } from '../api.js';
import type { AnswerRecord } from './inbox-records.js';

export interface Ack {
  ref_id: string;
  request_id?: string | undefined;
  status: string;
  outcome?: string | undefined;
  by?: string | undefined;
  now?: number | undefined;
  bypass_secs?: number | undefined;
}

export interface AckEffect {
  state: AnswerState;
  /** The item can be answered again: this answer changed nothing. */
  reopens: boolean;
  /** The agent's clock as it said, when the answer was refused for its time. */
  agentNow?: number | undefined;
}

export function effectOfAck(received: Ack, answer: AnswerRecord): AckEffect {
  // Shown on every surface, and any text an agent writes.
  const outcome = received.outcome === undefined ? undefined : titleLine(received.outcome);
  const ack = { ...received, outcome };
  if (ack.status === 'applied') {
    return { state: { phase: 'confirmed', ...told(ack) }, reopens: false };
  }
  const skewMs = ack.status === 'expired' && ack.now !== undefined ? ack.now - answer.sentTs : 0;
  if (Math.abs(skewMs) > CONTENT.maxClockDistanceMs) {
    return { state: refused(ack, clockMessage(skewMs)), reopens: true, agentNow: ack.now };
  }
  return { state: refused(ack, messageOf(ack)), reopens: ack.status === 'invalid' };
}

function refused(ack: Ack, message: string): AnswerState {
  return { phase: 'refused', message, ...told(ack) };
}

function told(ack: Ack) {
  return {
    status: ack.status,
    ...(ack.outcome === undefined ? {} : { outcome: ack.outcome }),
    ...(ack.by === undefined ? {} : { by: ack.by }),
    ...(ack.bypass_secs === undefined ? {} : { bypassSecs: ack.bypass_secs }),
  };
}

function messageOf(ack: Ack): string {
  switch (ack.status) {
    case 'already_decided':
      return `Already decided${ack.outcome === undefined ? '' : `: ${ack.outcome}`}${ack.by === undefined ? '' : ` by ${ack.by}`}. Your answer changed nothing.`;
    case 'expired':
      return 'The item had expired before your answer reached the agent.';
    case 'unknown':
      return 'The agent does not know this item any more. Your answer changed nothing.';
    case 'invalid':
      return 'The agent refused the answer. Load the item again and answer anew.';
    default:
      return 'The agent did not take the answer.';
  }
}

const DAY_MS = 24 * 60 * 60 * 1000;

function clockMessage(skewMs: number): string {
  const days = Math.round(Math.abs(skewMs) / DAY_MS);
  const direction = skewMs > 0 ? 'behind' : 'ahead of';
  return `The clock of this device is ${days} days ${direction} the agent's, so the answer did not count. The agent's time is used from now on: answer again, and set the clock.`;
}

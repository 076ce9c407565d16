/** What a payload's `ts` means for it (03 §1). Must not read a clock. */
import { CONTENT } from '../frames/index.js';
import { isAnswerKind, type Kind } from './words.js';

const TAKEN_ANY_TIME: ReadonlySet<Kind> = new Set(['hello', 'inbox_request', 'logout', 'bypass_end']);

/**
 * `expired`: an answer to be acked `expired` with the agent's `now`. `dropped`: to be counted and forgotten.
 * @param agentNowMs the agent's clock; on a device, its own clock corrected by the newest live `ts`
 */
export function judgeTimestamp(kind: Kind, ts: number, agentNowMs: number): 'fresh' | 'expired' | 'dropped' {
  if (Math.abs(ts - agentNowMs) <= CONTENT.maxClockDistanceMs || TAKEN_ANY_TIME.has(kind)) return 'fresh';
  return isAnswerKind(kind) ? 'expired' : 'dropped';
}

/** An outcome as JSON can hold it. Must not know what becomes of it. */
import type { ApprovalOutcome, ElicitationOutcome } from '../api.js';

/** Without the functions of an approval. */
export function outcomeData(outcome: ApprovalOutcome | ElicitationOutcome): Record<string, unknown> {
  return Object.fromEntries(Object.entries(outcome).filter(([, value]) => typeof value !== 'function'));
}

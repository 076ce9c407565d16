/**
 * Runs what was approved and records what became of it, for an agent in this process and for one behind its socket.
 * Must not know how anything was asked.
 */
import type { ApprovalOutcome, RunOutcome } from '../api.js';

/**
 * Calls `fn` only for an approval, with the frozen arguments, and never for one that somebody else took up first.
 * An error of `fn` is recorded and thrown on.
 */
export async function runApproved<T>(
  outcome: ApprovalOutcome,
  fn: (args: unknown) => Promise<T> | T,
): Promise<RunOutcome<T>> {
  if (outcome.status !== 'approved' || outcome.earlier !== undefined) return { outcome };
  let result: T;
  try {
    result = await fn(outcome.argumentsText ?? outcome.arguments);
  } catch (error) {
    // Only its name is kept: a message may quote the arguments.
    await outcome.failed(error instanceof Error ? error.name : 'Error');
    throw error;
  }
  await outcome.done();
  return { outcome, result };
}

/** Joins what a script says with what the service would do by itself. Must not know any provider's rules. */
import type { Exchange } from './exchange.js';
import type { Step } from './script.js';
import type { Answer } from './traffic.js';

export interface Plan {
  /** What the step answers; undefined when it does not touch the answer. */
  readonly scripted: Answer | undefined;
  /** Applies the rules, delivers what passes, and says the answer. */
  readonly behave: () => Answer;
  /** Delivers without asking the rules. */
  readonly deliver: () => void;
}

/**
 * Delivery comes before any wait: a client that gives up has still sent its push. Returns the answer given, or undefined
 * where there was none.
 */
export async function respond(
  exchange: Exchange,
  step: Step | undefined,
  plan: Plan,
): Promise<Answer | undefined> {
  const faulty = step?.wire !== undefined || plan.scripted !== undefined;
  const answer = faulty ? plan.scripted : plan.behave();
  if (faulty && step?.delivered === true) plan.deliver();
  if (step !== undefined && !(await exchange.wait(step))) return undefined;
  if (step?.wire !== undefined) {
    exchange.fail(step.wire, step.status);
    return undefined;
  }
  if (answer !== undefined) exchange.answer(answer.status, answer.headers, answer.body);
  return answer;
}

/** True where a step says what to answer, in whatever words. */
export function speaks({ status, headers, body, retryAfter }: Step): boolean {
  return [status, headers, body, retryAfter].some((part) => part !== undefined);
}

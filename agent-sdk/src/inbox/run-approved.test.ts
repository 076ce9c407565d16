/** What is run of an outcome, and what never is. */
import { expect, it, vi } from 'vitest';
import type { ApprovedOutcome } from '../api.js';
import { runApproved } from './run-approved.js';

function approved(members: Partial<ApprovedOutcome> = {}): ApprovedOutcome {
  return {
    requestId: 'appr_1',
    status: 'approved',
    text: 'Approved.',
    arguments: { n: 1 },
    modified: false,
    scope: 'once',
    by: { deviceId: '', name: 'Phone' },
    done: vi.fn(async () => undefined),
    failed: vi.fn(async () => undefined),
    ...members,
  };
}

it('an approval runs with its frozen arguments and is recorded', async () => {
  const outcome = approved();
  expect(await runApproved(outcome, (args) => args)).toEqual({ outcome, result: { n: 1 } });
  expect(outcome.done).toHaveBeenCalledOnce();
});

it('an approval that somebody else took up first does not run again', async () => {
  const outcome = approved({ arguments: undefined, earlier: 'started' });
  const fn = vi.fn();
  expect(await runApproved(outcome, fn)).toEqual({ outcome });
  expect(fn).not.toHaveBeenCalled();
  expect(outcome.done).not.toHaveBeenCalled();
});

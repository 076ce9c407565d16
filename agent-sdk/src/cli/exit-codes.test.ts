import { CountersignError } from '@countersign/protocol';
import { describe, expect, it } from 'vitest';
import type { ApprovalOutcome } from '../api.js';
import { CliError, exitCodeOfError, exitCodeOfOutcome } from './exit-codes.js';

describe('the exit code of an outcome', () => {
  it.each([
    ['approved', 0],
    ['rejected', 1],
    ['answered', 1],
    ['expired', 3],
    ['cancelled', 4],
    ['superseded', 4],
    ['unknown', 5],
  ] as const)('that is %s is %d', (status, code) => {
    expect(exitCodeOfOutcome({ status } as ApprovalOutcome)).toBe(code);
  });

  it('that was handed out before is 5: it may have run', () => {
    expect(exitCodeOfOutcome({ status: 'approved', earlier: 'started' } as ApprovalOutcome)).toBe(5);
  });
});

describe('the exit code of an error', () => {
  it.each([
    [new CountersignError('invalid_request', ''), 2],
    [new CountersignError('payload_too_large', ''), 2],
    [new CountersignError('no_device', ''), 4],
    [new CountersignError('directory_in_use', ''), 5],
    [new CountersignError('timeout', ''), 5],
    [new CliError(130, ''), 130],
    [new TypeError('bug'), 5],
    [undefined, 5],
  ])('%s is %d', (error, code) => {
    expect(exitCodeOfError(error)).toBe(code);
  });
});

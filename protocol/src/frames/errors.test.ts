import { describe, expect, it } from 'vitest';
import { CLOSE, CountersignError, ERRORS, isErrorCode, isWireCode, WIRE_CODES } from './index.js';

describe('the error catalogue', () => {
  it('has exactly these codes on the wire', () => {
    expect(WIRE_CODES).toEqual([
      'challenge_timeout',
      'invalid_signature',
      'unauthorized',
      'not_found',
      'pairing_closed',
      'rate_limited',
      'payload_too_large',
      'queue_full',
      'bad_request',
      'unavailable',
    ]);
  });

  it('has exactly these codes in all', () => {
    expect(Object.keys(ERRORS).sort()).toEqual([
      'bad_request',
      'challenge_timeout',
      'clock_skew',
      'closed',
      'directory_in_use',
      'invalid_link',
      'invalid_request',
      'invalid_signature',
      'link_expired',
      'no_device',
      'node_too_old',
      'not_found',
      'not_paired',
      'pairing_closed',
      'payload_too_large',
      'port_in_use',
      'protocol',
      'queue_full',
      'rate_limited',
      'relay_binding',
      'seed_permissions',
      'state_corrupt',
      'state_locked',
      'state_newer',
      'state_permissions',
      'storage_full',
      'timeout',
      'unauthorized',
      'unavailable',
      'unsupported',
    ]);
  });

  it('says of every code who is at fault, whether to try again, and how it is counted', () => {
    for (const [code, traits] of Object.entries(ERRORS)) {
      expect(['peer', 'relay', 'host', 'person']).toContain(traits.fault);
      expect(['never', 'after', 'reconnect']).toContain(traits.retry);
      expect(traits.httpStatus).toBeGreaterThanOrEqual(400);
      expect(traits.metric).toBe(`countersign_error_${code}_total`);
    }
  });

  it('closes with these codes', () => {
    expect(CLOSE).toEqual({
      pairingDone: 1000,
      goingAway: 1001,
      policy: 1008,
      tooBig: 1009,
      tryLater: 1013,
      displaced: 4001,
      revoked: 4002,
      idle: 4003,
      tooSlow: 4004,
    });
    expect(ERRORS.challenge_timeout.closeCode).toBe(1008);
    expect(ERRORS.payload_too_large.closeCode).toBe(1009);
    expect(ERRORS.rate_limited.closeCode).toBe(1013);
    expect(ERRORS.unavailable.closeCode).toBe(1013);
    expect(ERRORS.queue_full).not.toHaveProperty('closeCode');
  });

  it('does not take a prototype member or a stranger for a code', () => {
    for (const text of ['__proto__', 'constructor', 'toString', '', 'Bad_request', 'bad_request ']) {
      expect(isErrorCode(text)).toBe(false);
      expect(isWireCode(text)).toBe(false);
    }
    expect(isErrorCode('clock_skew')).toBe(true);
    expect(isWireCode('clock_skew')).toBe(false);
    expect(isWireCode('unavailable')).toBe(true);
  });
});

describe('a CountersignError', () => {
  it('carries code, retry, cause and details', () => {
    const cause = new Error('inner');
    const error = new CountersignError('directory_in_use', 'in use', { cause, details: { pid: 7 } });
    expect(error).toMatchObject({
      name: 'CountersignError',
      code: 'directory_in_use',
      retry: 'after',
      message: 'in use',
      cause,
      details: { pid: 7 },
    });
    expect(error).toBeInstanceOf(Error);
  });

  it('has no cause and no details unless given', () => {
    const error = new CountersignError('closed', 'closed');
    expect('cause' in error).toBe(false);
    expect(error.details).toEqual({});
  });
});

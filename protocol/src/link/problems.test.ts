import { describe, expect, it } from 'vitest';
import { WIRE_CODES } from '../frames/index.js';
import { errorOfProblem, problem, problemOfClose, problemOfWire } from './problems.js';

const who = { role: 'client', authority: 'relay.example', hasInvite: false } as const;
const never = (cause: string) => problemOfClose({ code: 1006, reason: '', cause }, who, undefined).code;

describe('why a connection never opened', () => {
  it.each([
    'CERT_HAS_EXPIRED',
    'DEPTH_ZERO_SELF_SIGNED_CERT',
    'SELF_SIGNED_CERT_IN_CHAIN',
    'UNABLE_TO_VERIFY_LEAF_SIGNATURE',
    'ERR_TLS_CERT_ALTNAME_INVALID',
    'EPROTO',
  ])('%s is the certificate', (cause) => {
    expect(never(cause)).toBe('tls');
  });

  it.each(['ECONNREFUSED', 'ENOTFOUND', 'EAI_AGAIN', 'ETIMEDOUT', 'EHOSTUNREACH', 'failed'])(
    '%s is the network',
    (cause) => {
      expect(never(cause)).toBe('unreachable');
    },
  );
});

describe('what a problem says', () => {
  it('every code of the wire has a sentence for every role', () => {
    for (const code of WIRE_CODES) {
      for (const role of ['agent', 'client', 'pairing'] as const) {
        expect(problem(code, { ...who, role })).toMatchObject({
          code,
          message: expect.stringMatching(/^[A-Z].*\.$/s),
        });
      }
    }
  });

  it('an agent with an invite hears that it was the wrong one', () => {
    expect(problemOfWire('unauthorized', { ...who, role: 'agent', hasInvite: true }).message).toMatch(
      /this invite/,
    );
  });

  it('keeps its code as an exception where the catalogue has it, and the nearest where not', () => {
    const codeOf = (code: Parameters<typeof problem>[0]) => errorOfProblem(problem(code, who)).code;
    expect(codeOf('pairing_closed')).toBe('pairing_closed');
    expect(codeOf('relay_binding')).toBe('relay_binding');
    expect(codeOf('origin_refused')).toBe('unauthorized');
    expect(codeOf('tls')).toBe('unavailable');
    expect(codeOf('unreachable')).toBe('unavailable');
  });
});

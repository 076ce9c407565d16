import { describe, expect, it } from 'vitest';
import type { RiskEstimate } from './describer.js';
import { createRegistry } from './registry.js';
import { withClaims } from './server-claims.js';

const UNKNOWN: RiskEstimate = { level: 'normal', reasons: [] };
const LOW: RiskEstimate = { level: 'low', reasons: ['only looks'] };
const HIGH: RiskEstimate = { level: 'high', reasons: ['deletes a'] };

describe('what a server claims of its tool', () => {
  it.each([
    ['destructiveHint', true, LOW, 'high', ['the server says it may destroy something', 'only looks']],
    ['openWorldHint', true, LOW, 'normal', ['the server says it reaches beyond itself', 'only looks']],
    ['readOnlyHint', false, LOW, 'normal', ['the server says it changes something', 'only looks']],
    ['readOnlyHint', false, HIGH, 'high', ['deletes a', 'the server says it changes something']],
  ] as const)('%s: %s may make a call graver, with the reason', (hint, value, before, level, reasons) => {
    expect(withClaims(before, { [hint]: value })).toEqual({ level, reasons });
  });

  it('makes a call lighter only where nothing else is known of it', () => {
    const claim = { readOnlyHint: true, destructiveHint: true };
    expect(withClaims(UNKNOWN, claim)).toEqual({ level: 'low', reasons: ['the server says it only reads'] });
    expect(withClaims(HIGH, claim)).toEqual({
      level: 'high',
      reasons: ['deletes a', 'the server says it only reads'],
    });
  });

  it.each([[undefined], [null], [7], ['x'], [{}], [{ destructiveHint: 'true', readOnlyHint: 1 }]])(
    'counts for nothing when it is nonsense: %j',
    (annotations) => {
      expect(withClaims(UNKNOWN, annotations)).toEqual(UNKNOWN);
      expect(withClaims(UNKNOWN, Object.create({ destructiveHint: true }))).toEqual(UNKNOWN);
    },
  );

  it('is weighed for every tool: built in, of the host, known to nobody, without named arguments', () => {
    const registry = createRegistry();
    registry.add('mine', { summary: () => 'x', view: () => [{ type: 'key_value', key: 'a', value: 'b' }] });
    const annotations = { destructiveHint: true };
    for (const [tool, args] of [
      ['Bash', { command: 'ls' }],
      ['mine', {}],
      ['zzz', { a: 1 }],
      ['zzz', [1]],
    ])
      expect(registry.risk(String(tool), args, { annotations })).toMatchObject({ level: 'high' });
  });
});

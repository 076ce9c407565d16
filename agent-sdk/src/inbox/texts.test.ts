import { describe, expect, it } from 'vitest';
import { TEXTS } from './texts.js';

describe('what a model is told', () => {
  it('differs between waiting, silence, refusal and withdrawal', () => {
    const four = [TEXTS.pending, TEXTS.expired, TEXTS.rejected(undefined, false), TEXTS.cancelled('aborted')];
    expect(new Set(four).size).toBe(4);
    expect(four.filter((text) => text.includes('Rejected'))).toHaveLength(1);
  });

  it('has the reason of a refusal and whether to stop', () => {
    expect(TEXTS.rejected('too risky', false)).toContain('too risky');
    expect(TEXTS.rejected(undefined, true)).toContain('Stop');
  });
});

/** What is offered for an approval, and what stands in its way. */
import { describe, expect, it } from 'vitest';
import { approvalOffer, hindranceOf } from './decide.js';

const NOTHING = {
  once: false,
  session: false,
  forSecs: undefined,
  rules: [],
  edit: false,
  reason: false,
  stop: false,
  respond: false,
};

describe('the choices', () => {
  it('are those of older agents when the item names none', () => {
    const offer = approvalOffer({ entry: {}, state: 'open' });
    expect(offer).toEqual({ ...NOTHING, once: true, session: true, forSecs: 900, reason: true });
  });

  it('are exactly those of the item', () => {
    const offer = approvalOffer({ entry: { choices: ['approve', 'reject'] }, state: 'open' });
    expect(offer).toEqual({ ...NOTHING, once: true });
  });

  it('name a rule by its label, or by its id', () => {
    const entry = { choices: ['approve_rule'], rules: [{ id: 'a', label: 'git status' }, { id: 'b' }] };
    expect(approvalOffer({ entry, state: 'open' }).rules).toEqual([
      { id: 'a', label: 'git status' },
      { id: 'b', label: 'b' },
    ]);
  });

  it('have no editing without a schema', () => {
    const choices = ['approve', 'edit'];
    expect(approvalOffer({ entry: { choices }, state: 'open' }).edit).toBe(false);
    expect(approvalOffer({ entry: { choices, input_schema: {} }, state: 'open' }).edit).toBe(true);
  });

  it.each(['waiting', 'unreadable'] as const)('are none of an item that is %s', (state) => {
    expect(approvalOffer({ entry: {}, state })).toEqual(NOTHING);
  });
});

describe('an approval', () => {
  const item = { state: 'open', digest: 'ab', digestMatches: true, whole: true, risk: 'normal' } as const;
  const seen = { toItsEnd: false, leftMs: 1 };

  it('is possible for a whole item, unseen to its end unless it is high risk', () => {
    expect(hindranceOf(item, seen)).toBeUndefined();
    expect(hindranceOf({ ...item, risk: 'high' }, seen)).toBe('unseen');
    expect(hindranceOf({ ...item, risk: 'high' }, { ...seen, toItsEnd: true })).toBeUndefined();
  });

  it.each([
    [{ state: 'waiting' }, 'waiting'],
    [{ state: 'unreadable' }, 'unreadable'],
    [{ digestMatches: false }, 'altered'],
    [{ digest: '' }, 'altered'],
    [{ whole: false }, 'partial'],
  ] as const)('of %j is hindered: %s', (change, hindrance) => {
    expect(hindranceOf({ ...item, ...change }, seen)).toBe(hindrance);
  });

  it('is over with its time', () => {
    expect(hindranceOf(item, { toItsEnd: true, leftMs: 0 })).toBe('expired');
  });
});

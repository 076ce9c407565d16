import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { CONTENT } from '../frames/index.js';
import { judgeBypass } from './bypass.js';
import { judgeApproval, notOffered, type ResponseMembers } from './judge.js';
import { offerOf, offers } from './offer.js';
import { CHOICES, DEFAULT_CHOICES } from './words.js';

const newer = { namedChoices: true };
const older = { namedChoices: false };
const approve = (members: object = {}): ResponseMembers => ({ decision: 'approved', ...members });
const reject = (members: object = {}): ResponseMembers => ({ decision: 'rejected', ...members });
const invalid = (member: string) => ({ verdict: 'invalid', member });
const once = { verdict: 'approved', scope: 'once' };

const everything = {
  choices: CHOICES,
  rules: [{ id: 'r1', label: 'Always in this folder' }],
  input_schema: { type: 'object' },
};

describe('what an item offers', () => {
  it('without choices: approve, 15 minutes, the session, reject with and without a reason', () => {
    expect(offerOf({})).toEqual({ choices: DEFAULT_CHOICES, bypassSecs: [900], ruleIds: [] });
    expect(offerOf({ choices: null }).choices).toEqual(DEFAULT_CHOICES);
  });

  it('is what it lists, in the usual order and without names nobody knows', () => {
    expect(offerOf({ choices: ['reject', 'sing', 'approve', 7] }).choices).toEqual(['approve', 'reject']);
    expect(offerOf({ choices: 'approve' }).choices).toEqual([]);
    expect(offers({ choices: [] }, 'approve')).toBe(false);
  });

  it('is no edit without a schema and no rule without rules', () => {
    expect(offerOf({ choices: ['edit', 'approve_rule'] }).choices).toEqual([]);
    expect(offerOf({ choices: ['approve_rule'], rules: [{ label: 'no id' }, 5] }).choices).toEqual([]);
    expect(offerOf(everything).choices).toEqual(CHOICES);
    expect(offerOf(everything).ruleIds).toEqual(['r1']);
  });
});

describe('a bypass', () => {
  it.each([
    [undefined, { asks: 'once' }],
    [0, { asks: 'session' }],
    [1, { asks: 'time', secs: 1, wanted: 1 }],
    [900, { asks: 'time', secs: 900, wanted: 900 }],
    [CONTENT.maxBypassSeconds, { asks: 'time', secs: 86_400, wanted: 86_400 }],
  ])('of %s is taken', (value, verdict) => {
    expect(judgeBypass(value)).toEqual(verdict);
  });

  it.each([null, -1, 0.5, 900.5, 86_401, Number.NaN, Number.POSITIVE_INFINITY, '900', true, [900], {}])(
    'of %j is invalid',
    (value) => {
      expect(judgeBypass(value)).toEqual({ asks: 'invalid' });
    },
  );

  it('is lowered to the ceiling, and is nothing where nothing may last', () => {
    expect(judgeBypass(900, 300)).toEqual({ asks: 'time', secs: 300, wanted: 900 });
    expect(judgeBypass(900, 0)).toEqual({ asks: 'once' });
  });
});

describe('an approval', () => {
  it('is once without anything beside it', () => {
    expect(judgeApproval(approve(), {}, newer)).toEqual(once);
  });

  it('lasts as long as was offered', () => {
    expect(judgeApproval(approve({ bypass_secs: 900 }), {}, newer)).toEqual({
      ...once,
      scope: { forSecs: 900 },
    });
    expect(judgeApproval(approve({ bypass_secs: 0 }), {}, newer)).toEqual({ ...once, scope: 'session' });
    expect(judgeApproval(approve({ rule_id: 'r1' }), everything, newer)).toEqual({
      ...once,
      scope: { ruleId: 'r1' },
    });
    expect(judgeApproval(approve({ bypass_secs: 77 }), everything, newer)).toEqual({
      ...once,
      scope: { forSecs: 77 },
    });
  });

  it('says what a bypass was lowered to', () => {
    const options = { ...newer, bypassCeilingSecs: 60 };
    expect(judgeApproval(approve({ bypass_secs: 900 }), {}, options)).toEqual({
      verdict: 'approved',
      scope: { forSecs: 60 },
      loweredToSecs: 60,
    });
  });

  it('that took over two minutes is once, at exactly two it is not', () => {
    const late = (decidedAgoMs: number) =>
      judgeApproval(approve({ bypass_secs: 0 }), {}, { ...newer, decidedAgoMs });
    expect(late(CONTENT.freshAnswerMs)).toEqual({ ...once, scope: 'session' });
    expect(late(CONTENT.freshAnswerMs + 1)).toEqual(once);
  });

  it('carries changed arguments where editing is offered', () => {
    const edited = judgeApproval(approve({ modified_arguments: { a: 1 } }), everything, newer);
    expect(edited).toEqual({ ...once, modifiedArguments: { a: 1 } });
  });

  it.each<[string, object, object, string]>([
    ['a time that is not offered', { bypass_secs: 300 }, {}, 'bypass_secs'],
    ['a session that is not offered', { bypass_secs: 0 }, { choices: ['approve', 'reject'] }, 'bypass_secs'],
    ['a rule that is not offered', { rule_id: 'r1' }, {}, 'rule_id'],
    ['a rule of another item', { rule_id: 'r9' }, everything, 'rule_id'],
    ['approving where only rejecting is offered', {}, { choices: ['reject'] }, 'decision'],
  ])(
    'that asks for %s is refused, and reduced for an older device if it can be',
    (_name, members, item, member) => {
      expect(judgeApproval(approve(members), item, newer)).toEqual(invalid(member));
      expect(judgeApproval(approve(members), item, older)).toEqual(
        member === 'decision' ? invalid(member) : once,
      );
    },
  );

  it.each<[string, object, object, string]>([
    ['an invalid time', { bypass_secs: null }, everything, 'bypass_secs'],
    ['changed arguments that were not asked for', { modified_arguments: { a: 1 } }, {}, 'modified_arguments'],
    ['changed arguments that are a list', { modified_arguments: [1] }, everything, 'modified_arguments'],
    ['a rule and a time', { rule_id: 'r1', bypass_secs: 900 }, everything, 'rule_id'],
    ['a rule that is no name', { rule_id: 5 }, everything, 'rule_id'],
    ['a stop', { stop: true }, everything, 'stop'],
    ['an answer', { respond: true }, everything, 'respond'],
  ])('with %s is refused from every device', (_name, members, item, member) => {
    expect(judgeApproval(approve(members), item, newer)).toEqual(invalid(member));
    expect(judgeApproval(approve(members), item, older)).toEqual(invalid(member));
  });
});

describe('a rejection', () => {
  it('always applies, with its reason, whatever is offered and whatever stands beside it', () => {
    const rubbish = { bypass_secs: null, modified_arguments: 5, rule_id: {}, stop: 'x', respond: 1 };
    for (const item of [{}, everything, { choices: [] }, { choices: ['approve'] }]) {
      for (const options of [newer, older]) {
        expect(judgeApproval(reject({ reason: 'no', ...rubbish }), item, options)).toEqual({
          verdict: 'rejected',
          reason: 'no',
          stop: false,
        });
      }
    }
  });

  it('stops the run only where that is offered', () => {
    expect(judgeApproval(reject({ stop: true }), everything, newer)).toEqual({
      verdict: 'rejected',
      stop: true,
    });
    expect(judgeApproval(reject({ stop: true }), {}, newer)).toEqual(invalid('stop'));
    expect(judgeApproval(reject({ stop: true }), {}, older)).toEqual({ verdict: 'rejected', stop: false });
  });

  it('is an answer where that is offered, and needs a text', () => {
    const answer = reject({ respond: true, reason: 'use main' });
    expect(judgeApproval(answer, everything, newer)).toEqual({ verdict: 'answered', answer: 'use main' });
    expect(judgeApproval(answer, {}, newer)).toEqual(invalid('respond'));
    expect(judgeApproval(answer, {}, older)).toEqual({
      verdict: 'rejected',
      reason: 'use main',
      stop: false,
    });
    expect(judgeApproval(reject({ respond: true }), everything, newer)).toEqual(invalid('reason'));
    expect(judgeApproval(reject({ respond: true, stop: true, reason: 'x' }), everything, newer)).toEqual(
      invalid('stop'),
    );
  });
});

describe('a device', () => {
  it('finds out before it signs what is not offered', () => {
    expect(notOffered(approve(), {})).toBeUndefined();
    expect(notOffered(approve({ bypass_secs: 60 }), {})).toBe('bypass_secs');
    expect(notOffered(reject({ reason: 'no' }), { choices: ['approve', 'reject'] })).toBe('reason');
    expect(notOffered(reject(), { choices: ['approve'] })).toBeUndefined();
    expect(
      notOffered(reject({ stop: true, reason: 'no' }), { choices: ['reject_and_stop'] }),
    ).toBeUndefined();
  });
});

it('judging throws at nothing, and nothing is approved that offers no approving', () => {
  const rubbish = fc.anything();
  const response = fc.record({
    decision: fc.constantFrom('approved' as const, 'rejected' as const),
    reason: fc.option(fc.string(), { nil: undefined }),
    bypass_secs: rubbish,
    modified_arguments: rubbish,
    rule_id: rubbish,
    stop: rubbish,
    respond: rubbish,
  });
  const item = fc.record({ choices: rubbish, rules: rubbish, input_schema: rubbish });
  fc.assert(
    fc.property(response, item, fc.boolean(), (answer, offering, namedChoices) => {
      const { verdict } = judgeApproval(answer, offering, { namedChoices });
      if (verdict === 'approved') {
        expect(
          offerOf(offering).choices.some((choice) => choice.startsWith('approve') || choice === 'edit'),
        ).toBe(true);
      }
    }),
  );
});

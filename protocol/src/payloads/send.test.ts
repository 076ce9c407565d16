import { describe, expect, it } from 'vitest';
import { CONTENT, CountersignError } from '../frames/index.js';
import { approval, NOW, samples } from './payload.fixtures.js';
import { newEnvelope } from './payload.js';
import { checkSend } from './send.js';

function memberAtFault(payload: unknown): unknown {
  try {
    checkSend(payload);
  } catch (error) {
    if (!(error instanceof CountersignError)) throw error;
    expect(error.code).toBe('invalid_request');
    return error.details.member;
  }
  return undefined;
}

const update = (entry: object) => ({ ...samples.inbox_update, approvals: [entry] });
const reply = (members: object) => ({ ...samples.approval_response, ...members });
const note = (members: object) => ({
  v: 1,
  kind: 'notification',
  id: samples.ack.id,
  ts: NOW,
  title: 'demo',
  ...members,
});

describe('a payload is sent', () => {
  it.each(Object.entries(samples))('as it is: %s', (_kind, payload) => {
    expect(checkSend(payload)).toBe(payload);
  });
});

describe('a payload is refused, and the member named', () => {
  it.each<[string, unknown, string]>([
    ['no object', null, 'kind'],
    ['an unknown kind', { ...samples.logout, kind: 'poem' }, 'kind'],
    ['a kind of a prototype', { ...samples.logout, kind: 'constructor' }, 'kind'],
    ['another version', { ...samples.logout, v: 2 }, 'v'],
    ['an id that is no UUID', { ...samples.logout, id: 'x' }, 'id'],
    ['a time that is no integer', { ...samples.logout, ts: 1.5 }, 'ts'],
    ['an unknown member', { ...samples.logout, colour: 'red' }, 'colour'],
    ['an unknown member of an item', update({ ...approval, colour: 'red' }), 'approvals.0.colour'],
    ['an approval without an end', update({ ...approval, expires_at: undefined }), 'approvals.0.expires_at'],
    ['a foreign request id', update({ ...approval, request_id: 'x1' }), 'approvals.0.request_id'],
    ['a summary of 121', update({ ...approval, summary: 'x'.repeat(121) }), 'approvals.0.summary'],
    ['a summary of two lines', update({ ...approval, summary: 'a\nb' }), 'approvals.0.summary'],
    [
      'a summary with a hidden character',
      update({ ...approval, summary: 'a\u202Eb' }),
      'approvals.0.summary',
    ],
    ['an empty summary', update({ ...approval, summary: '' }), 'approvals.0.summary'],
    ['a label of 65', update({ ...approval, agent_label: 'x'.repeat(65) }), 'approvals.0.agent_label'],
    ['a capital digest', update({ ...approval, digest: 'AB'.repeat(32) }), 'approvals.0.digest'],
    ['arguments that are a list', update({ ...approval, arguments: [] }), 'approvals.0.arguments'],
    ['arguments and their text', update({ ...approval, arguments_text: '{}' }), 'approvals.0.arguments_text'],
    ['an unknown choice', update({ ...approval, choices: ['sing'] }), 'approvals.0.choices.0'],
    ['a bare list of blocks', update({ ...approval, blocks: [] }), 'approvals.0.blocks'],
    ['a feature nobody knows', { ...samples.hello, supports: ['sing'] }, 'supports.0'],
    ['a bypass with a rejection', reply({ decision: 'rejected', bypass_secs: 900 }), 'bypass_secs'],
    ['a bypass over a day', reply({ bypass_secs: CONTENT.maxBypassSeconds + 1 }), 'bypass_secs'],
    ['a bypass and a rule', reply({ bypass_secs: 900, rule_id: 'r' }), 'rule_id'],
    ['a stop with an approval', reply({ stop: true }), 'stop'],
    [
      'an edit with a rejection',
      reply({ decision: 'rejected', modified_arguments: {} }),
      'modified_arguments',
    ],
    ['an answer with an approval', reply({ respond: true, reason: 'x' }), 'respond'],
    ['an answer without text', reply({ decision: 'rejected', respond: true }), 'reason'],
    ['a lone surrogate', reply({ decision: 'rejected', reason: '\uD800' }), 'reason'],
    ['content with decline', { ...samples.elicitation_response, action: 'decline' }, 'content'],
    ['a body that is no summary', note({ request_id: 'appr_1', body: 'x'.repeat(121) }), 'body'],
    ['a title of 65', note({ body: 'x', title: 'x'.repeat(65) }), 'title'],
    [
      'a url that is not https',
      {
        ...samples.inbox_update,
        elicitations: [{ ...samples.inbox_update.elicitations[0], url: 'http://x' }],
      },
      'elicitations.0.url',
    ],
  ])('%s', (_name, payload, member) => {
    expect(memberAtFault(payload)).toBe(member);
  });

  it('an information of more than 1,024 bytes as JSON, quotes and escapes counted', () => {
    const room = CONTENT.maxInfoBodyBytes - 2;
    expect(memberAtFault(note({ body: 'x'.repeat(room) }))).toBeUndefined();
    expect(memberAtFault(note({ body: 'x'.repeat(room + 1) }))).toBe('body');
    expect(memberAtFault(note({ body: '\n'.repeat(room / 2) }))).toBeUndefined();
    expect(memberAtFault(note({ body: `${'\n'.repeat(room / 2)}x` }))).toBe('body');
  });

  it('never with the value in the message', () => {
    expect(() => checkSend(reply({ reason: 'hidden\uD800value', decision: 'rejected' }))).not.toThrow(
      /hidden/,
    );
  });
});

it('a new envelope has a UUID of version 4 and whole milliseconds', () => {
  const envelope = newEnvelope('logout', NOW + 0.7, new Uint8Array(16).fill(0xff));
  expect(envelope).toEqual({ v: 1, kind: 'logout', id: 'ffffffff-ffff-4fff-bfff-ffffffffffff', ts: NOW });
  expect(checkSend(envelope)).toBe(envelope);
  expect(newEnvelope('ack', NOW, () => 'given').id).toBe('given');
});

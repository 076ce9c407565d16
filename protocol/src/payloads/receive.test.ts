import { readFileSync } from 'node:fs';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { degradeView } from '../blocks/index.js';
import { CONTENT } from '../frames/index.js';
import { approval, clarification, elicitation, ID, NOW, samples } from './payload.fixtures.js';
import type { ReceivedPayload } from './payload.js';
import { receivePayload } from './receive.js';
import type { Kind } from './words.js';

const relay = JSON.parse(readFileSync(new URL('../../vectors/relay-v2.json', import.meta.url), 'utf8')) as {
  inputs: { plaintext_a2c: string; plaintext_c2a: string };
};

function take<K extends Kind>(kind: K, members: object): Extract<ReceivedPayload, { kind: K }> {
  const read = receivePayload({ v: 1, kind, id: ID, ts: NOW, ...members });
  if (!('ok' in read)) throw new Error(read.dropped);
  return read.ok as never;
}

/** The item read from one approval entry. */
function takeApproval(entry: unknown) {
  const [received] = take('inbox_update', { approvals: [entry] }).approvals;
  if (received === undefined || received.unreadable) throw new Error('unreadable');
  return received.item;
}

describe('what our own SDKs send is read', () => {
  it.each(Object.entries(samples))('%s', (kind, payload) => {
    expect(receivePayload(JSON.parse(JSON.stringify(payload)))).toMatchObject({
      ok: { kind, id: ID, ts: NOW },
    });
  });

  it('with every item readable and its entry beside it', () => {
    const { approvals, clarifications, elicitations } = take('inbox_update', samples.inbox_update);
    expect(approvals).toMatchObject([
      { unreadable: false, kind: 'approval', request_id: 'appr_01', raw: approval },
    ]);
    expect(clarifications).toMatchObject([{ unreadable: false, raw: clarification }]);
    expect(elicitations).toMatchObject([{ unreadable: false, raw: elicitation }]);
    expect(approvals[0]?.raw).toBe(samples.inbox_update.approvals[0]);
  });
});

describe('the published plaintexts are read', () => {
  it('an inbox_update without elicitations, end, or supports', () => {
    const read = receivePayload(JSON.parse(relay.inputs.plaintext_a2c));
    expect(read).toMatchObject({
      ok: {
        badge: 1,
        supports: [],
        clarifications: [],
        elicitations: [],
        approvals: [{ request_id: 'appr_test_1' }],
      },
    });
  });

  it('an approval_response', () => {
    const read = receivePayload(JSON.parse(relay.inputs.plaintext_c2a));
    expect(read).toMatchObject({ ok: { request_id: 'appr_test_1', decision: 'approved' } });
  });
});

describe('a payload is dropped', () => {
  it.each<[string, unknown, string]>([
    ['an unknown kind', { v: 1, kind: 'session_page', id: ID, ts: NOW }, 'unknown_kind'],
    ['a kind of a prototype', { v: 1, kind: 'toString', id: ID, ts: NOW }, 'unknown_kind'],
    ['a kind that is no string', { v: 1, kind: ['ack'], id: ID, ts: NOW }, 'unknown_kind'],
    ['another version', { ...samples.ack, v: 2 }, 'unknown_version'],
    ['a version as text', { ...samples.ack, v: '1' }, 'unknown_version'],
    ['no version', { kind: 'ack', id: ID, ts: NOW }, 'unknown_version'],
    ['no id', { ...samples.logout, id: undefined }, 'malformed'],
    ['an id beyond the limit', { ...samples.logout, id: 'x'.repeat(129) }, 'malformed'],
    ['a time that is text', { ...samples.logout, ts: 'now' }, 'malformed'],
    ['a list that is none', { ...samples.inbox_update, approvals: 5 }, 'malformed'],
    ['a list', [], 'malformed'],
    ['null', null, 'malformed'],
    ['a decision nobody knows', { ...samples.approval_response, decision: 'maybe' }, 'malformed'],
  ])('%s', (_name, value, dropped) => {
    expect(receivePayload(value)).toMatchObject({ dropped });
  });

  it('a malformed answer with what an ack needs', () => {
    expect(receivePayload({ ...samples.approval_response, decision: 7 })).toEqual({
      dropped: 'malformed',
      kind: 'approval_response',
      id: ID,
      request_id: 'appr_01',
    });
  });
});

describe('wide', () => {
  it('unknown members are ignored and kept in the entry', () => {
    const entry = { ...approval, colour: 'red' };
    const [received] = take('inbox_update', { approvals: [entry], mood: 'good' }).approvals;
    expect(received).toMatchObject({ unreadable: false, raw: { colour: 'red' } });
    expect(received?.unreadable === false && 'colour' in received.item).toBe(false);
  });

  it('null lists and null optional members are absent', () => {
    const nulls = {
      blocks: null,
      arguments: null,
      detail: null,
      digest: null,
      choices: null,
      session_id: null,
    };
    const read = take('inbox_update', { approvals: [{ ...approval, ...nulls }], clarifications: null });
    expect(read.clarifications).toEqual([]);
    const [received] = read.approvals;
    expect(received?.unreadable === false && [received.item.choices, received.item.digest]).toEqual([
      undefined,
      undefined,
    ]);
    expect(take('notification', { title: 't', body: 'b', request_id: null }).request_id).toBeUndefined();
  });

  it('a null field_name keeps its meaning and an absent one is the same', () => {
    for (const field_name of [null, undefined]) {
      const [item] = take('inbox_update', { elicitations: [{ ...elicitation, field_name }] }).elicitations;
      expect(item?.unreadable === false && item.item.field_name).toBe(null);
    }
  });

  it('a null bypass_secs stays null, to be refused', () => {
    const reply = { request_id: 'a', decision: 'approved', bypass_secs: null, reason: null };
    expect(take('approval_response', reply).bypass_secs).toBe(null);
    expect(take('approval_response', reply).reason).toBeUndefined();
  });

  it('any text is a request id, capital hex is hex', () => {
    expect(takeApproval({ ...approval, request_id: '💥 7' }).request_id).toBe('💥 7');
    expect(takeApproval({ ...approval, digest: 'AB'.repeat(32) }).digest).toBe('ab'.repeat(32));
  });

  it('a long or hidden summary is shortened and escaped for display', () => {
    const { summary } = takeApproval({ ...approval, summary: `\u202E${'x'.repeat(300)}` });
    expect(summary.startsWith('⟨U+202E⟩xxx')).toBe(true);
    expect([...summary].length).toBe(CONTENT.maxSummaryCodePoints);
  });

  it('a risk nobody knows is high', () => {
    expect(takeApproval({ ...approval, risk: 'cosmic' }).risk).toBe('high');
    expect(takeApproval(approval).risk).toBeUndefined();
  });

  it('choices that are no list offer nothing', () => {
    expect(takeApproval({ ...approval, choices: 'approve' }).choices).toEqual([]);
  });

  it('a rejection comes through whatever stands beside it', () => {
    const read = take('approval_response', {
      request_id: 'a',
      decision: 'rejected',
      reason: 5,
      receipt: 'rubbish',
      modified_arguments: [],
      stop: 'yes',
    });
    expect(read).toMatchObject({ decision: 'rejected', receipt: 'rubbish' });
    expect(read.reason).toBeUndefined();
  });

  it('a bare list of blocks with a version beside it is there for degrading', () => {
    const item = takeApproval({ ...approval, v: 1, blocks: [{ key: 'K', value: 1 }] });
    expect(degradeView(item.blocks, { v: item.v, summary: item.summary }).view?.blocks).toEqual([
      { type: 'key_value', key: 'K', value: '1', value_type: 'string' },
    ]);
  });

  it('bypasses that make no sense are left out', () => {
    const good = { id: 'b', tool_name: 't', until: null, by: 'phone' };
    expect(take('inbox_update', { bypasses: [good, 5, { id: '' }] }).bypasses).toEqual([good]);
    expect(take('inbox_update', { bypasses: 'none' }).bypasses).toEqual([]);
  });

  it('a hello with half of its members is a hello', () => {
    expect(take('hello', {})).toMatchObject({ device_info: {}, supports: [] });
    expect(
      take('hello', { device_info: { platform: 'fridge', model: 'X' }, supports: [1, 'acks'] }),
    ).toMatchObject({
      device_info: { model: 'X' },
      supports: ['acks'],
    });
  });
});

describe('an item that fails its schema', () => {
  it('becomes unreadable and the others stand', () => {
    const bad = { ...approval, request_id: 'appr_bad', tool_name: 7 };
    const { approvals } = take('inbox_update', { approvals: [bad, approval, 'rubbish', null] });
    expect(approvals).toEqual([
      { unreadable: true, kind: 'approval', request_id: 'appr_bad', raw: bad },
      expect.objectContaining({ unreadable: false, request_id: 'appr_01' }),
      { unreadable: true, kind: 'approval', raw: 'rubbish' },
      { unreadable: true, kind: 'approval', raw: null },
    ]);
  });

  it.each([
    ['without an id', { request_id: undefined }],
    ['with an empty id', { request_id: '' }],
    ['without a summary', { summary: undefined }],
    ['with arguments that are no object', { arguments: [1] }],
    ['with a time that is text', { created_at: 'now' }],
  ])('%s is never approvable', (_name, members) => {
    const { approvals } = take('inbox_update', { approvals: [{ ...approval, ...members }] });
    expect(approvals[0]?.unreadable).toBe(true);
  });

  it('an elicitation whose url is not https is unreadable', () => {
    const { elicitations } = take('inbox_update', {
      elicitations: [{ ...elicitation, url: 'javascript:x' }],
    });
    expect(elicitations[0]?.unreadable).toBe(true);
  });

  it('of two entries with one id the first stands', () => {
    const { approvals } = take('inbox_update', { approvals: [approval, { ...approval, summary: 'other' }] });
    expect(approvals).toHaveLength(1);
    expect(takeApproval(approval).summary).toBe(approval.summary);
  });

  it('counts in the badge of an update that has none', () => {
    expect(take('inbox_update', { approvals: [1, approval] }).badge).toBe(2);
  });
});

describe('nothing in content throws', () => {
  const members = Object.keys({
    ...approval,
    ...samples.approval_response,
    ...samples.notification,
    ...samples.ack,
  });
  const rubbish = fc.oneof(fc.jsonValue(), fc.anything());

  it('as a payload of any kind', () => {
    const payload = fc.record(
      {
        v: fc.constantFrom(1, 2, null),
        kind: fc.oneof(fc.constantFrom(...Object.keys(samples)), fc.string()),
        id: fc.oneof(fc.constant(ID), rubbish),
        ts: fc.oneof(fc.constant(NOW), rubbish),
        ...Object.fromEntries(members.map((name) => [name, rubbish])),
      },
      { requiredKeys: [] },
    );
    fc.assert(
      fc.property(payload, (value) => void receivePayload(value)),
      { numRuns: 300 },
    );
    fc.assert(fc.property(rubbish, (value) => void receivePayload(value)));
  });

  it('as a good payload with one member of rubbish', () => {
    const broken = fc
      .constantFrom(...Object.values(samples))
      .chain((payload) => fc.tuple(fc.constant(payload), fc.constantFrom(...Object.keys(payload)), rubbish));
    fc.assert(
      fc.property(broken, ([payload, name, bad]) => void receivePayload({ ...payload, [name]: bad })),
    );
  });

  it('as an item with one member of rubbish, and the item beside it stands', () => {
    const name = fc.constantFrom(...Object.keys(approval), '__proto__', 'constructor', 'toString', 'v');
    fc.assert(
      fc.property(name, rubbish, (member, bad) => {
        const entry = Object.defineProperty({ ...approval, request_id: 'x' }, member, {
          value: bad,
          enumerable: true,
        });
        const read = take('inbox_update', { approvals: [entry, approval] });
        expect(read.approvals.at(-1)).toMatchObject({ unreadable: false, request_id: 'appr_01' });
      }),
    );
  });

  it('as names of a prototype', () => {
    const text = `{"v":1,"kind":"inbox_update","id":"${ID}","ts":1,"__proto__":{"badge":9},"approvals":[{"__proto__":{"summary":"x"},"request_id":"constructor"}]}`;
    const read = receivePayload(JSON.parse(text));
    expect(read).toMatchObject({
      ok: { badge: 1, approvals: [{ unreadable: true, request_id: 'constructor' }] },
    });
    expect(({} as Record<string, unknown>).badge).toBeUndefined();
  });
});

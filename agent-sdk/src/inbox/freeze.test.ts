import { randomBytes } from 'node:crypto';
import { itemDigest } from '@countersign/protocol/e2e';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { ApprovalRequest, ElicitationRequest } from '../api.js';
import { approvalEntry, type FreezeContext, frozenCall } from './freeze-approval.js';
import { clarificationEntry, elicitationEntry } from './freeze-question.js';
import { freezeItem } from './frozen-item.js';

const NAMESPACE = new Uint8Array(32).fill(7);
const context = {
  now: 1_750_000_000_000,
  label: 'Robot',
  words: {
    view: {
      v: 1 as const,
      summary: 'Run it',
      blocks: [{ type: 'key_value' as const, key: 'A', value: '1' }],
    },
    risk: { level: 'normal' as const, reasons: [] as string[] },
  },
};
const entryOf = (request: ApprovalRequest, around: FreezeContext = context) =>
  approvalEntry(request, frozenCall(request), around);
const freeze = (request: ApprovalRequest) => freezeItem(NAMESPACE, entryOf(request));
const nested = (levels: number) => JSON.parse(`${'{"not":'.repeat(levels)}{}${'}'.repeat(levels)}`);
const refused = (member: string) => expect.objectContaining({ code: 'invalid_request', details: { member } });

describe('an approval request', () => {
  it('is frozen with the digest of exactly its entry', async () => {
    const frozen = await freeze({ toolName: 't', arguments: { a: [1, null, 'é'] } });
    const { digest, ...entry } = JSON.parse(frozen.text);
    expect(digest).toBe(frozen.digest);
    expect(await itemDigest('approval', '07'.repeat(32), entry)).toBe(digest);
  });

  it('freezes whatever value or text it is given, and text comes back as it was', async () => {
    await fc.assert(
      fc.asyncProperty(fc.oneof(fc.json(), fc.string({ unit: 'binary' })), async (argumentsText) => {
        const { arguments: value, arguments_text: text } = JSON.parse(
          (await freeze({ toolName: 't', argumentsText })).text,
        );
        if (text === undefined) expect(JSON.stringify(value)).toBe(JSON.stringify(JSON.parse(argumentsText)));
        else expect(text).toBe(argumentsText.replace(/\p{Surrogate}/gu, '\uFFFD'));
      }),
      { numRuns: 200 },
    );
  });

  it.each([
    '{"a":1,"a":2}',
    '{"__proto__":{}}',
    '{"a":9007199254740993}',
    '{"a":"\\ud800"}',
    '{"a":0.10000000000000000001}',
    '[1]',
    'rm -rf /',
    '',
  ])('shows %s as text', async (argumentsText) => {
    const entry = JSON.parse((await freeze({ toolName: 't', argumentsText })).text);
    expect(entry).toMatchObject({ arguments_text: argumentsText });
    expect(entry).not.toHaveProperty('arguments');
  });

  it('has another digest where the text goes into detail', async () => {
    const frozen = await freeze({ toolName: 't', argumentsText: '[1]', detail: 'd' });
    expect(frozen.detailDigest).toMatch(/^[0-9a-f]{64}$/);
    expect(frozen.detailDigest).not.toBe(frozen.digest);
  });

  it('ends in a day, an hour for high risk, or between 5 seconds and 6 days', () => {
    const expiry = (request: Partial<ApprovalRequest>) =>
      (entryOf({ toolName: 't', ...request }).entry.expires_at as number) - context.now;
    expect(expiry({})).toBe(86_400_000);
    expect(expiry({ risk: 'high' })).toBe(3_600_000);
    expect(expiry({ expiresInMs: 5000 })).toBe(5000);
    expect(expiry({ expiresInMs: 6 * 86_400_000 })).toBe(6 * 86_400_000);
    for (const expiresInMs of [4999, 6 * 86_400_000 + 1, Number.NaN]) {
      expect(() => expiry({ expiresInMs })).toThrow(refused('expiresInMs'));
    }
  });

  it.each<[string, Partial<ApprovalRequest>]>([
    ['toolName', { toolName: '' }],
    ['toolName', { toolName: 'x'.repeat(257) }],
    ['argumentsText', { arguments: {}, argumentsText: '{}' }],
    ['risk', { risk: 'none' as never }],
    ['choices', { choices: [] }],
    ['choices', { choices: ['yolo' as never] }],
    ['choices', { choices: ['edit'] }],
    ['choices', { choices: ['approve_rule'] }],
    ['inputSchema', { inputSchema: { type: 'nonsense' } }],
    ['inputSchema', { inputSchema: { $ref: 'https://elsewhere.example/schema' } }],
    // What the strict parser of a device refuses would take the whole snapshot with it.
    ['inputSchema', { inputSchema: JSON.parse('{"properties":{"__proto__":{"type":"string"}}}') }],
    ['inputSchema', { inputSchema: nested(60) }],
    ['inputSchema', { inputSchema: nested(9000) }],
    [
      'rules',
      {
        rules: [
          { id: 'a', label: 'A' },
          { id: 'a', label: 'B' },
        ],
      },
    ],
    ['rules', { rules: Array.from({ length: 33 }, (_, n) => ({ id: `r${n}`, label: 'A' })) }],
    ['blocks', { blocks: 'text' }],
    ['blocks', { blocks: [] }],
  ])('names %s when that is wrong', (member, request) => {
    expect(() => entryOf({ toolName: 't', ...request })).toThrow(refused(member));
  });

  it('takes blocks as a list, with one summary for both places', () => {
    const blocks = [{ type: 'key_value', key: 'To', value: 'a\ud800@b' }];
    const { entry } = entryOf({ toolName: 't', summary: 'Send\nit', blocks });
    expect(entry.blocks).toMatchObject({ v: 1, summary: entry.summary });
    expect(JSON.stringify(entry.blocks)).toContain('\uFFFD');
    expect(entry.summary).not.toContain('\n');
  });

  it('of more than the limit is too large', async () => {
    const detail = randomBytes(600_000).toString('hex');
    await expect(freeze({ toolName: 't', detail })).rejects.toMatchObject({ code: 'payload_too_large' });
    const inputSchema = { type: 'object', description: 'x'.repeat(70_000) };
    expect(() => entryOf({ toolName: 't', inputSchema })).toThrow(
      expect.objectContaining({ code: 'payload_too_large' }),
    );
  });
});

it('an entry that no device could parse is refused, whichever member it is in', async () => {
  const unfrozen = entryOf({ toolName: 't' });
  for (const rules of ['{"__proto__":1}', '['.repeat(63) + ']'.repeat(63)]) {
    const entry = { ...unfrozen.entry, arguments: { rules: JSON.parse(rules) } };
    await expect(freezeItem(NAMESPACE, { ...unfrozen, entry })).rejects.toMatchObject({
      code: 'invalid_request',
    });
  }
});

describe('a question', () => {
  it('must have text within its limit', () => {
    expect(() => clarificationEntry({ question: '' }, context)).toThrow(refused('question'));
    expect(() => clarificationEntry({ question: ' \t\n\u3000' }, context)).toThrow(refused('question'));
    expect(() => clarificationEntry({ question: 'é'.repeat(2049) }, context)).toThrow(refused('question'));
    const suggestedAnswers = Array.from({ length: 17 }, () => 'x');
    expect(() => clarificationEntry({ question: 'q', suggestedAnswers }, context)).toThrow(
      refused('suggestedAnswers'),
    );
  });

  it.each<[string, Partial<ElicitationRequest>]>([
    ['serverName', { serverName: '' }],
    ['url', { url: 'javascript:alert(1)' }],
    ['requestedSchema', { requestedSchema: { type: 'object' } }],
    ['requestedSchema', { requestedSchema: { properties: { a: { type: 'object' } } } }],
    ['requestedSchema', { requestedSchema: JSON.parse('{"properties":{"__proto__":{"type":"string"}}}') }],
  ])('names %s when that is wrong', (member, request) => {
    expect(() => elicitationEntry({ serverName: 's', message: 'm', ...request }, context)).toThrow(
      refused(member),
    );
  });
});

describe('the risk of an approval', () => {
  const around = (level: 'low' | 'high', reasons: string[] = []) => ({
    ...context,
    words: { ...context.words, risk: { level, reasons } },
  });
  const HOUR = 3_600_000;

  it('is what the host says', () => {
    const { entry } = entryOf({ toolName: 't', risk: 'low' }, around('high', ['pays']));
    expect(entry).toMatchObject({ risk: 'low', blocks: context.words.view });
  });

  it('is the estimate where the host says nothing, with its reasons first when it is high', () => {
    expect(entryOf({ toolName: 't' }, around('low', ['only looks'])).entry).toMatchObject({
      risk: 'low',
      blocks: context.words.view,
    });
    const { entry } = entryOf({ toolName: 't' }, around('high', ['pays', 'runs as root']));
    expect(entry.risk).toBe('high');
    expect(entry.blocks).toMatchObject({
      blocks: [
        { type: 'key_value', key: 'High risk', value: 'pays\nruns as root' },
        ...context.words.view.blocks,
      ],
    });
  });

  it('shortens the expiry by the word of the host alone', () => {
    const lasts = (request: Partial<ApprovalRequest>) =>
      (entryOf({ toolName: 't', ...request }, around('high')).entry.expires_at as number) - context.now;
    expect([lasts({}), lasts({ risk: 'high' })]).toEqual([24 * HOUR, HOUR]);
  });
});

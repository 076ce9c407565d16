import { rowName } from '@countersign/protocol/blocks';
import { describe, expect, it } from 'vitest';
import { createRegistry } from './registry.js';
import { addTemplates, templateDescriber } from './template.js';

const wrong = expect.objectContaining({ code: 'invalid_request' });

function described(template: unknown, args: unknown) {
  const registry = createRegistry();
  registry.add('tool', templateDescriber(template));
  return registry.describeCall('tool', { arguments: args });
}

describe('a template', () => {
  it('fills its summary from the arguments, also from within objects', () => {
    const { view } = described(
      { summary: 'Close {issue} in {repo.name}' },
      { issue: 7, repo: { name: 'x/y' } },
    );
    expect(view.summary).toBe('Close 7 in x/y');
  });

  it('says that a value is missing', () => {
    expect(described({ summary: 'Close {issue}' }, { a: 1 }).view.summary).toBe('Close (none)');
    expect(described({ summary: 'Close {constructor.name}' }, { a: 1 }).view.summary).toBe('Close (none)');
  });

  it('keeps braces that name nothing', () => {
    expect(described({ summary: 'Set {} to {a b}' }, { a: 1 }).view.summary).toBe('Set {} to {a b}');
  });

  it('puts its fields first, under their labels and types, and everything else behind them', () => {
    const template = {
      summary: 'x',
      fields: ['b', { argument: 'a', label: 'Comment', type: 'markdown' }, 'absent'],
    };
    const { blocks } = described(template, { z: 1, a: '# hi', b: 2 }).view;
    expect(blocks.map((one) => [rowName(one), one.value_type])).toEqual([
      ['b', 'number'],
      ['Comment', 'markdown'],
      ['z', 'number'],
    ]);
  });

  it('cannot show a secret as something else', () => {
    const template = { summary: '{password}', fields: [{ argument: 'password', type: 'text' }] };
    const { view } = described(template, { password: 'hunter22' });
    expect(view.blocks[0]?.value_type).toBe('secret');
    expect(view.summary).not.toContain('hunter22');
  });

  it('may say how grave the call is', () => {
    const risk = { level: 'high', reasons: ['pays money'] };
    expect(described({ summary: 'Pay', risk }, {}).risk).toEqual(risk);
  });

  it.each<[string, unknown]>([
    ['no object', 'Close {issue}'],
    ['without a summary', { fields: [] }],
    ['with an empty summary', { summary: '' }],
    ['with words that leave no room', { summary: 'x'.repeat(81) }],
    ['with a summary that names too much', { summary: '{abcdefgh}'.repeat(21) }],
    ['with too many fields', { summary: 'x', fields: Array.from({ length: 101 }, () => 'a') }],
    ['with a field without a name', { summary: 'x', fields: [''] }],
    ['with a field of a name that is too long', { summary: 'x', fields: ['a'.repeat(129)] }],
    [
      'with too many reasons',
      { summary: 'x', risk: { level: 'low', reasons: Array.from({ length: 9 }, () => 'a') } },
    ],
    ['with an endless reason', { summary: 'x', risk: { level: 'low', reasons: ['a'.repeat(201)] } }],
    ['with unknown members', { summary: 'x', script: 'y' }],
    ['with an unknown type', { summary: 'x', fields: [{ argument: 'a', type: 'html' }] }],
    ['with an unknown level', { summary: 'x', risk: { level: 'none', reasons: [] } }],
  ])('%s is refused', (_name, template) => {
    expect(() => templateDescriber(template)).toThrow(wrong);
  });

  it('says where it is wrong, and nothing that stands there', () => {
    expect(() => addTemplates(createRegistry(), { tool: { summary: 'x', fields: [5] } })).toThrow(
      expect.objectContaining({ message: expect.stringMatching(/wrong at "tool\.fields\.0"/) }),
    );
  });

  it('is added with others, all or none', () => {
    const registry = createRegistry();
    addTemplates(registry, {
      mcp__tracker__close: { summary: 'Close {id}' },
      'mcp__tracker__*': { summary: 'Track' },
    });
    expect(registry.describe('mcp__tracker__close', { id: 4 })).toBe('Close 4');
    expect(registry.describe('mcp__tracker__open', { id: 4 })).toBe('Track');
    expect(() => addTemplates(registry, { a: { summary: 'A' }, b: {} })).toThrow(wrong);
    expect(registry.describe('a', {})).toBe('a');
    const many = Object.fromEntries(Array.from({ length: 1_001 }, (_, i) => [`t${i}`, { summary: 'x' }]));
    expect(() => addTemplates(registry, many)).toThrow(wrong);
  });
});

import {
  BLOCK_TYPES,
  type Block,
  linearise,
  MASK,
  renderPlain,
  rowName,
  viewSchema,
} from '@countersign/protocol/blocks';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { genericSummary, genericView } from './generic.js';

const token = `ghp_${'a1B2c3D4e5F6'.repeat(3)}`;

function rows(args: unknown): Block[] {
  return genericView('tool', { arguments: args }).blocks;
}

/** The value type (and language) of one argument among others. */
function kind(args: Record<string, unknown>, name = Object.keys(args)[0]): string {
  const block = rows(args).find((one) => rowName(one) === name);
  return block?.lang === undefined ? String(block?.value_type) : `${block.value_type}:${block.lang}`;
}

function summary(args: unknown, tool = 'tool'): string {
  return genericSummary(tool, { arguments: args });
}

describe('the rows of a call', () => {
  it('are one per argument, in the order they came', () => {
    expect(rows({ zeta: 1, alpha: 'x', mid: null }).map(rowName)).toEqual(['zeta', 'alpha', 'mid']);
  });

  it('say so when there are no arguments', () => {
    expect(rows({})).toEqual([{ type: 'key_value', key: 'Arguments', value: 'none', value_type: 'string' }]);
  });

  it('are one for arguments without names', () => {
    expect(rows(['a', 1])).toEqual([
      { type: 'key_value', key: 'Arguments', value: '["a",1]', value_type: 'json' },
    ]);
    expect(rows('only text')[0]?.value).toBe('only text');
    expect(rows(undefined)[0]?.value).toBe('null');
  });

  it('are one, verbatim, for arguments that are only a text', () => {
    const argumentsText = '{"n": 12345678901234567890, "n": 1}';
    expect(genericView('tool', { argumentsText }).blocks).toEqual([
      { type: 'block', label: 'Arguments', value: argumentsText, value_type: 'code', lang: 'json' },
    ]);
  });

  it.each<[unknown, string]>([
    ['plain words', 'string'],
    ['', 'string'],
    ['first\nsecond', 'text'],
    ['https://example.com/a?b=c', 'url'],
    ['https://example.com and more', 'string'],
    ['me@example.com', 'email'],
    ['2026-03-01T10:00:00Z', 'datetime'],
    ['2026-03-01', 'datetime'],
    ['2026-13-45', 'string'],
    ['/etc/passwd', 'path'],
    ['./src/x.ts', 'path'],
    ['~/notes', 'path'],
    ['C:\\Users\\me', 'path'],
    ['{"a": [1]}', 'json'],
    ['{not json', 'string'],
    [{ a: 1 }, 'json'],
    [[1, 2], 'json'],
    [null, 'json'],
    [42, 'number'],
    [true, 'boolean'],
    [token, 'secret'],
    ['diff --git a/x b/x\n', 'code:diff'],
  ])('take %j for %s', (value, expected) => {
    expect(kind({ argument: value })).toBe(expected);
  });

  it.each<[Record<string, unknown>, string]>([
    [{ filePath: 'notes.txt' }, 'path'],
    [{ cwd: 'build' }, 'path'],
    [{ profile: 'notes' }, 'string'],
    [{ command: 'ls -la' }, 'command'],
    [{ command: ['ls', '-la'] }, 'command'],
    [{ args: ['push', '--force'] }, 'command'],
    [{ tags: ['a', 'b'] }, 'json'],
    [{ sql: 'select 1' }, 'code:sql'],
    [{ code: 'print(1)', language: 'python' }, 'code:python'],
    [{ code: 'print(1)', language: '`rm`' }, 'code'],
    [{ content: 'fn main() {}', path: '/x/main.rs' }, 'code:rs'],
    [{ content: '# Title', path: 'README.md' }, 'markdown'],
    [{ content: 'hello', path: 'a.txt' }, 'string'],
    [{ password: 'hunter2' }, 'secret'],
    [{ credentials: { user: 'me', key: 'k' } }, 'secret'],
    [{ secret: false }, 'boolean'],
    [{ max_tokens: 100 }, 'number'],
  ])('of %j begin with %s', (args, expected) => {
    expect(kind(args)).toBe(expected);
  });

  it('show an argv as a shell would need it written', () => {
    const argv = ['rm', '-rf', '/tmp/a b', "it's", '', '$HOME', 'x=1'];
    expect(rows({ command: argv })[0]?.value).toBe(`rm -rf '/tmp/a b' 'it'\\''s' '' '$HOME' x=1`);
  });

  it('put short values beside their name and long ones below it', () => {
    expect(rows({ a: 'x'.repeat(60) })[0]?.type).toBe('key_value');
    expect(rows({ a: 'x'.repeat(61) })[0]?.type).toBe('block');
    expect(rows({ command: 'ls' })[0]?.type).toBe('block');
    expect(rows({ a: { long: 'x'.repeat(60) } })[0]?.value).toBe(
      JSON.stringify({ long: 'x'.repeat(60) }, null, 2),
    );
  });

  it('name what has no name', () => {
    expect(rows({ '': 1 }).map(rowName)).toEqual(['""']);
  });

  it('keep names of prototypes as data', () => {
    const args = JSON.parse('{"__proto__": {"a": 1}, "constructor": "x", "toString": 1}');
    expect(rows(args).map(rowName)).toEqual(['__proto__', 'constructor', 'toString']);
  });
});

describe('the summary', () => {
  it('begins with the tool and names its arguments', () => {
    expect(summary({ path: '/tmp/x', mode: 7 }, 'read_file')).toBe('read_file: path=/tmp/x, mode=7');
    expect(summary({}, 'ping')).toBe('ping');
    expect(summary([1, 'a'], 'tool')).toBe('tool: [1,"a"]');
  });

  it('is the command of a tool that runs one, and how many other arguments there are', () => {
    expect(summary({ note: 'harmless', command: 'rm -rf build' }, 'bash')).toBe(
      'bash: rm -rf build (+1 more)',
    );
    expect(summary({ command: 'git', args: ['push', '--force'] }, 'exec')).toBe('exec: git push --force');
    expect(summary({ argv: ['ls', 'a b'] }, 'exec')).toBe("exec: ls 'a b'");
    expect(summary({ command: '' }, 'bash')).toBe('bash: command=');
  });

  it('shows where the lines of a command end', () => {
    expect(summary({ command: 'echo a\nrm -rf /' }, 'bash')).toBe('bash: echo a ⏎ rm -rf /');
  });

  it('holds no secret', () => {
    expect(summary({ password: 'hunter2', note: 'it is hunter2' })).toBe(
      `tool: password=${MASK}, note=it is ${MASK}`,
    );
    expect(summary({ command: `curl -H 'Authorization: Bearer ${token}' x` })).not.toContain(token);
    expect(summary([{ token: 'abcdef' }])).not.toContain('abcdef');
    const text = genericSummary('tool', { argumentsText: '{"password": "hunter", "n": 1e999}' });
    expect(text).toBe(`tool: {"password": "${MASK}", "n": 1e999}`);
  });

  it('makes hidden characters visible and no line of its own', () => {
    expect(summary({ a: 'x\u202Ey' }, 'to\u200Bol')).toBe('to⟨U+200B⟩ol: a=x⟨U+202E⟩y');
  });

  it('is never empty', () => {
    expect(genericSummary('', {})).toBe('tool: null');
    expect(genericSummary(' \n', { arguments: {} })).toBe('tool');
  });
});

describe('any call at all', () => {
  it('has a view that may be sent, flattens, and lets no secret out', () => {
    const names = fc.oneof(fc.string(), fc.constantFrom('command', 'path', 'password', 'code', '__proto__'));
    const args = fc.oneof(fc.dictionary(names, fc.jsonValue()), fc.jsonValue());
    const tool = fc.string({ unit: 'binary' });
    fc.assert(
      fc.property(tool, args, (toolName, value) => {
        const planted =
          typeof value === 'object' && value !== null && !Array.isArray(value)
            ? { ...value, access_token: 'planted-secret', note: 'has planted-secret in it' }
            : value;
        const view = genericView(toolName, { arguments: planted });
        expect(viewSchema.safeParse(view).error).toBeUndefined();
        const text = renderPlain(linearise(view));
        expect(text).not.toContain('planted-secret');
        expect(view.summary).not.toContain('planted-secret');
      }),
      { numRuns: 200 },
    );
  });

  it('has a view even where it could not be frozen', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), fc.string({ unit: 'binary' }), (toolName, argumentsText) => {
        const view = genericView(toolName, { argumentsText });
        expect(viewSchema.safeParse(view).error).toBeUndefined();
        expect(BLOCK_TYPES).toContain(view.blocks[0]?.type);
      }),
    );
  });

  it('of half a megabyte is described in well under a second', () => {
    const began = performance.now();
    genericView('write_file', { arguments: { path: '/x.ts', content: 'const a = 1;\n'.repeat(40_000) } });
    expect(performance.now() - began).toBeLessThan(2000);
  });
});

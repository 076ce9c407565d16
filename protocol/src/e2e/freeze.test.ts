import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { canonicalize, parseStrict } from '../json/index.js';
import {
  argsDigest,
  freezeArguments,
  itemDigest,
  MAX_ARGUMENTS_BYTES,
  MAX_ARGUMENTS_DEPTH,
} from './index.js';

const NAMESPACE = 'ab'.repeat(32);

describe('freezing arguments', () => {
  test('a plain object stays what it is, given as value or as text', () => {
    const value = { path: '/tmp/é', deep: [{ a: null }, 1.5, true], constructor: 'x' };
    expect(freezeArguments({ arguments: value })).toEqual({ arguments: value });
    expect(freezeArguments({ argumentsText: ` ${JSON.stringify(value)}\n` })).toEqual({ arguments: value });
  });

  test('what is frozen shares nothing with the value that came in', () => {
    const value = { list: [1] };
    const frozen = freezeArguments({ arguments: value });
    value.list.push(2);
    expect(frozen).toEqual({ arguments: { list: [1] } });
  });

  test('absent members and dates are as JSON has them', () => {
    const value = { a: undefined, at: new Date(0), b: 1 };
    expect(freezeArguments({ arguments: value })).toEqual({
      arguments: { at: '1970-01-01T00:00:00.000Z', b: 1 },
    });
  });

  test.each([
    ['a duplicate key', '{"a":1,"a":2}'],
    ['a __proto__ key', '{"__proto__":{"admin":true}}'],
    ['a lone surrogate in escapes', '{"a":"\\ud800"}'],
    ['a number of 2^53', '{"a":9007199254740992}'],
    ['a number that prints otherwise', '{"a":0.10000000000000000001}'],
    ['an array', '[1,2]'],
    ['a string', '"text"'],
    ['no JSON', 'rm -rf / # not JSON'],
    ['nothing', ''],
    ['an unclosed object', '{"a":1'],
  ])('text with %s travels verbatim as text', (_what, text) => {
    expect(freezeArguments({ argumentsText: text })).toEqual({ argumentsText: text });
  });

  test('a lone surrogate in text that no encoding can carry is replaced', () => {
    expect(freezeArguments({ argumentsText: '{"a":"\ud800"}' })).toEqual({ argumentsText: '{"a":"\ufffd"}' });
  });

  test.each([
    ['2^53', { n: 2 ** 53 }, '{"n":9007199254740992}'],
    ['1e300', { n: 1e300 }, '{"n":1e+300}'],
    ['a lone surrogate', { s: '\ud800' }, '{"s":"\\ud800"}'],
    ['an own __proto__', JSON.parse('{"__proto__":1}'), '{"__proto__":1}'],
    ['no object', 'text', '"text"'],
    ['null', null, 'null'],
  ])('a value with %s travels as the text that JSON has for it', (_what, value, text) => {
    expect(freezeArguments({ arguments: value })).toEqual({ argumentsText: text });
  });

  const cycle: Record<string, unknown> = {};
  cycle.self = cycle;
  test.each([
    ['undefined', undefined],
    ['NaN', { n: Number.NaN }],
    ['infinity', { n: [Number.NEGATIVE_INFINITY] }],
    ['a bigint', { n: 1n }],
    ['a function', { f: () => 1 }],
    ['a symbol', { s: Symbol('s') }],
    ['a map', { m: new Map([['a', 1]]) }],
    ['bytes', { b: new Uint8Array(2) }],
    ['a cycle', cycle],
    [
      'a toJSON that throws',
      {
        toJSON: () => {
          throw new Error('secret');
        },
      },
    ],
  ])('a value JSON would change silently, %s, is the host’s mistake', (_what, value) => {
    expect(() => freezeArguments({ arguments: value })).toThrow(
      expect.objectContaining({ code: 'invalid_request' }),
    );
  });

  test('nesting beyond the limit becomes text', () => {
    const nested = (depth: number) => `{"a":${'['.repeat(depth - 1)}${']'.repeat(depth - 1)}}`;
    expect(freezeArguments({ argumentsText: nested(MAX_ARGUMENTS_DEPTH) }).arguments).toBeDefined();
    const deeper = nested(MAX_ARGUMENTS_DEPTH + 1);
    expect(freezeArguments({ argumentsText: deeper })).toEqual({ argumentsText: deeper });
  });

  test('512 KiB is the most that is frozen, of a value, of JSON text and of other text', () => {
    const filler = 'x'.repeat(MAX_ARGUMENTS_BYTES - '{"a":""}'.length);
    expect(freezeArguments({ arguments: { a: filler } }).arguments).toBeDefined();
    for (const input of [{ arguments: { a: `${filler}x` } }, { argumentsText: `!${filler}12345678` }]) {
      expect(() => freezeArguments(input)).toThrow(expect.objectContaining({ code: 'payload_too_large' }));
    }
  });

  test('frozen arguments come back the same from the bytes that are signed', () => {
    fc.assert(
      fc.property(fc.dictionary(fc.string(), fc.jsonValue()), (value) => {
        const { arguments: frozen } = freezeArguments({ arguments: value });
        if (frozen !== undefined) expect(parseStrict(canonicalize(frozen))).toEqual(frozen);
      }),
    );
  });
});

describe('an item digest', () => {
  const entry = { request_id: 'appr_1', tool_name: 'x', arguments: { n: 1 } };
  const digest = (kind: 'approval' | 'clarification', extra: object = {}, namespace = NAMESPACE) =>
    itemDigest(kind, namespace, { ...entry, ...extra });

  test('leaves out digest and truncated and nothing else', async () => {
    const plain = await digest('approval');
    expect(await digest('approval', { digest: plain, truncated: true })).toBe(plain);
    expect(await digest('approval', { unknown_member: null })).not.toBe(plain);
  });

  test('holds kind and namespace, whatever the entry says of itself', async () => {
    const plain = await digest('approval');
    expect(await digest('clarification')).not.toBe(plain);
    expect(await digest('approval', {}, 'cd'.repeat(32))).not.toBe(plain);
    expect(await digest('approval', { kind: 'clarification', namespace_id: 'x' })).toBe(plain);
  });

  test('is the same for a namespace in capitals and refuses what is none', async () => {
    expect(await digest('approval', {}, NAMESPACE.toUpperCase())).toBe(await digest('approval'));
    await expect(digest('approval', {}, 'ab')).rejects.toMatchObject({ code: 'invalid_request' });
  });

  test('does not exist of what is no JSON', async () => {
    await expect(digest('approval', { detail: undefined })).rejects.toMatchObject({ code: 'not_json' });
    await expect(digest('approval', { detail: '\ud800' })).rejects.toMatchObject({ code: 'lone_surrogate' });
  });
});

test('an arguments digest ignores the order of members and nothing else', async () => {
  expect(await argsDigest({ a: 1, b: 2 })).toBe(await argsDigest({ b: 2, a: 1 }));
  expect(await argsDigest({ a: 1, b: 2 })).not.toBe(await argsDigest({ a: 1, b: '2' }));
  expect(await argsDigest([1, 2])).not.toBe(await argsDigest([2, 1]));
});

import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { type Json, JsonError, JsonNumber, parseStrict, parseWithLexemes } from './index.js';

const utf8 = (text: string) => new TextEncoder().encode(text);

function codeOf(run: () => unknown): string {
  try {
    run();
  } catch (error) {
    if (error instanceof JsonError) return error.code;
    throw error;
  }
  return 'accepted';
}

describe('a strict parser', () => {
  test.each([
    ['null', null],
    [' \t\r\n true \n', true],
    ['"\\u00e9\\n\\/\\ud83d\\ude00😀"', 'é\n/😀😀'],
    ['[]', []],
    ['{}', {}],
    ['[1,[2,{"a":[]}]]', [1, [2, { a: [] }]]],
    ['{"a" : 1 , "b":\n{"a":false}}', { a: 1, b: { a: false } }],
    ['""', ''],
    ['{"":0}', { '': 0 }],
  ])('reads %s', (text, value) => {
    expect(parseStrict(text)).toEqual(value);
    expect(parseStrict(utf8(text))).toEqual(value);
  });

  test.each([
    '',
    ' ',
    '{',
    '}',
    '[',
    '[1',
    '[1,',
    '[1,]',
    '[,1]',
    '{"a"}',
    '{"a":}',
    '{"a":1,}',
    '{a:1}',
    "{'a':1}",
    '{"a":1 "b":2}',
    '01',
    '-',
    '+1',
    '.5',
    '1.',
    '1e',
    '1e+',
    '0x10',
    'NaN',
    'Infinity',
    '-Infinity',
    'undefined',
    'tru',
    'truex',
    'True',
    '1 2',
    '{} {}',
    '[1]]',
    'null\u0000',
    '"',
    '"\\"',
    '"\\x41"',
    '"\\u12"',
    '"\\u12g4"',
    '"a\nb"',
    '"a\tb"',
    '"\u0000"',
    '\u00a01',
    '\u20281',
    '\ufeff1',
    '// c\n1',
    '/* c */1',
    '1,',
  ])('refuses the text %j', (text) => {
    expect(codeOf(() => parseStrict(text))).toBe('syntax');
    expect(codeOf(() => parseStrict(utf8(text)))).toBe('syntax');
    expect(codeOf(() => parseWithLexemes(text))).toBe('syntax');
  });

  test.each([
    ['{"a":1,"a":1}', 'duplicate_key'],
    ['{"a":1,"\\u0061":2}', 'duplicate_key'],
    ['[{"x":{"toString":1,"toString":2}}]', 'duplicate_key'],
    ['{"__proto__":1}', 'proto_key'],
    ['{"a":{"\\u005f_proto__":{}}}', 'proto_key'],
    ['"\\ud800"', 'lone_surrogate'],
    ['"\\udc00\\ud800"', 'lone_surrogate'],
    ['{"\\ud83d":1}', 'lone_surrogate'],
    ['"a\ud800b"', 'lone_surrogate'],
  ])('refuses %j as %s, however its numbers are read', (text, code) => {
    for (const numbers of ['exact', 'any'] as const)
      expect(codeOf(() => parseStrict(text, { numbers }))).toBe(code);
    expect(codeOf(() => parseWithLexemes(text))).toBe(code);
  });

  test('takes keys that every object inherits as members of its own', () => {
    const text =
      '{"constructor":1,"toString":2,"hasOwnProperty":3,"valueOf":{"prototype":4},"__defineGetter__":5}';
    const value = parseStrict(text) as Record<string, Json>;
    expect(Object.keys(value)).toEqual([
      'constructor',
      'toString',
      'hasOwnProperty',
      'valueOf',
      '__defineGetter__',
    ]);
    expect(Object.getPrototypeOf(value)).toBe(Object.prototype);
    expect(JSON.stringify(value)).toBe(text);
    expect(({} as Record<string, unknown>).prototype).toBeUndefined();
  });

  test.each([
    ['bytes that are no UTF-8', [0x22, 0xff, 0x22]],
    ['an overlong encoding', [0x22, 0xc0, 0xaf, 0x22]],
    ['a surrogate in UTF-8', [0x22, 0xed, 0xa0, 0x80, 0x22]],
    ['a character cut off', [0x22, 0xe2, 0x82]],
  ])('refuses %s', (_what, bytes) => {
    expect(codeOf(() => parseStrict(Uint8Array.from(bytes)))).toBe('invalid_utf8');
  });

  test('refuses a byte order mark', () => {
    expect(codeOf(() => parseStrict(Uint8Array.of(0xef, 0xbb, 0xbf, 0x31)))).toBe('syntax');
  });

  test('says where the fault is', () => {
    expect(() => parseStrict('{"a":1,"a":2}')).toThrow(expect.objectContaining({ offset: 7 }));
    expect(() => parseStrict('[1,1e999]')).toThrow(expect.objectContaining({ offset: 3 }));
  });
});

describe('numbers', () => {
  test.each([
    ['0', 0],
    ['-0', 0],
    ['-0.0e5', 0],
    ['1.0', 1],
    ['1e2', 100],
    ['1E+2', 100],
    ['100e-2', 1],
    ['0.1', 0.1],
    ['-12.50', -12.5],
    ['9007199254740991', 9007199254740991],
    ['-9007199254740991', -9007199254740991],
    ['5e-324', 5e-324],
    ['1.5e-7', 1.5e-7],
    ['0.000001', 0.000001],
    ['123456789.125', 123456789.125],
  ])('exact: %s is read', (text, value) => expect(parseStrict(text)).toBe(value));

  test.each([
    '0.10000000000000000001',
    '333333333.33333329',
    '1e-999',
    '4e-324',
    '-1e-400',
    '9007199254740990.9',
    '0.1000000000000000055511151231257827021181583404541015625',
  ])('exact: %s is refused, for it would print otherwise', (text) => {
    expect(codeOf(() => parseStrict(text))).toBe('number_not_exact');
  });

  test.each([
    '9007199254740992',
    '-9007199254740993',
    '1e16',
    '1e22',
    '1e999',
    '-1e999',
    '9007199254740991.5',
  ])('exact: %s is refused as too large', (text) =>
    expect(codeOf(() => parseStrict(text))).toBe('number_too_large'),
  );

  test('any: what a double approximates is read, what overflows it is refused', () => {
    expect(parseStrict('[9007199254740993,1e22,0.10000000000000000001,1e-999]', { numbers: 'any' })).toEqual([
      9007199254740992, 1e22, 0.1, 0,
    ]);
    expect(codeOf(() => parseStrict('1e999', { numbers: 'any' }))).toBe('number_too_large');
  });

  test('lexemes: a number is kept as it was written', () => {
    expect(parseWithLexemes('{"a":[1.0,-0,12345678901234567890,1E999]}')).toEqual({
      a: ['1.0', '-0', '12345678901234567890', '1E999'].map((lexeme) => new JsonNumber(lexeme)),
    });
  });

  test('a long run of digits is judged in no time', () => {
    expect(codeOf(() => parseStrict(`0.${'1'.repeat(1_000_000)}`))).toBe('number_not_exact');
    expect(parseStrict(`1.${'0'.repeat(1_000_000)}`)).toBe(1);
    expect(codeOf(() => parseStrict(`1e${'9'.repeat(1_000_000)}`))).toBe('number_too_large');
    expect(parseStrict(`0e${'9'.repeat(1_000_000)}`)).toBe(0);
  });

  test('every double that prints below 2^53 is read back as itself', () => {
    fc.assert(
      fc.property(fc.double({ noNaN: true, min: -(2 ** 53) + 1, max: 2 ** 53 - 1 }), (value) => {
        expect(parseStrict(JSON.stringify(value))).toBe(value === 0 ? 0 : value);
      }),
    );
  });
});

describe('limits', () => {
  const nested = (depth: number) => '['.repeat(depth) + ']'.repeat(depth);

  test('nesting goes 64 deep by default and as deep as asked', () => {
    expect(codeOf(() => parseStrict(nested(64)))).toBe('accepted');
    expect(codeOf(() => parseStrict(nested(65)))).toBe('too_deep');
    expect(codeOf(() => parseStrict(nested(3), { maxDepth: 2 }))).toBe('too_deep');
    expect(codeOf(() => parseStrict('[[],[],{"a":[]}]', { maxDepth: 3 }))).toBe('accepted');
    expect(codeOf(() => parseStrict('[{"a":'.repeat(100_000)))).toBe('too_deep');
  });

  test('size counts UTF-8 bytes, of text as of bytes', () => {
    const text = '"éé"';
    for (const input of [text, utf8(text)]) {
      expect(codeOf(() => parseStrict(input, { maxBytes: 6 }))).toBe('accepted');
      expect(codeOf(() => parseStrict(input, { maxBytes: 5 }))).toBe('too_large');
    }
    const big = `"${' '.repeat(8 * 1024 * 1024 - 2)}"`;
    expect(codeOf(() => parseStrict(big))).toBe('accepted');
    expect(codeOf(() => parseStrict(`${big} `))).toBe('too_large');
  });
});

test('it reads what JSON.stringify writes as JSON.parse does', () => {
  fc.assert(
    fc.property(fc.jsonValue({ maxDepth: 6 }), fc.constantFrom(0, 2), (value, space) => {
      const text = JSON.stringify(value, undefined, space);
      fc.pre(!text.includes('__proto__'));
      expect(parseStrict(text, { numbers: 'any' })).toEqual(JSON.parse(text));
    }),
  );
});

test('on arbitrary text it accepts nothing that JSON.parse refuses, and fails only with a JsonError', () => {
  const piece = fc.constantFrom(
    '{',
    '}',
    '[',
    ']',
    ',',
    ':',
    '"',
    '"a"',
    '"b"',
    '\\',
    '1',
    '-1',
    '1.5',
    'e3',
    'true',
    'null',
    ' ',
    '\n',
    '\ud800',
    'é',
    '\u0000',
  );
  fc.assert(
    fc.property(fc.array(piece, { maxLength: 12 }), (pieces) => {
      const text = pieces.join('');
      if (codeOf(() => parseStrict(text)) === 'accepted') expect(parseStrict(text)).toEqual(JSON.parse(text));
    }),
    { numRuns: 2_000 },
  );
});

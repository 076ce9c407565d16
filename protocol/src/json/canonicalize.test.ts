import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { canonicalize, JsonError, parseStrict, wellFormed } from './index.js';

function codeOf(value: unknown): string {
  try {
    canonicalize(value);
  } catch (error) {
    return error instanceof JsonError ? error.code : 'another error';
  }
  return 'accepted';
}

/** A double by its IEEE 754 bits. */
const double = (hex: string) => new DataView(new Uint8Array(Buffer.from(hex, 'hex')).buffer).getFloat64(0);

describe('RFC 8785', () => {
  test('the example of section 3.2.2 comes out as published', () => {
    const text = String.raw`{
      "numbers": [333333333.33333329, 1E30, 4.50, 2e-3, 0.000000000000000000000000001],
      "string": "\u20ac$\u000F\u000aA'\u0042\u0022\u005c\\\"\/",
      "literals": [null, true, false]
    }`;
    expect(canonicalize(parseStrict(text, { numbers: 'any' }))).toBe(
      String.raw`{"literals":[null,true,false],"numbers":[333333333.3333333,1e+30,4.5,0.002,1e-27],"string":"€$\u000f\nA'B\"\\\\\"/"}`,
    );
  });

  test('the keys of section 3.2.3 come in the published order', () => {
    const keys = ['€', '\r', '\ufb33', '1', '😀', '\u0080', 'ö'];
    const canonical = canonicalize(Object.fromEntries(keys.map((key) => [key, 0])));
    expect(Object.keys(JSON.parse(`[${canonical}]`)[0])).toHaveLength(7);
    expect(canonical).toBe('{"\\r":0,"1":0,"\u0080":0,"ö":0,"€":0,"😀":0,"\ufb33":0}');
  });

  test.each([
    ['0000000000000000', '0'],
    ['8000000000000000', '0'],
    ['0000000000000001', '5e-324'],
    ['8000000000000001', '-5e-324'],
    ['7fefffffffffffff', '1.7976931348623157e+308'],
    ['ffefffffffffffff', '-1.7976931348623157e+308'],
    ['4340000000000000', '9007199254740992'],
    ['c340000000000000', '-9007199254740992'],
    ['4430000000000000', '295147905179352830000'],
    ['44b52d02c7e14af5', '9.999999999999997e+22'],
    ['44b52d02c7e14af6', '1e+23'],
    ['44b52d02c7e14af7', '1.0000000000000001e+23'],
    ['444b1ae4d6e2ef4e', '999999999999999700000'],
    ['444b1ae4d6e2ef4f', '999999999999999900000'],
    ['444b1ae4d6e2ef50', '1e+21'],
    ['3eb0c6f7a0b5ed8c', '9.999999999999997e-7'],
    ['3eb0c6f7a0b5ed8d', '0.000001'],
    ['41b3de4355555553', '333333333.3333332'],
    ['41b3de4355555554', '333333333.33333325'],
    ['41b3de4355555555', '333333333.3333333'],
    ['41b3de4355555556', '333333333.3333334'],
    ['41b3de4355555557', '333333333.33333343'],
    ['becbf647612f3696', '-0.0000033333333333333333'],
    ['43143ff3c1cb0959', '1424953923781206.2'],
  ])('the double %s of appendix B prints as %s', (hex, text) => expect(canonicalize(double(hex))).toBe(text));

  test.each(['7fffffffffffffff', '7ff0000000000000', 'fff0000000000000'])(
    'the double %s is an error',
    (hex) => {
      expect(codeOf(double(hex))).toBe('not_json');
    },
  );
});

const cycle: unknown[] = [];
cycle.push([{ cycle }, { cycle }]);
class Point {
  x = 1;
}

test.each([
  ['undefined', undefined],
  ['a member that is undefined', { a: undefined }],
  ['holes in an array', Object.assign([], { length: 2 })],
  ['a bigint', [1n]],
  ['a function', { f: () => 1 }],
  ['a symbol', Symbol('x')],
  ['a date', new Date(0)],
  ['a map', new Map()],
  ['a class instance', { p: new Point() }],
  ['a cycle', cycle],
])('%s is no JSON', (_what, value) => expect(codeOf(value)).toBe('not_json'));

test('a lone surrogate is refused in a value and in a key', () => {
  expect(codeOf(['\ud800'])).toBe('lone_surrogate');
  expect(codeOf({ '\udc00': 1 })).toBe('lone_surrogate');
});

test('the same object twice is no cycle', () => {
  const shared = { a: 1 };
  expect(canonicalize([shared, shared])).toBe('[{"a":1},{"a":1}]');
});

test('an object without prototype and inherited names as keys are plain', () => {
  expect(canonicalize(Object.assign(Object.create(null), { b: 1, a: 2 }))).toBe('{"a":2,"b":1}');
  expect(canonicalize({ toString: 1, constructor: 2 })).toBe('{"constructor":2,"toString":1}');
});

test('nesting goes 256 deep', () => {
  const nested = (depth: number) => JSON.parse('['.repeat(depth) + ']'.repeat(depth));
  expect(codeOf(nested(256))).toBe('accepted');
  expect(codeOf(nested(257))).toBe('too_deep');
});

test('canonical text parses back to the value and is its own canonical form', () => {
  fc.assert(
    fc.property(fc.jsonValue({ maxDepth: 5 }), (value) => {
      const text = canonicalize(value);
      fc.pre(!text.includes('__proto__'));
      expect(canonicalize(parseStrict(text, { numbers: 'any' }))).toBe(text);
      expect(JSON.parse(text)).toEqual(JSON.parse(JSON.stringify(value)));
    }),
  );
});

test('well-formed text has U+FFFD for every lone surrogate and keeps pairs', () => {
  expect(wellFormed('a\ud800b😀\udc00')).toBe('a\ufffdb😀\ufffd');
  fc.assert(
    fc.property(fc.string({ unit: 'binary' }), (text) => {
      const roundTrip = new TextDecoder('utf-8', { ignoreBOM: true }).decode(new TextEncoder().encode(text));
      expect(wellFormed(text)).toBe(roundTrip);
    }),
  );
});

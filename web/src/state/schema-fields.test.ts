/** Forms from schemas, also from those that mean harm. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { fieldsOf, MAX_FIELDS, valueOfText } from './schema-fields.js';
import { validateValues } from './validate-values.js';

const one = (rules: unknown, initial?: Record<string, unknown>) =>
  fieldsOf({ properties: { a: rules } }, { initial })[0];

describe('a field', () => {
  it.each([
    [{ type: 'string' }, 'text'],
    [{ type: 'string', maxLength: 5000 }, 'lines'],
    [{ type: 'integer' }, 'number'],
    [{ type: 'boolean' }, 'boolean'],
    [{ enum: ['x', 'y'] }, 'choice'],
    [{ oneOf: [{ const: 'x', title: 'Ex' }] }, 'choice'],
    [{ type: 'array' }, 'json'],
    [{ $ref: '#/nowhere' }, 'text'],
    [true, 'text'],
    [null, 'text'],
  ])('of %j is edited as %s', (rules, kind) => {
    expect(one(rules)?.kind).toBe(kind);
  });

  it('takes titles and their choices by name', () => {
    expect(one({ title: 'Name', enum: [1, 2], enumNames: ['one'] })).toMatchObject({
      label: 'Name',
      choices: [
        { value: 1, label: 'one' },
        { value: 2, label: '2' },
      ],
    });
  });

  it('under a secret name is secret, and a value with secrets below it is kept as it is', () => {
    const [password, nested] = fieldsOf({}, { initial: { password: 'x', nested: { token: 'y' } } });
    expect(password?.secret).toBe(true);
    expect(nested?.kind).toBe('kept');
  });

  it('of an argument that the schema does not name is there too', () => {
    expect(one({}, { b: 2 })).toBeDefined();
    expect(fieldsOf({ properties: { a: {} } }, { initial: { b: 2 } }).map(({ name }) => name)).toEqual([
      'a',
      'b',
    ]);
  });

  it('is none of the prototype', () => {
    expect(fieldsOf({ properties: JSON.parse('{"__proto__":{"type":"string"}}') })[0]).toMatchObject({
      name: '__proto__',
      initial: undefined,
    });
  });

  it('never throws, and there are no more than a person fills in', () => {
    fc.assert(
      fc.property(fc.dictionary(fc.string(), fc.jsonValue()), (properties) => {
        expect(fieldsOf({ properties: properties as never }).length).toBeLessThanOrEqual(MAX_FIELDS);
      }),
    );
    const many = Object.fromEntries(Array.from({ length: MAX_FIELDS + 1 }, (_, at) => [`f${at}`, {}]));
    expect(fieldsOf({ properties: many })).toHaveLength(MAX_FIELDS);
  });
});

describe('the text of a field', () => {
  it.each([
    ['number', true, ' 1,5 ', 1.5],
    ['number', true, 'x', 'x'],
    ['number', true, '', undefined],
    ['text', false, '', undefined],
    ['text', true, '', ''],
    ['json', true, '[1]', [1]],
    ['json', true, ' ', undefined],
  ] as const)('of kind %s (required: %s) %j means %j', (kind, required, text, value) => {
    expect(valueOfText({ kind, required }, text)).toEqual(value);
  });

  it('that is no JSON throws', () => {
    expect(() => valueOfText({ kind: 'json', required: true }, '{')).toThrow(SyntaxError);
  });
});

describe('what was filled in', () => {
  const schema = {
    type: 'object',
    properties: { a: { type: 'string', minLength: 2 }, 'b/c': { type: 'integer', maximum: 3 } },
    required: ['a'],
  };

  it('is well when it meets the schema', () => {
    expect(validateValues(schema, { a: 'xy', 'b/c': 3 })).toEqual(new Map());
  });

  it.each([
    [{ a: 'x' }, 'a', 'minLength'],
    [{}, 'a', 'required'],
    [{ a: 'xy', 'b/c': 4 }, 'b/c', 'maximum'],
    [{ a: 'xy', 'b/c': 'x' }, 'b/c', 'type'],
  ])('%j fails at %s by %s', (values, name, fault) => {
    expect(validateValues(schema, values).get(name)).toBe(fault);
  });

  it('is left to the agent when the schema cannot be followed', () => {
    expect(validateValues({ $ref: '#/nowhere' }, { a: 1 })).toEqual(new Map());
    expect(validateValues({ properties: { a: { pattern: '(' } } }, { a: 'x' })).toEqual(new Map());
  });
});

/** Schemas of servers nobody vetted: they may be slow, odd or hostile, and cost no more than they may. */
import { afterEach, describe, expect, it, vi } from 'vitest';
import { compileSchema, MAX_SCHEMA_MS } from './json-schema.js';

const isValid = (schema: Record<string, unknown>, value: unknown) => compileSchema(schema, 'member')(value);

afterEach(() => vi.restoreAllMocks());

describe('a schema', () => {
  it('says what fits it', () => {
    const schema = { type: 'object', properties: { n: { type: 'integer' } }, required: ['n'] };
    expect(isValid(schema, { n: 1 })).toBe(true);
    expect(isValid(schema, { n: 'x' })).toBe(false);
  });

  it('whose pattern backtracks without end is ended, and nothing fits it', () => {
    const schema = { properties: { a: { type: 'string', pattern: '^(a+)+$' } } };
    const begun = performance.now();
    expect(isValid(schema, { a: `${'a'.repeat(64)}!` })).toBe(false);
    expect(performance.now() - begun).toBeLessThan(MAX_SCHEMA_MS * 5);
    expect(isValid(schema, { a: 'aaa' })).toBe(true);
  });

  it('whose references double at every step is ended', () => {
    const $defs: Record<string, unknown> = { d40: { type: 'object' } };
    for (let n = 0; n < 40; n++) {
      const $ref = `#/$defs/d${n + 1}`;
      $defs[`d${n}`] = { allOf: [{ $ref }, { $ref }] };
    }
    expect(isValid({ $defs, $ref: '#/$defs/d0' }, {})).toBe(false);
  });

  it('that asks for a promise is judged at once like any other', () => {
    const schema = { $async: true, type: 'object', required: ['x'] };
    expect(isValid(schema, {})).toBe(false);
    expect(isValid(schema, { x: 1 })).toBe(true);
  });

  it('of an unknown format takes every text, and says nothing on any stream', () => {
    const said = (['log', 'warn', 'error'] as const).map((name) => vi.spyOn(console, name));
    expect(isValid({ type: 'string', format: 'zebra' }, 'x')).toBe(true);
    for (const one of said) expect(one).not.toHaveBeenCalled();
  });

  it('is not met by what only a prototype has', () => {
    expect(isValid({ required: ['toString'] }, {})).toBe(false);
  });
});

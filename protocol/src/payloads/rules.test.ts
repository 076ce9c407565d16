import { describe, expect, it } from 'vitest';
import { CONTENT, FEATURES } from '../frames/index.js';
import { elicitationContent } from './answers.js';
import { impliedSupports, MAX_FEATURES, mergeSupports, readSupports } from './features.js';
import { judgeTimestamp } from './freshness.js';
import { uuidV4 } from './members.js';
import { NOW } from './payload.fixtures.js';
import { KINDS } from './words.js';

describe('features', () => {
  it('once announced are never taken back', () => {
    expect(mergeSupports(['receipts', 'acks'], [])).toEqual(['receipts', 'acks']);
    expect(mergeSupports(['acks'], ['choices', 'acks'])).toEqual(['acks', 'choices']);
    expect(mergeSupports(['acks'], null)).toEqual(['acks']);
  });

  it('keep names of later versions, but no text that is no name', () => {
    expect(readSupports(['later_one', 'acks', 5, '', 'A B', 'x'.repeat(33)])).toEqual(['acks', 'later_one']);
    expect(readSupports('acks')).toEqual([]);
  });

  it('are bounded, and those we know are never pushed out', () => {
    const flood = Array.from({ length: 5000 }, (_, at) => `flood_${at}`);
    const names = mergeSupports(mergeSupports([], flood), FEATURES);
    expect(names).toHaveLength(MAX_FEATURES);
    expect(names).toEqual(expect.arrayContaining([...FEATURES]));
  });

  it('of the web are there from the start', () => {
    expect(impliedSupports('web')).toEqual(['receipts', 'acks', 'choices', 'truncated', 'replace']);
    expect(impliedSupports('ios')).toEqual([]);
  });
});

describe('a time far from the agent', () => {
  const far = NOW + CONTENT.maxClockDistanceMs + 1;

  it('expires answers, drops the rest, and leaves those alone that must always get through', () => {
    const verdicts = Object.fromEntries(KINDS.map((kind) => [kind, judgeTimestamp(kind, far, NOW)]));
    expect(verdicts).toEqual({
      inbox_update: 'dropped',
      notification: 'dropped',
      hello: 'fresh',
      inbox_request: 'fresh',
      approval_response: 'expired',
      clarification_response: 'expired',
      elicitation_response: 'expired',
      ack: 'dropped',
      logout: 'fresh',
      bypass_end: 'fresh',
    });
  });

  it('begins after seven days, forwards and back', () => {
    for (const ts of [NOW + CONTENT.maxClockDistanceMs, NOW - CONTENT.maxClockDistanceMs]) {
      expect(judgeTimestamp('approval_response', ts, NOW)).toBe('fresh');
    }
    expect(judgeTimestamp('approval_response', NOW - CONTENT.maxClockDistanceMs - 1, NOW)).toBe('expired');
  });

  it('is a time that is no number too', () => {
    expect(judgeTimestamp('ack', Number.NaN, NOW)).toBe('dropped');
  });
});

describe('content of an answer to an elicitation', () => {
  const accept = (content: unknown) => ({ action: 'accept', content });

  it('is the field that was asked for, or value, and nothing else', () => {
    expect(elicitationContent({ field_name: 'key' }, accept({ key: 'k', value: 'v', __proto__: 1 }))).toEqual(
      {
        key: 'k',
      },
    );
    expect(elicitationContent({ field_name: null }, accept({ key: 'k', value: 'v' }))).toEqual({
      value: 'v',
    });
    expect(elicitationContent({}, accept({ key: 'k' }))).toEqual({});
  });

  it('is the members of the schema that was asked for', () => {
    const item = { field_name: null, requested_schema: { properties: { a: {}, b: {}, constructor: {} } } };
    expect(elicitationContent(item, accept({ a: 1, c: 2 }))).toEqual({ a: 1 });
  });

  it('comes only with accept, and only as an object', () => {
    expect(elicitationContent({}, { action: 'decline', content: { value: 'v' } })).toBeUndefined();
    expect(elicitationContent({}, accept(['v']))).toBeUndefined();
    expect(elicitationContent({}, accept(null))).toBeUndefined();
  });
});

it('a UUID of version 4 has its version and its variant, whatever the random bytes', () => {
  for (const byte of [0, 0xff, 0x5a]) {
    expect(uuidV4(new Uint8Array(16).fill(byte))).toMatch(
      /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/,
    );
  }
});

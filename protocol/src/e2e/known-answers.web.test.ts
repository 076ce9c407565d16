import { expect, test, vi } from 'vitest';
import { platform } from '#platform';
import ours from '../../vectors/countersign-v1.json' with { type: 'json' };
import published from '../../vectors/relay-v2.json' with { type: 'json' };
import { countersignKnownAnswers, relayKnownAnswers } from './index.js';

vi.mock('../platform/node.js', () => import('../platform/web.js'));

test('the platform under test is the one of browsers', () => expect(platform.runtime).toBe('web'));

test('all eighteen published vectors are checked', () => {
  expect(relayKnownAnswers(published)).toHaveLength(18);
});

test.each(relayKnownAnswers(published))('$name comes out byte for byte', async ({ actual, expected }) => {
  expect(await actual()).toBe(expected);
});

test.each(countersignKnownAnswers(published, ours))(
  'our own $name comes out byte for byte',
  async ({ actual, expected }) => {
    expect(await actual()).toBe(expected);
  },
);

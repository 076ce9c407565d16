import { describe, expect, it } from 'vitest';
import { countdown, inWords, parseDuration } from './duration.js';

describe('a duration', () => {
  it.each([
    ['90s', 90_000],
    ['10m', 600_000],
    ['24h', 86_400_000],
    ['6d', 518_400_000],
    ['1h30m', 5_400_000],
    [' 5M ', 300_000],
    ['0s', 0],
  ])('%j is read as %d ms', (text, ms) => {
    expect(parseDuration(text)).toBe(ms);
  });

  it.each(['', '10', 'm', '-5m', '1.5h', '10 m', '5w', '1e3s', `${'9'.repeat(10)}s`, '10m x'])(
    '%j is refused',
    (text) => {
      expect(parseDuration(text)).toBeUndefined();
    },
  );

  it.each([
    [0, '0 seconds'],
    [1_000, '1 second'],
    [-90_000, '90 seconds'],
    [600_000, '10 minutes'],
    [3_600_000, '60 minutes'],
    [86_400_000, '24 hours'],
    [518_400_000, '6 days'],
  ])('%d ms reads %j', (ms, words) => {
    expect(inWords(ms)).toBe(words);
  });

  it.each([
    [-5, '0:00'],
    [1, '0:01'],
    [249_000, '4:09'],
    [3_600_000, '1:00:00'],
  ])('%d ms run down as %j', (ms, text) => {
    expect(countdown(ms)).toBe(text);
  });
});

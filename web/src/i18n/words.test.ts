/** Both languages say the same things. */
import { afterAll, expect, it } from 'vitest';
import { de } from './de.js';
import { en } from './en.js';
import { relativeTime, spanText, timeLeft } from './format.js';
import { setLanguage, t } from './i18n.js';
import { systemLanguage } from './system-language.js';

afterAll(() => setLanguage('en', []));

const holes = (text: string) =>
  [...text.matchAll(/\{\{(\w+)\}\}/g)].map(([, name = '']) => name).sort((a, b) => a.localeCompare(b));

it('each has every key, with words, and the same places to fill', () => {
  expect(Object.keys(de).sort()).toEqual(Object.keys(en).sort());
  for (const key of Object.keys(en) as (keyof typeof en)[]) {
    expect([key, holes(de[key])]).toEqual([key, holes(en[key])]);
    expect([key, de[key].trim().length > 0]).toEqual([key, true]);
  }
});

it('a choice of language changes words, plurals and spans', async () => {
  await setLanguage('de', ['de-DE']);
  expect([t('nav.inbox'), t('nav.waiting', { count: 1 }), t('nav.waiting', { count: 2 })]).toEqual([
    'Eingang',
    '1 wartet',
    '2 warten',
  ]);
  expect(relativeTime(-3 * 3_600_000)).toContain('Std');
  await setLanguage('en', []);
  expect(t('answer.alreadyDecidedBy', { outcome: 'approved', by: '<b>' })).toContain('approved on <b>');
});

it.each([
  [['fr-FR', 'de-AT', 'en'], 'de'],
  [['en-US', 'de'], 'en'],
  [[], 'en'],
] as const)('of %j the app speaks %s', (preferred, language) => {
  expect(systemLanguage(preferred)).toBe(language);
});

it.each([
  [65_000, '1:05'],
  [0, '0:00'],
  [-5, '0:00'],
])('%d ms left are %s', (ms, text) => {
  expect(timeLeft(ms)).toBe(text);
});

it.each([
  [900, '15 min'],
  [3600, '1 hr'],
  [86_400, '1 day'],
])('%d seconds are %s', (seconds, text) => {
  expect(spanText(seconds)).toBe(text);
});

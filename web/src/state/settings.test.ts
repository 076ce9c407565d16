/** Settings, places, looks: what is read back from storage or an address is never trusted. */
import { describe, expect, it } from 'vitest';
import { AGENT_COLORS, colorOf } from './agents.js';
import { suggestedDeviceName } from './device-name.js';
import { installHint } from './install-hint.js';
import { parsePlace, placeHash } from './place.js';
import { DEFAULTS, isQuiet, readSettings } from './settings.js';

describe('stored settings', () => {
  it.each([undefined, null, 7, {}, { theme: 'neon', textSize: 3, quietHours: { from: '9', to: '25:00' } }])(
    '%j are the defaults',
    (stored) => {
      expect(readSettings(stored)).toEqual(DEFAULTS);
    },
  );

  it('come back as they were', () => {
    const chosen = { ...DEFAULTS, theme: 'dark', quietHours: { from: '22:00', to: '07:00' } } as const;
    expect(readSettings(structuredClone(chosen))).toEqual(chosen);
  });
});

describe('quiet hours', () => {
  it.each([
    ['22:00', '07:00', '23:30', true],
    ['22:00', '07:00', '06:59', true],
    ['22:00', '07:00', '07:00', false],
    ['12:00', '13:00', '12:30', true],
    ['12:00', '13:00', '11:59', false],
  ])('from %s to %s: at %s %s', (from, to, time, quiet) => {
    expect(isQuiet({ from, to }, time)).toBe(quiet);
  });

  it('that are not set are never', () => expect(isQuiet(null, '03:00')).toBe(false));
});

describe('a place', () => {
  it.each([
    { screen: 'inbox' },
    { screen: 'settings' },
    { screen: 'item', pairingId: 'ab.12', requestId: 'appr_ä/#?' },
  ] as const)('%j survives the address', (place) => {
    expect(parsePlace(placeHash(place))).toEqual(place);
  });

  it.each(['', '#', '#/nowhere', '#/item/only', '#/item/%zz/x', '#p=AQ'])('of %j is the inbox', (hash) => {
    expect(parsePlace(hash)).toEqual({ screen: 'inbox' });
  });
});

it('a colour follows from any id', () => {
  for (const id of ['00', 'ff12', 'zz', '']) {
    expect(colorOf(id)).toBeGreaterThanOrEqual(0);
    expect(colorOf(id)).toBeLessThan(AGENT_COLORS);
  }
});

describe('a browser', () => {
  const IPHONE =
    'Mozilla/5.0 (iPhone; CPU iPhone OS 18_0 like Mac OS X) Version/18.0 Mobile/15E148 Safari/604.1';
  const PIXEL = 'Mozilla/5.0 (Linux; Android 15; Pixel 9) Chrome/140.0 Mobile Safari/537.36';
  const DESKTOP = 'Mozilla/5.0 (X11; Linux x86_64) Chrome/140.0 Safari/537.36';

  it.each([
    [IPHONE, 'iPhone, Safari', 'ios'],
    [PIXEL, 'Android phone, Chrome', 'android'],
    [DESKTOP, 'Linux PC, Chrome', 'desktop'],
    ['', 'Web', 'desktop'],
  ] as const)('%j is named and advised', (userAgent, name, hint) => {
    expect(suggestedDeviceName(userAgent)).toBe(name);
    expect(installHint(userAgent, false)).toBe(hint);
    expect(installHint(userAgent, true)).toBeUndefined();
  });
});

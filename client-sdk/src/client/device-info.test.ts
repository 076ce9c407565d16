/** What the device says of itself. */
import { readFileSync } from 'node:fs';
import { FEATURES } from '@countersign/protocol';
import { expect, it } from 'vitest';
import { SDK_VERSION, SUPPORTS } from './device-info.js';

it('the version is that of the package', () => {
  const packageJson = JSON.parse(readFileSync(new URL('../../package.json', import.meta.url), 'utf8'));
  expect(SDK_VERSION).toBe(packageJson.version);
});

it('only features that exist are named', () => {
  expect(FEATURES).toEqual(expect.arrayContaining([...SUPPORTS]));
});

/**
 * The web app in a real Chromium, against a real relay and agents in processes of their own. One file, so that one
 * browser and one relay serve all of it.
 */
import { afterAll, afterEach, beforeAll, describe, expect } from 'vitest';
import { Stage } from './kit/stage.js';
import { content } from './suites/content.js';
import { deciding } from './suites/deciding.js';
import { pairing } from './suites/pairing.js';
import { quality } from './suites/quality.js';

const stage: { current?: Stage } = {};
const get = (): Stage => stage.current as Stage;

beforeAll(async () => {
  stage.current = await Stage.open();
}, 60_000);

afterEach(async () => {
  await get().clear();
  expect(get().complaints.splice(0)).toEqual([]);
});

afterAll(() => stage.current?.close());

describe('pairing', () => pairing(get));
describe('deciding', () => deciding(get));
describe('content', () => content(get));
describe('quality', () => quality(get));

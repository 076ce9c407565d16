/**
 * The web app in a real Chromium, against a real relay and agents in processes of their own. One file, so that one
 * browser and one relay serve all of it.
 */
import { afterAll, afterEach, beforeAll, describe, expect } from 'vitest';
import { Stage } from './kit/stage.js';
import { content } from './suites/content.js';
import { deciding } from './suites/deciding.js';
import { pairing } from './suites/pairing.js';
import { pictures } from './suites/pictures.js';
import { push } from './suites/push.js';
import { quality } from './suites/quality.js';

/** A busy machine takes its time; what must not last is awaited with its own limit. */
const PATIENT = { timeout: 60_000 };

const stage: { current?: Stage } = {};
const get = (): Stage => stage.current as Stage;

beforeAll(async () => {
  stage.current = await Stage.open();
  // Pairing takes seconds: no test shall pay for the phone that all of them use.
  await stage.current.inbox();
}, 120_000);

afterEach(async () => {
  await get().clear();
  expect(get().complaints.splice(0)).toEqual([]);
});

afterAll(() => stage.current?.close());

describe('pairing', PATIENT, () => pairing(get));
describe('deciding', PATIENT, () => deciding(get));
describe('content', PATIENT, () => content(get));
describe('pictures', PATIENT, () => pictures(get));
describe('push', PATIENT, () => push(get));
describe('quality', PATIENT, () => quality(get));

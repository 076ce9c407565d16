/** What showing an alert says: whether a push should come (03 §6). */
import { beforeEach, describe, expect, it } from 'vitest';
import { type AlertRecord, readAlert, writeAlert } from '../inbox/inbox-records.js';
import { memoryStorage } from '../storage/memory/index.js';
import type { Storage } from '../storage/storage.js';
import { Alerts } from './alerts.js';

const alert: AlertRecord = {
  key: 'k',
  counter: 1,
  receivedAt: 0,
  title: 't',
  body: 'first',
  shown: false,
  ended: false,
};
let storage: Storage;
let shown: string[];
let host: () => Promise<boolean>;
let alerts: Alerts;

const store = (record: AlertRecord) => storage.transaction((tx) => writeAlert(tx, 'p', record));

beforeEach(async () => {
  storage = memoryStorage();
  await storage.transaction((tx) => tx.put('pairings', 'p', { id: 'p', agentName: 'a' }));
  await store(alert);
  shown = [];
  host = async () => true;
  const onAlert = ({ body }: { body: string }) => {
    shown.push(body);
    return host();
  };
  alerts = new Alerts({ storage, logger: undefined, onAlert });
});

describe('an alert', () => {
  it('that was shown is remembered as shown, and a copy of it asks nobody', async () => {
    expect(await alerts.show('p', 'k', 'new')).toBe(true);
    expect((await storage.transaction((tx) => readAlert(tx, 'p', 'k')))?.shown).toBe(true);
    expect(await alerts.show('p', 'k', 'duplicate')).toBe(true);
    expect(shown).toEqual(['first']);
  });

  it.each([
    ['says no', async () => false],
    ['fails', () => Promise.reject(new Error('no window'))],
  ])('whose host %s is not shown, and a copy of it tries again', async (_, answer) => {
    host = answer;
    expect(await alerts.show('p', 'k', 'new')).toBe(false);
    host = async () => true;
    expect(await alerts.show('p', 'k', 'duplicate')).toBe(true);
    expect(shown).toEqual(['first', 'first']);
  });

  it('that takes the place of one being shown is shown after it, once however often it comes', async () => {
    let answer: (isShown: boolean) => void = () => undefined;
    host = () => new Promise((resolve) => (answer = resolve));
    const first = alerts.show('p', 'k', 'new');
    while (shown.length === 0) await Promise.resolve();
    await store({ ...alert, counter: 2, body: 'second' });
    const later = Array.from({ length: 50 }, () => alerts.show('p', 'k', 'new'));
    host = async () => true;
    answer(true);
    expect(await Promise.all([first, ...later])).toEqual(Array.from({ length: 51 }, () => true));
    expect(shown).toEqual(['first', 'second']);
  });

  it('that is gone has nothing to show', async () => {
    expect(await alerts.show('p', 'other', 'new')).toBe(true);
    expect(shown).toEqual([]);
  });
});

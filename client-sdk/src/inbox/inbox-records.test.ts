/** How much of an agent's past a device keeps. */
import { describe, expect, it } from 'vitest';
import { memoryStorage } from '../storage/memory/index.js';
import {
  ALERTS_MAX,
  type AlertRecord,
  type AnswerRecord,
  FINAL_ANSWERS_MAX,
  itemAlertKey,
  listAlerts,
  listAnswers,
  pruneAnswers,
  removeInbox,
  writeAlert,
  writeAnswer,
} from './inbox-records.js';

const alert = (counter: number): AlertRecord => ({
  key: itemAlertKey(`appr_${counter}`),
  counter,
  receivedAt: 0,
  title: 't',
  body: 'b',
  shown: true,
  ended: false,
});

const answer = (index: number, phase: 'confirmed' | 'sent'): AnswerRecord => ({
  id: `id-${index}`,
  kind: 'approval',
  requestId: `appr_${index}`,
  transport: 'queued',
  createdAt: index,
  sentTs: 0,
  itemExpiresAt: 0,
  snapshotCounter: 0,
  sends: 1,
  state: phase === 'confirmed' ? { phase, status: 'applied' } : { phase },
  itemGone: false,
});

describe('a device', () => {
  it('keeps the newest alerts and forgets the oldest above the limit', async () => {
    const kept = await memoryStorage().transaction(async (tx) => {
      for (let counter = 1; counter <= ALERTS_MAX + 2; counter += 1)
        await writeAlert(tx, 'p', alert(counter));
      return listAlerts(tx, 'p');
    });
    expect(kept).toHaveLength(ALERTS_MAX);
    expect(Math.min(...kept.map(({ counter }) => counter))).toBe(3);
  });

  it('keeps the newest final answers, every answer still open, and none for longer than told', async () => {
    const kept = await memoryStorage().transaction(async (tx) => {
      for (let index = 0; index < FINAL_ANSWERS_MAX + 3; index += 1) {
        await writeAnswer(tx, 'p', answer(index, 'confirmed'));
      }
      await writeAnswer(tx, 'p', { ...answer(0, 'sent'), requestId: 'open' });
      await writeAnswer(tx, 'p', { ...answer(-2000, 'sent'), requestId: 'long ago' });
      await pruneAnswers(tx, 'p', 1000, 1500);
      return listAnswers(tx, 'p');
    });
    expect(kept).toHaveLength(FINAL_ANSWERS_MAX + 1);
    expect(kept.map(({ requestId }) => requestId)).toContain('open');
    expect(kept.some(({ requestId }) => requestId === 'appr_2' || requestId === 'long ago')).toBe(false);
  });

  it('forgets one agent without touching another whose id begins alike', async () => {
    const storage = memoryStorage();
    await storage.transaction(async (tx) => {
      for (const pairing of ['p', 'p.2']) await writeAlert(tx, pairing, alert(1));
      await removeInbox(tx, 'p');
    });
    expect(await storage.transaction((tx) => listAlerts(tx, 'p.2'))).toHaveLength(1);
    expect(await storage.transaction((tx) => listAlerts(tx, 'p'))).toEqual([]);
  });
});

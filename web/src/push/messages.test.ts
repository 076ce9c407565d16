/** Messages between page and worker, also those of another version, and what becomes of an answer on a notification. */
import type { InboxItem, SentAnswer, ShownAnswerResult } from '@countersign/client-sdk';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { giveShown } from './give-shown.js';
import { readShownOutcome, readToPage, readToWorker } from './messages.js';

const item = { pairingId: 'p1', requestId: 'r1' };
const answer = { ...item, summary: 'Send email', decision: 'approve' } as const;
const alert = { id: 'i:r1', pairingId: 'p1', agentName: 'Robot', title: 'Robot', body: 'x', seen: false };

it('messages come out as they went in', () => {
  for (const message of [
    { type: 'go', ...item },
    { type: 'go_inbox' },
    { type: 'subscription_changed' },
    { type: 'answer', ...answer },
  ]) {
    expect(readToPage(message)).toEqual(message);
  }
  for (const message of [{ type: 'take-over' }, { type: 'show', alert }]) {
    expect(readToWorker(message)).toEqual(message);
  }
});

it.each([
  { type: 'answer', ...answer, decision: 'approve_all' },
  { type: 'answer', ...item },
  { type: 'go', pairingId: 7, requestId: 'r1' },
  { type: 'show', alert: { ...alert, body: undefined } },
])('%j is no message', (message) => {
  expect([readToPage(message), readToWorker(message)]).toEqual([undefined, undefined]);
});

it('nothing that arrives makes a reader throw', () => {
  fc.assert(
    fc.property(fc.anything({ withNullPrototype: true }), (data) => {
      readToPage(data);
      readToWorker(data);
      expect([undefined, 'ended', 'confirmed']).toContain(readShownOutcome(data));
    }),
  );
});

describe('an answer on a notification', () => {
  const added: unknown[] = [];
  const outcome = (result: ShownAnswerResult | Error) =>
    giveShown(answer, {
      client: {
        inbox: { get: () => ({ items: [item as InboxItem] }) as never, subscribe: () => () => undefined },
        async answerShown() {
          if (result instanceof Error) throw result;
          return result;
        },
      },
      history: { add: async (...entry) => void added.push(entry) },
      now: () => 1,
    });
  const given = (phase: string) =>
    outcome({ result: 'given', answer: { settled: async () => ({ phase }) } as unknown as SentAnswer });

  it.each([
    ['confirmed', 'confirmed'],
    ['not_confirmed', 'on_its_way'],
    ['refused', 'ended'],
  ])('that is %s counts as %s and is kept in the history', async (phase, expected) => {
    added.length = 0;
    expect(await given(phase)).toBe(expected);
    expect(added).toMatchObject([[item, 'approved', {}, 1]]);
  });

  it('that was not given is in no history', async () => {
    added.length = 0;
    expect(await outcome({ result: 'differs' })).toBe('differs');
    expect(await outcome(new Error('the outbox is full'))).toBe('look');
    expect(added).toEqual([]);
  });
});

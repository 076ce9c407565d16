/** What stands on the screen for each kind of push. */
import type { Alert, InboxItem } from '@countersign/client-sdk';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { noticeOf, type Present, unopenedNotice } from './notice.js';
import { de, en, sayIn } from './words.js';

const NOW = 1_000_000;
const say = sayIn('en');
const alert = (more: Partial<Alert> = {}): Alert => ({
  id: 'i:r1',
  pairingId: 'p1',
  agentName: 'Robot',
  title: 'Robot',
  body: 'Send email to ann@example.org',
  requestId: 'r1',
  itemKind: 'approval',
  expiresAt: NOW + 60_000,
  seen: false,
  ...more,
});
const item = (more: Partial<InboxItem> = {}) => ({ state: 'waiting', risk: 'normal', ...more }) as InboxItem;
const present = (more: Partial<Present> = {}): Present => ({
  item: item(),
  badge: 1,
  label: undefined,
  before: undefined,
  now: NOW,
  isQuiet: false,
  takesButtons: true,
  ...more,
});
const actions = (more: Partial<Alert>, now: Partial<Present>) =>
  noticeOf(alert(more), present(now), say).buttons.map(({ action }) => action);

describe('a new item', () => {
  it('is told with its agent, its summary and two buttons', () => {
    expect(noticeOf(alert(), present(), say)).toMatchObject({
      title: 'Robot',
      body: 'Send email to ann@example.org',
      tag: 'item/p1/r1',
      buttons: [{ action: 'approve' }, { action: 'reject' }],
      quiet: false,
      data: { pairingId: 'p1', requestId: 'r1', summary: 'Send email to ann@example.org' },
    });
  });

  it('bears the label that the person gave its agent', () => {
    expect(noticeOf(alert(), present({ label: 'Office' }), say).title).toBe('Office');
  });

  it('is silent in quiet hours', () => {
    expect(noticeOf(alert(), present({ isQuiet: true }), say).quiet).toBe(true);
  });

  it.each<[string, Partial<Alert>, Partial<Present>]>([
    ['a question', { itemKind: 'clarification' }, {}],
    ['high risk', {}, { item: item({ state: 'open', risk: 'high' }) }],
    ['a summary with what cannot be seen', { body: 'pay\u202E001' }, {}],
    ['a device where the person must look first', {}, { takesButtons: false }],
    ['an item that is not known here', {}, { item: undefined }],
  ])('has no buttons for %s', (_, more, now) => {
    expect(actions(more, now)).toEqual([]);
  });
});

describe('what has ended', () => {
  it.each<[string, Partial<Alert>, Partial<Present>, string]>([
    [
      'a replacement',
      { replaces: 'r1', outcome: 'approved on Pixel', body: 'approved on Pixel' },
      {},
      'approved on Pixel',
    ],
    ['one answered here', {}, { item: item({ state: 'answered' }) }, 'does not wait any more'],
    ['an old push again', { seen: true }, { item: undefined }, 'does not wait any more'],
    ['one that came too late', { expiresAt: NOW }, { item: undefined }, 'time for this is over'],
  ])('is told quietly and without buttons: %s', (_, more, now, text) => {
    const notice = noticeOf(alert(more), present(now), say);
    expect(notice).toMatchObject({ tag: 'item/p1/r1', buttons: [], quiet: true });
    expect(notice.body).toContain(text);
  });

  it('keeps the summary that stood there', () => {
    const ended = alert({ replaces: 'r1', outcome: 'cancelled', body: 'cancelled' });
    expect(noticeOf(ended, present({ before: 'Send email' }), say).body).toBe('cancelled\nSend email');
  });
});

it('a duplicate of what is on the screen makes no sound; of what is not, it does', () => {
  expect(noticeOf(alert({ seen: true }), present({ before: 'x' }), say).quiet).toBe(true);
  expect(noticeOf(alert({ seen: true }), present(), say).quiet).toBe(false);
});

it('information names its agent and has a place of its own', () => {
  const told = alert({ id: 'm:7', requestId: undefined, title: 'Backup', body: 'Done.' });
  expect(noticeOf(told, present(), say)).toMatchObject({
    title: 'Robot: Backup',
    tag: 'told/p1/m:7',
    buttons: [],
  });
});

it('a push that cannot be opened says how many wait, when that is known', () => {
  expect(unopenedNotice({ badge: 0, isQuiet: false }, say).body).toBe(en.waiting);
  expect(unopenedNotice({ badge: 1, isQuiet: false }, say).body).toContain('1 item waits');
  expect(unopenedNotice({ badge: 3, isQuiet: false }, sayIn('de')).body).toContain('3 Anfragen warten');
});

it('whatever a push holds, something short stands there', () => {
  const text = fc.string({ unit: 'binary', maxLength: 3000 });
  const any = fc.record({
    title: text,
    body: text,
    requestId: fc.option(text, { nil: undefined }),
    seen: fc.boolean(),
  });
  fc.assert(
    fc.property(any, (more) => {
      const { title, body } = noticeOf(alert(more), present(), say);
      expect(title.length).toBeLessThanOrEqual(256);
      expect(body.length).toBeLessThanOrEqual(1024);
    }),
  );
});

it('both languages have every word, with the same values in it', () => {
  const values = (text: string) => text.match(/\{\{\w+\}\}/g) ?? [];
  for (const [key, text] of Object.entries(en))
    expect(values(de[key as keyof typeof en])).toEqual(values(text));
  expect(Object.keys(de)).toEqual(Object.keys(en));
});

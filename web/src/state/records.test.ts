/** What the app keeps: decisions, messages, looks of agents; and what it makes of an inbox. */
import type { AnswerState, InboxItem, InboxSnapshot, SentAnswer } from '@countersign/client-sdk';
import { signal } from '@preact/signals';
import { describe, expect, it } from 'vitest';
import { Agents } from './agents.js';
import { decisionOf } from './answering.js';
import type { AppDatabase } from './database.js';
import { diagnosticsText } from './diagnostics.js';
import { exportText, HISTORY_MAX, History } from './history.js';
import { cardsOf, onTheirWay } from './inbox-order.js';
import { ENDINGS_MAX, MESSAGES_MAX, Messages } from './messages.js';
import { DEFAULTS } from './settings.js';
import { soundOnNew } from './sound.js';
import { remainingMs } from './time-left.js';

/** Enough of the database for these. */
function memoryDatabase(): AppDatabase {
  const stores = new Map<string, Map<string, unknown>>();
  const store = (name: string) => {
    const found = stores.get(name) ?? new Map<string, unknown>();
    stores.set(name, found);
    return found;
  };
  return {
    get: async (name: string, key: string) => store(name).get(key),
    getAll: async (name: string) => [...store(name).values()],
    getAllKeys: async (name: string) => [...store(name).keys()],
    put: async (name: string, value: unknown, key: string) =>
      void store(name).set(key, structuredClone(value)),
    delete: async (name: string, key: string) => void store(name).delete(key),
    clear: async (name: string) => store(name).clear(),
  } as unknown as AppDatabase;
}

function item(change: Partial<InboxItem> = {}): InboxItem {
  return {
    pairingId: 'aa',
    agentName: 'Robot',
    kind: 'approval',
    requestId: 'appr_1',
    state: 'open',
    summary: 'Send it',
    entry: {},
    digest: 'd',
    whole: true,
    digestMatches: true,
    createdAt: 1,
    expiresAt: 1000,
    remainingMs: 999,
    risk: 'normal',
    choices: [],
    ...change,
  };
}

const snapshot = (change: Partial<InboxSnapshot> = {}): InboxSnapshot => ({
  items: [],
  badge: 0,
  pairings: [],
  bypasses: [],
  ...change,
});

function sent(id: string, state: AnswerState = { phase: 'sending' }): SentAnswer {
  return { id, state, receipt: { sig: id }, settled: async () => state };
}

describe('cards', () => {
  it('stand by risk, then by how long they wait; answered ones are not there', () => {
    const items = [
      item({ requestId: 'new', createdAt: 9 }),
      item({ requestId: 'old', createdAt: 2 }),
      item({ requestId: 'high', createdAt: 10, risk: 'high' }),
      item({ requestId: 'low', createdAt: 1, risk: 'low' }),
      item({ requestId: 'done', state: 'answered' }),
    ];
    expect(cardsOf(items).map(({ requestId }) => requestId)).toEqual(['high', 'old', 'new', 'low']);
  });

  it('that were answered and not confirmed are on their way', () => {
    const items = [
      item({ requestId: 'sent', state: 'answered', answer: { phase: 'sent' } }),
      item({ requestId: 'done', state: 'answered', answer: { phase: 'confirmed', status: 'applied' } }),
    ];
    expect(onTheirWay(items).map(({ requestId }) => requestId)).toEqual(['sent']);
  });

  it('count down in the agent’s time', () => {
    const pairing = { id: 'aa', agentName: '', connection: 'online', agentOnline: true } as const;
    const inbox = snapshot({ pairings: [{ ...pairing, clockOffsetMs: 100 }] });
    expect(remainingMs(item(), inbox, 500)).toBe(400);
    expect(remainingMs(item({ pairingId: 'other' }), inbox, 500)).toBe(500);
    expect(remainingMs(item(), inbox, 5000)).toBe(0);
  });
});

describe('the history', () => {
  it('keeps decisions with their receipts, newest first, over a restart', async () => {
    const database = memoryDatabase();
    const history = await History.open(database);
    await history.add(item(), 'approved', sent('a1'), 1);
    await history.add(item({ requestId: 'appr_2' }), 'rejected', sent('a2'), 2);
    const again = await History.open(database);
    expect(again.entries.value.map(({ id, receipt }) => [id, receipt])).toEqual([
      ['a2', { sig: 'a2' }],
      ['a1', { sig: 'a1' }],
    ]);
    expect(again.of('aa', 'appr_1')?.decision).toBe('approved');
    expect(JSON.parse(exportText(again.entries.value))).toMatchObject({
      v: 1,
      decisions: [{ id: 'a2' }, {}],
    });
  });

  it('takes over what became of an answer, and asks no more once it is final', async () => {
    const history = await History.open(memoryDatabase());
    await history.add(item(), 'approved', sent('a1'), 1);
    const states: AnswerState[] = [{ phase: 'sent' }, { phase: 'confirmed', status: 'applied' }];
    const asked: string[] = [];
    const answerState = (_: string, id: string) => {
      asked.push(id);
      return states.shift();
    };
    const device = { client: { answerState } } as unknown as Parameters<History['follow']>[0];
    for (let look = 0; look < 4; look++) await history.follow(device);
    expect(history.entries.value[0]?.state).toEqual({ phase: 'confirmed', status: 'applied' });
    expect(asked).toHaveLength(2);
  });

  it(`forgets the oldest beyond ${HISTORY_MAX}`, async () => {
    const database = memoryDatabase();
    const history = await History.open(database);
    for (let at = 0; at <= HISTORY_MAX; at++) await history.add(item(), 'approved', sent(`a${at}`), at);
    expect(history.entries.value).toHaveLength(HISTORY_MAX);
    expect((await History.open(database)).entries.value.at(-1)?.id).toBe('a1');
  });

  it.each([
    [{ kind: 'approve' }, 'approved'],
    [{ kind: 'approve', options: { bypassSecs: 900 } }, 'approved_for'],
    [{ kind: 'approve', options: { bypassSecs: 0 } }, 'approved_session'],
    [{ kind: 'approve', options: { ruleId: 'a' } }, 'approved_rule'],
    [{ kind: 'approve', options: { modifiedArguments: {} } }, 'approved_edited'],
    [{ kind: 'reject', options: { reason: 'x' } }, 'rejected'],
    [{ kind: 'reject', options: { stop: true } }, 'stopped'],
    [{ kind: 'reject', options: { respond: true } }, 'responded'],
    [{ kind: 'answer', content: { kind: 'clarification', answer: 'x' } }, 'answered'],
    [{ kind: 'answer', content: { kind: 'elicitation', action: 'accept', content: {} } }, 'accepted'],
    [{ kind: 'answer', content: { kind: 'elicitation', action: 'decline' } }, 'declined'],
    [{ kind: 'answer', content: { kind: 'elicitation', action: 'cancel' } }, 'cancelled'],
  ] as const)('calls %j %s', (act, decision) => {
    expect(decisionOf(act)).toBe(decision);
  });
});

describe('messages', () => {
  const note = { pairingId: 'aa', agentName: 'Robot', title: 'Done', body: 'All well', seen: false };

  it('stay until they are dismissed, each once', async () => {
    const database = memoryDatabase();
    const messages = await Messages.open(database);
    await messages.take({ ...note, id: 'i:1' }, 1);
    await messages.take({ ...note, id: 'i:1' }, 2);
    expect((await Messages.open(database)).unread.value).toHaveLength(1);
    for (const message of messages.unread.value) await messages.dismiss(message);
    expect((await Messages.open(database)).unread.value).toEqual([]);
  });

  it('about items are none, but say how an item ended', async () => {
    const messages = await Messages.open(memoryDatabase());
    await messages.take({ ...note, id: 'r:1', requestId: 'appr_1' }, 1);
    await messages.take(
      { ...note, id: 'r:1', requestId: 'appr_1', replaces: 'appr_1', outcome: 'expired' },
      2,
    );
    expect(messages.unread.value).toEqual([]);
    expect(messages.endingOf('aa', 'appr_1')).toBe('expired');
  });

  it('have their limits', async () => {
    const messages = await Messages.open(memoryDatabase());
    for (let at = 0; at < MESSAGES_MAX + 5; at++) await messages.take({ ...note, id: `i:${at}` }, at);
    expect(messages.unread.value).toHaveLength(MESSAGES_MAX);
    for (let at = 0; at <= ENDINGS_MAX; at++) {
      await messages.take({ ...note, id: `r:${at}`, replaces: `${at}`, outcome: 'x' }, at);
    }
    expect([messages.endingOf('aa', '0'), messages.endingOf('aa', '1')]).toEqual([undefined, 'x']);
  });
});

describe('an agent’s look', () => {
  it('is a colour no other agent has, while there is one', async () => {
    const agents = await Agents.open(memoryDatabase());
    for (const id of ['00', '08', '10']) await agents.welcome(id, ['00', '08', '10']);
    expect(new Set(['00', '08', '10'].map((id) => agents.lookOf(id).color)).size).toBe(3);
  });

  it('is kept, changed and forgotten', async () => {
    const database = memoryDatabase();
    const agents = await Agents.open(database);
    await agents.change('00', { label: 'Mail', color: 5 });
    expect((await Agents.open(database)).lookOf('00')).toEqual({ label: 'Mail', color: 5 });
    await agents.forget('00');
    expect((await Agents.open(database)).lookOf('00')).toEqual({ color: 0 });
  });
});

describe('a sound', () => {
  it('comes with something new, if it is wanted and the time is not quiet', () => {
    const inbox = signal(snapshot({ items: [item()] }));
    const values = signal({ ...DEFAULTS, sounds: true });
    const played: string[] = [];
    let time = '12:00';
    soundOnNew({ inbox }, { values }, { play: () => played.push(time), time: () => time });
    inbox.value = snapshot({ items: [item()] });
    expect(played).toEqual([]);
    inbox.value = snapshot({ items: [item(), item({ requestId: 'appr_2' })] });
    expect(played).toEqual(['12:00']);
    values.value = { ...values.value, quietHours: { from: '22:00', to: '07:00' } };
    time = '23:00';
    inbox.value = snapshot({ items: [item({ requestId: 'appr_3' })] });
    expect(played).toEqual(['12:00']);
  });
});

it('diagnostics name nobody and nothing', () => {
  const secret = 'planted';
  const status = {
    id: secret,
    agentName: secret,
    connection: 'waiting',
    agentOnline: undefined,
    problem: { code: 'unavailable', message: secret },
  } as const;
  const inbox = snapshot({
    pairings: [status],
    items: [item({ summary: secret, agentName: secret, requestId: secret, entry: { secret } })],
  });
  const around = {
    appVersion: '0.1.0',
    userAgent: 'UA',
    online: true,
    standalone: false,
    serviceWorker: true,
    notifications: 'default',
    storedBytes: 1,
    isLockSetUp: false,
    now: 1,
  };
  const text = diagnosticsText(inbox, [], { ...DEFAULTS, deviceName: secret }, around);
  expect(text).not.toContain(secret);
  expect(JSON.parse(text)).toMatchObject({
    agents: [{ problem: 'unavailable' }],
    items: { 'approval open': 1 },
  });
});

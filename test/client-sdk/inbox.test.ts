/** What a device shows of what an agent sends, whatever the agent or the relay does. */
import type { InboxItem, InboxSnapshot } from '@countersign/client-sdk';
import { describe, expect, it } from 'vitest';
import type { ScriptedAgent } from './scripted-agent.js';
import { inboxWhen, itemWhen, until } from './waiting.js';
import { type Device, World } from './world.js';

async function paired(options = {}): Promise<{ agent: ScriptedAgent; device: Device; id: string }> {
  const world = await World.start();
  const agent = await world.agent(options);
  const device = await world.device(agent);
  return { agent, device, id: device.pairing.deviceId };
}

describe('the inbox', () => {
  it('shows what is pending, counts down by the agent, and tells the age of the snapshot', async () => {
    const { agent, device } = await paired();
    const entry = await agent.ask('approval', { risk: 'high', session_id: 's1' });
    await agent.ask('clarification', {});
    await agent.ask('elicitation', {});
    const inbox = await inboxWhen(device.client, ({ items }) => items.length === 3);
    expect(inbox.badge).toBe(3);
    expect(inbox.items[0]).toMatchObject({
      kind: 'approval',
      state: 'open',
      risk: 'high',
      whole: true,
      entry,
    });
    expect(inbox.items.map(({ summary }) => summary)).toEqual([
      'Write notes.txt',
      'Which branch?',
      'The token, please',
    ]);
    expect(inbox.items[0]?.remainingMs).toBeGreaterThan(50_000);
    expect(inbox.pairings[0]).toMatchObject({ connection: 'online', agentOnline: true });
    expect(Math.abs(Date.now() - (inbox.pairings[0]?.snapshotAt ?? 0))).toBeLessThan(10_000);
  });

  it('loses what is not in the next snapshot', async () => {
    const { agent, device } = await paired();
    const entry = await agent.ask('approval', {});
    await itemWhen(device.client, entry.request_id);
    await agent.end(String(entry.request_id));
    await inboxWhen(device.client, ({ items, badge }) => items.length === 0 && badge === 0);
  });

  it('is not rolled back by an older snapshot that was held back', async () => {
    const { agent, device, id } = await paired();
    const empty = agent.snapshot();
    const entry = await agent.ask('approval', {});
    await itemWhen(device.client, entry.request_id);
    // An unused counter of the reserved block below the one that was just used.
    await agent.sendLiveAt(id, empty, agent.highWater(id) - 2 ** 20);
    await agent.queue(id, agent.notification({ body: 'after it' }));
    await until(() => device.alerts.length === 1);
    expect(device.client.inbox.get().items).toHaveLength(1);
  });

  it('applies a replayed message once', async () => {
    const { agent, device, id } = await paired();
    const counter = agent.highWater(id) + 200;
    const note = agent.notification({ body: 'once' });
    await agent.sendLiveAt(id, note, counter);
    await agent.sendLiveAt(id, note, counter);
    await agent.queue(id, agent.notification({ body: 'last' }));
    await until(() => device.alerts.some(({ body }) => body === 'last'));
    expect(device.alerts.map(({ body }) => body)).toEqual(['once', 'last']);
  });

  it('shows an item of an unknown shape as unreadable, and the others as they are', async () => {
    const { agent, device } = await paired();
    agent.items.push({ kind: 'approval', entry: { request_id: 'appr_bad', tool_name: 7 } });
    const good = await agent.ask('approval', {});
    const bad = await itemWhen(device.client, 'appr_bad', () => true);
    expect(bad).toMatchObject({ state: 'unreadable', entry: { tool_name: 7 } });
    expect((await itemWhen(device.client, good.request_id)).state).toBe('open');
    await expect(device.client.approve(bad)).rejects.toMatchObject({ code: 'invalid_request' });
    const sent = await device.client.reject(bad);
    expect(await sent.settled()).toMatchObject({ phase: 'confirmed' });
  });

  it('survives hostile content of every kind', async () => {
    const { agent, device, id } = await paired();
    const hostile: unknown[] = [
      null,
      7,
      [],
      '',
      { request_id: '__proto__' },
      { request_id: 'x', created_at: 1e308 },
    ];
    const list = hostile.flatMap((entry) => [
      entry,
      { request_id: 'a', blocks: entry, choices: entry, rules: entry },
    ]);
    for (const extra of [
      { approvals: list, clarifications: list, elicitations: list, badge: -1 },
      { approvals: 'none' },
      { bypasses: list, supports: list },
      { v: 2 },
      { kind: 'session_page' },
    ]) {
      await agent.sendLive(id, { ...agent.snapshot(), ...extra });
    }
    const entry = await agent.ask('approval', {});
    await itemWhen(device.client, entry.request_id);
  });
});

describe('an item', () => {
  const refused = (device: Device, item: InboxItem, options = {}) =>
    expect(device.client.approve(item, options)).rejects.toMatchObject({ code: 'invalid_request' });

  it('cannot be approved in parts, but loaded whole and then approved', async () => {
    const { agent, device } = await paired();
    const entry = await agent.ask('approval', {});
    const whole = agent.items;
    const { arguments: _, ...cut } = entry;
    agent.items = [{ kind: 'approval', entry: { ...cut, truncated: true } }];
    await agent.broadcast();
    const item = await itemWhen(device.client, entry.request_id, ({ whole: isWhole }) => !isWhole);
    await refused(device, item);
    agent.items = whole;
    const loaded = (await device.client.load(item)) as InboxItem;
    expect(loaded).toMatchObject({ whole: true, digestMatches: true });
    expect(agent.received.some(({ payload }) => payload.request_id === entry.request_id)).toBe(true);
    expect(await (await device.client.approve(loaded)).settled()).toMatchObject({ phase: 'confirmed' });
  });

  it('cannot be approved when its digest does not match, only rejected', async () => {
    const { agent, device } = await paired();
    const entry = await agent.ask('approval', { digest: 'ab'.repeat(32) });
    const item = await itemWhen(device.client, entry.request_id);
    expect(item.digestMatches).toBe(false);
    await refused(device, item);
    expect(await (await device.client.reject(item)).settled()).toMatchObject({ phase: 'confirmed' });
  });

  it('cannot be approved when it is not the one that was shown', async () => {
    const { agent, device } = await paired();
    const entry = await agent.ask('approval', {});
    const item = await itemWhen(device.client, entry.request_id);
    await refused(device, { ...item, digest: 'cd'.repeat(32) });
    await refused(device, { ...item, requestId: 'appr_foreign' });
    await refused(device, { ...item, kind: 'clarification' });
  });

  it('offers what its agent lists and nothing else', async () => {
    const { agent, device } = await paired();
    const entry = await agent.ask('approval', {
      choices: ['approve', 'approve_for', 'approve_rule', 'edit', 'reject', 'telepathy'],
      rules: [{ id: 'r1', label: 'always' }],
      input_schema: { type: 'object' },
    });
    const item = await itemWhen(device.client, entry.request_id);
    expect(item.choices).toEqual(['approve', 'approve_for', 'approve_rule', 'edit', 'reject']);
    await refused(device, item, { bypassSecs: 0 });
    await refused(device, item, { bypassSecs: -1 });
    await refused(device, item, { bypassSecs: 1.5 });
    await refused(device, item, { bypassSecs: 86_401 });
    await refused(device, item, { ruleId: 'r2' });
    await refused(device, item, { ruleId: 'r1', bypassSecs: 60 });
    const rejection = device.client.reject(item, { reason: 'why' });
    await expect(rejection).rejects.toMatchObject({ code: 'invalid_request' });
    const sent = await device.client.approve(item, { bypassSecs: 86_400, modifiedArguments: { path: 'b' } });
    expect(await sent.settled()).toMatchObject({ phase: 'confirmed' });
    expect((await agent.answer(item.requestId)).payload).toMatchObject({
      bypass_secs: 86_400,
      modified_arguments: { path: 'b' },
    });
  });

  it('without choices offers 15 minutes and this session', async () => {
    const { agent, device } = await paired();
    const entry = await agent.ask('approval', {});
    const item = await itemWhen(device.client, entry.request_id);
    await refused(device, item, { bypassSecs: 901 });
    await refused(device, item, { modifiedArguments: {} });
    const sent = await device.client.approve(item, { bypassSecs: 900 });
    expect(await sent.settled()).toMatchObject({ phase: 'confirmed' });
  });

  it('is answered once, however often it is tapped', async () => {
    const { agent, device } = await paired();
    const entry = await agent.ask('approval', {});
    const item = await itemWhen(device.client, entry.request_id);
    const taps = await Promise.allSettled([1, 2, 3].map(() => device.client.approve(item)));
    expect(taps.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
    await refused(device, item);
    await agent.answer(item.requestId);
    expect(agent.answers(item.requestId)).toHaveLength(1);
  });

  it('of each kind takes its own answer only', async () => {
    const { agent, device } = await paired();
    const question = await agent.ask('clarification', {});
    const form = await agent.ask('elicitation', {});
    const clarification = await itemWhen(device.client, question.request_id);
    const elicitation = await itemWhen(device.client, form.request_id);
    const { client } = device;
    await refused(device, clarification);
    await expect(client.reject(elicitation)).rejects.toMatchObject({ code: 'invalid_request' });
    await expect(
      client.answer(clarification, { kind: 'elicitation', action: 'decline' }),
    ).rejects.toMatchObject({ code: 'invalid_request' });
    await expect(
      client.answer(elicitation, { kind: 'elicitation', action: 'accept', content: { other: 1 } }),
    ).rejects.toMatchObject({ code: 'invalid_request' });

    await client.answer(clarification, { kind: 'clarification', answer: 'main' });
    await client.answer(elicitation, { kind: 'elicitation', action: 'accept', content: { token: 't' } });
    expect((await agent.answer(clarification.requestId)).payload).toMatchObject({
      kind: 'clarification_response',
      answer: 'main',
      receipt: { kind: 'clarification', answer: { answer: 'main' } },
    });
    expect((await agent.answer(elicitation.requestId)).payload).toMatchObject({
      kind: 'elicitation_response',
      action: 'accept',
      content: { token: 't' },
    });
  });
});

describe('a standing approval', () => {
  it('is listed with the time left, and ended from here', async () => {
    const { agent, device } = await paired();
    agent.extra = {
      bypasses: [
        { id: 'b1', tool_name: 'write_file', until: Date.now() + 60_000, by: 'phone' },
        { id: 'b2', tool_name: 'bash', session_id: 's', until: null, by: 'phone' },
        { id: 'b3', tool_name: 'old', until: Date.now() - 1, by: 'phone' },
      ],
    };
    await agent.broadcast();
    const { bypasses } = await inboxWhen(device.client, (inbox) => inbox.bypasses.length > 0);
    expect(bypasses.map(({ id }) => id)).toEqual(['b1', 'b2']);
    expect(bypasses[1]).toMatchObject({ sessionId: 's', remainingMs: null });
    await device.client.endBypass(device.pairing.id, 'b1');
    expect((await agent.payload('bypass_end')).payload).toMatchObject({ bypass_id: 'b1' });
  });

  it('cannot be ended at an agent that keeps no list', async () => {
    const { device } = await paired({ supports: ['acks', 'receipts'] });
    await expect(device.client.endBypass(device.pairing.id, 'b1')).rejects.toMatchObject({
      code: 'unsupported',
    });
  });
});

describe('either clock', () => {
  const DAY = 24 * 60 * 60 * 1000;

  it.each([1, -1])('may be off by a day (%i): items count down and answers apply', async (days) => {
    const world = await World.start();
    const agent = await world.agent();
    const device = await world.device(agent, { clock: { now: () => Date.now() + days * DAY } });
    const entry = await agent.ask('approval', {});
    const item = await itemWhen(device.client, entry.request_id);
    expect(item.remainingMs).toBeGreaterThan(50_000);
    expect(item.remainingMs).toBeLessThanOrEqual(61_000);
    expect(await (await device.client.approve(item)).settled()).toMatchObject({ phase: 'confirmed' });
    const { payload } = await agent.answer(item.requestId);
    const { decided_at } = payload.receipt as { decided_at: number };
    expect(Math.abs(decided_at - Date.now())).toBeLessThan(5000);
    expect(Math.abs(Number(payload.ts) - Date.now() - days * DAY)).toBeLessThan(5000);
  });

  it.each([8, -8])('that is off by 8 days (%i) is told, adopted, and then answers apply', async (days) => {
    const world = await World.start();
    const agent = await world.agent();
    agent.onAnswer = (answer) => {
      const isFar = Math.abs(Number(answer.payload.ts) - Date.now()) > 7 * DAY;
      return isFar ? { status: 'expired', now: Date.now() } : agent.applyAnswer(answer);
    };
    const device = await world.device(agent, { clock: { now: () => Date.now() + days * DAY } });
    const entry = await agent.ask('approval', {});
    const item = await itemWhen(device.client, entry.request_id);
    const first = await (await device.client.approve(item)).settled();
    expect(first).toMatchObject({ phase: 'refused', status: 'expired' });
    expect(first.phase === 'refused' && first.message).toContain('8 days');
    const { pairings } = await inboxWhen(
      device.client,
      (inbox) => inbox.pairings[0]?.problem?.code === 'clock_skew',
    );
    expect(pairings[0]?.connection).toBe('online');
    const again = await itemWhen(device.client, entry.request_id);
    expect(await (await device.client.approve(again)).settled()).toMatchObject({ phase: 'confirmed' });
  });

  it.each([8, -8])('that was off by 8 days (%i) and was set is no problem any more', async (days) => {
    const world = await World.start();
    const agent = await world.agent();
    let offset = days * DAY;
    agent.onAnswer = (answer) => {
      const isFar = Math.abs(Number(answer.payload.ts) - Date.now()) > 7 * DAY;
      return isFar ? { status: 'expired', now: Date.now() } : agent.applyAnswer(answer);
    };
    const device = await world.device(agent, { clock: { now: () => Date.now() + offset } });
    const entry = await agent.ask('approval', {});
    await (await device.client.approve(await itemWhen(device.client, entry.request_id))).settled();
    const skewed = (inbox: InboxSnapshot) => inbox.pairings[0]?.problem?.code === 'clock_skew';
    await inboxWhen(device.client, skewed);

    offset = 0;
    await agent.broadcast();
    await inboxWhen(device.client, (inbox) => !skewed(inbox));
    const item = await itemWhen(device.client, entry.request_id);
    expect(item.remainingMs).toBeGreaterThan(45_000);
    expect(item.remainingMs).toBeLessThanOrEqual(61_000);
    expect(await (await device.client.approve(item)).settled()).toMatchObject({ phase: 'confirmed' });
  });
});

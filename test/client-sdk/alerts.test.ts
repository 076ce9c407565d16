/** Notifications: shown once to a person, opened without a connection, replaced when their item ends (03 §3, §6). */
import { type Alert, confirmShown, openNotification } from '@countersign/client-sdk';
import { memoryStorage } from '@countersign/client-sdk/storage/memory';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { ScriptedAgent } from './scripted-agent.js';
import { inboxWhen, itemWhen, until } from './waiting.js';
import { type Device, openDevice, World } from './world.js';

async function paired(): Promise<{ agent: ScriptedAgent; device: Device; id: string }> {
  const world = await World.start();
  const agent = await world.agent();
  const device = await world.device(agent);
  return { agent, device, id: device.pairing.deviceId };
}

const about = (requestId: string) => ({
  body: 'Write notes.txt',
  request_id: requestId,
  item_kind: 'approval',
  badge: 1,
});

describe('an alert', () => {
  it('is shown once, and stands as a card that waits until its item comes', async () => {
    const { agent, device, id } = await paired();
    await agent.queue(id, agent.notification(about('appr_a')));
    await until(() => device.alerts.length === 1);
    expect(device.alerts[0]).toMatchObject({
      title: 'demo agent',
      body: 'Write notes.txt',
      requestId: 'appr_a',
      itemKind: 'approval',
      seen: false,
    });
    const card = await itemWhen(device.client, 'appr_a', ({ state }) => state === 'waiting');
    expect(card).toMatchObject({ summary: 'Write notes.txt', whole: false });
    expect(device.client.inbox.get().badge).toBe(1);
    await expect(device.client.approve(card)).rejects.toMatchObject({ code: 'invalid_request' });
    await expect(device.client.reject(card)).rejects.toMatchObject({ code: 'invalid_request' });

    await agent.ask('approval', { request_id: 'appr_a' });
    await itemWhen(device.client, 'appr_a');
    expect(device.client.inbox.get().items).toHaveLength(1);
  });

  it('is replaced when its item ends elsewhere, and the item leaves at once', async () => {
    const { agent, device, id } = await paired();
    await agent.ask('approval', { request_id: 'appr_b' });
    await itemWhen(device.client, 'appr_b');
    await agent.queue(
      id,
      agent.notification({ body: 'Write notes.txt', replaces: 'appr_b', outcome: 'approved on phone' }),
    );
    await until(() => device.alerts.length === 1);
    expect(device.alerts[0]).toMatchObject({ replaces: 'appr_b', outcome: 'approved on phone' });
    await inboxWhen(device.client, ({ items }) => items.length === 0);
  });

  it('of an item nobody showed in time is shown at the next start, and then not again', async () => {
    const { agent, device, id } = await paired();
    await device.client.close();
    const asked: Alert[] = [];
    const blind = await openDevice({
      storage: device.storage,
      onAlert: async (alert) => {
        asked.push(alert);
        throw new Error('no screen');
      },
    });
    await agent.queue(id, agent.notification({ body: 'Remember the milk' }));
    await until(() => asked.length === 1);
    await blind.close();

    const alerts: Alert[] = [];
    const seeing = await openDevice({ storage: device.storage, alerts });
    await until(() => alerts.length === 1);
    expect(alerts[0]?.body).toBe('Remember the milk');
    await inboxWhen(seeing, ({ pairings }) => pairings[0]?.connection === 'online');
    await seeing.close();
    const later: Alert[] = [];
    const third = await openDevice({ storage: device.storage, alerts: later });
    await inboxWhen(third, ({ pairings }) => pairings[0]?.agentOnline === true);
    expect(later).toEqual([]);
  });

  it('shows hidden characters of its text, cut to one line', async () => {
    const { agent, device, id } = await paired();
    await agent.queue(id, agent.notification({ title: 'a\u202eb\nc', body: 'x\u200by' }));
    await until(() => device.alerts.length === 1);
    expect(device.alerts[0]).toMatchObject({ title: 'a⟨U+202E⟩b ⏎ c', body: 'x⟨U+200B⟩y' });
  });
});

describe('a push', () => {
  const counterOf = (agent: ScriptedAgent, id: string, step = 0) => agent.highWater(id) + 200 + step;

  it('opens in every form it comes in', async () => {
    const { agent, device, id } = await paired();
    await device.client.close();
    const forms: ((push: Record<string, string>) => Uint8Array | string | object)[] = [
      (push) => push,
      (push) => JSON.stringify(push),
      (push) => new TextEncoder().encode(JSON.stringify(push)),
      (push) => ({ aps: { alert: { title: 'Action required' } }, d: push }),
      ({ from, ...rest }) => ({ ...rest, f: from }),
      (push) => ({ ...push, ns: push.ns?.toUpperCase(), from: push.from?.toUpperCase() }),
    ];
    for (const [step, form] of forms.entries()) {
      const note = agent.notification(about(`appr_${step}`));
      const push = await agent.push(id, note, counterOf(agent, id, step));
      expect(await openNotification(form(push), device.storage)).toMatchObject({
        agentName: 'demo agent',
        body: 'Write notes.txt',
        requestId: `appr_${step}`,
        seen: false,
      });
    }
  });

  it('that came before is opened again as seen, and its copy by queue is not shown once confirmed', async () => {
    const { agent, device, id } = await paired();
    const note = agent.notification(about('appr_c'));
    const counter = counterOf(agent, id);
    const push = await agent.push(id, note, counter);
    const alert = (await openNotification(push, device.storage)) as Alert;
    expect(await openNotification(push, device.storage)).toEqual({ ...alert, seen: true });
    await confirmShown(alert, device.storage);
    await agent.sendLiveAt(id, note, counter);
    await agent.queue(id, agent.notification({ body: 'last' }));
    await until(() => device.alerts.length > 0);
    expect(device.alerts.map(({ body }) => body)).toEqual(['last']);
  });

  it('not confirmed as shown is shown when its copy comes by queue', async () => {
    const { agent, device, id } = await paired();
    const note = agent.notification(about('appr_d'));
    const counter = counterOf(agent, id);
    await openNotification(await agent.push(id, note, counter), device.storage);
    await agent.sendLiveAt(id, note, counter);
    await until(() => device.alerts.length === 1);
    expect(device.alerts[0]).toMatchObject({ requestId: 'appr_d', seen: true });
  });

  it('that is older than what is known shows the present state', async () => {
    const { agent, device, id } = await paired();
    await device.client.close();
    const first = await agent.push(id, agent.notification(about('appr_e')), counterOf(agent, id));
    const end = agent.notification({ body: 'Write notes.txt', replaces: 'appr_e', outcome: 'expired' });
    await openNotification(await agent.push(id, end, counterOf(agent, id, 1)), device.storage);
    expect(await openNotification(first, device.storage)).toMatchObject({ outcome: 'expired', seen: true });
  });

  it('with a snapshot of an older agent shows its newest item, and leaves the snapshot to the connection', async () => {
    const { agent, device, id } = await paired();
    await agent.entry('approval', {});
    agent.items = [
      { kind: 'approval', entry: await agent.entry('approval', { summary: 'Old', created_at: 1 }) },
      { kind: 'approval', entry: await agent.entry('approval', { summary: 'New', created_at: 2 }) },
    ];
    const counter = counterOf(agent, id);
    const snapshot = agent.snapshot();
    const push = await agent.push(id, snapshot, counter);
    expect(await openNotification(push, device.storage)).toMatchObject({ body: 'New', seen: false });
    await agent.sendLiveAt(id, snapshot, counter);
    await inboxWhen(device.client, ({ items }) => items.length === 2);
  });

  it('of another kind says only that something is there', async () => {
    const { agent, device, id } = await paired();
    const push = await agent.push(id, { v: 1, kind: 'logout', id: 'x', ts: 1 }, counterOf(agent, id));
    const alert = await openNotification(push, device.storage);
    expect(alert).toMatchObject({ title: 'demo agent', body: 'Action required. Open the app.' });
  });

  it('that is not for this device, or no push at all, fails without saying why', async () => {
    const { agent, device, id } = await paired();
    const push = await agent.push(id, agent.notification({ body: 'b' }), counterOf(agent, id));
    const flipped = `${push.c?.startsWith('A') ? 'B' : 'A'}${push.c?.slice(1)}`;
    const bad: (object | string | Uint8Array)[] = [
      { ns: push.ns, wake: true },
      { ...push, c: flipped },
      { ...push, n: '00'.repeat(12) },
      { ...push, ns: 'ab'.repeat(32) },
      { ...push, from: 'ab'.repeat(32) },
      { ...push, c: `${push.c}%` },
      { ...push, c: 'A'.repeat(9000) },
      '{"ns":1,"ns":2}',
      'not json',
      new Uint8Array([0xff, 0xfe]),
      [],
      { d: null },
      Object.create(push),
    ];
    for (const input of bad) expect(await openNotification(input, device.storage)).toBeUndefined();
    expect(await openNotification(push, memoryStorage())).toBeUndefined();
    expect(await openNotification(push, device.storage)).toMatchObject({ body: 'b' });
  });

  it('of random content never throws', async () => {
    const { device } = await paired();
    await fc.assert(
      fc.asyncProperty(fc.oneof(fc.json(), fc.string(), fc.uint8Array(), fc.object()), async (input) => {
        expect(await openNotification(input, device.storage)).toBeUndefined();
      }),
      { numRuns: 200 },
    );
  });
});

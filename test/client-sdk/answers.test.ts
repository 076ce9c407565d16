/** Answers on their way: kept, repeated, confirmed, refused, or never kept at all (03 §5). */
import type { Storage } from '@countersign/client-sdk';
import { memoryStorage } from '@countersign/client-sdk/storage/memory';
import { describe, expect, it } from 'vitest';
import type { ScriptedAgent } from './scripted-agent.js';
import { inboxWhen, itemWhen, until } from './waiting.js';
import { atEnd, type Device, openDevice, World } from './world.js';

async function paired(options = {}): Promise<{ world: World; agent: ScriptedAgent; device: Device }> {
  const world = await World.start();
  const agent = await world.agent(options);
  return { world, agent, device: await world.device(agent) };
}

async function everythingStored(storage: Storage): Promise<string> {
  const names = ['pairings', 'channels', 'outbox', 'answers', 'inbox', 'alerts', 'meta'] as const;
  const all = await storage.transaction((tx) => Promise.all(names.map(async (name) => tx.list(name))));
  return JSON.stringify(all);
}

describe('an answer given while the agent is away', () => {
  it('waits, survives a restart of the device, and applies when the agent comes back', async () => {
    const { agent, device } = await paired();
    const entry = await agent.ask('approval', {});
    const item = await itemWhen(device.client, entry.request_id);
    await agent.close();
    await inboxWhen(device.client, ({ pairings }) => pairings[0]?.agentOnline === false);
    const sent = await device.client.approve(item);
    expect(await sent.settled({ timeoutMs: 50 })).toEqual({ phase: 'not_confirmed' });
    expect(device.client.inbox.get()).toMatchObject({ badge: 0, items: [{ state: 'answered' }] });
    await device.client.close();

    const client = await openDevice({ storage: device.storage });
    const back = await agent.reopened();
    atEnd(() => back.close());
    expect((await back.answer(item.requestId)).payload.id).toBe(sent.id);
    await inboxWhen(client, ({ items }) => items.length === 0);
  });

  it('is told what became of the item when that ended meanwhile', async () => {
    const { agent, device } = await paired();
    const entry = await agent.ask('approval', {});
    const item = await itemWhen(device.client, entry.request_id);
    await agent.close();
    await inboxWhen(device.client, ({ pairings }) => pairings[0]?.agentOnline === false);
    const sent = await device.client.approve(item);
    const back = await agent.reopened();
    atEnd(() => back.close());
    back.onAnswer = () => ({ status: 'already_decided', outcome: 'rejected', by: 'other phone' });
    const state = await sent.settled();
    expect(state).toMatchObject({ phase: 'refused', status: 'already_decided', by: 'other phone' });
    expect(state.phase === 'refused' && state.message).toBe(
      'Already decided: rejected by other phone. Your answer changed nothing.',
    );
  });
});

describe('an answer without an ack', () => {
  it('is sent again, sealed anew under the same id, at the next login, and not any more once confirmed', async () => {
    const { agent, device } = await paired();
    agent.onAnswer = () => undefined;
    const entry = await agent.ask('approval', {});
    const item = await itemWhen(device.client, entry.request_id);
    const sent = await device.client.approve(item);
    await agent.answer(item.requestId);
    await inboxWhen(device.client, ({ items }) => items[0]?.answer?.phase === 'sent');
    await device.client.close();

    agent.onAnswer = (answer) => agent.applyAnswer(answer);
    const again = await openDevice({ storage: device.storage });
    expect((await agent.answer(item.requestId, 2)).payload.id).toBe(sent.id);
    await inboxWhen(again, ({ items }) => items.length === 0);
    await again.close();
    await openDevice({ storage: device.storage });
    await until(() => agent.received.filter(({ payload }) => payload.kind === 'inbox_request').length >= 3);
    expect(agent.answers(item.requestId)).toHaveLength(2);
  });

  it('is not sent again once its item has left', async () => {
    const { agent, device } = await paired();
    agent.onAnswer = () => undefined;
    const entry = await agent.ask('approval', {});
    const item = await itemWhen(device.client, entry.request_id);
    await device.client.approve(item);
    await agent.answer(item.requestId);
    await agent.end(item.requestId);
    await inboxWhen(device.client, ({ items }) => items.length === 0);
    await device.client.close();
    agent.received.length = 0;
    const again = await openDevice({ storage: device.storage });
    await inboxWhen(again, ({ pairings }) => pairings[0]?.agentOnline === true);
    await agent.payload('inbox_request');
    expect(agent.answers(item.requestId)).toEqual([]);
  });

  it('lets its item come back when the next snapshot still has it, and be answered anew', async () => {
    const { agent, device } = await paired();
    agent.onAnswer = () => undefined;
    const entry = await agent.ask('approval', {});
    const item = await itemWhen(device.client, entry.request_id);
    await device.client.approve(item);
    await agent.answer(item.requestId);
    await agent.broadcast();
    const back = await itemWhen(device.client, entry.request_id);
    agent.onAnswer = (answer) => agent.applyAnswer(answer);
    expect(await (await device.client.reject(back)).settled()).toMatchObject({ outcome: 'rejected' });
  });
});

describe('an ack', () => {
  it.each(['invalid', 'unknown', 'expired', 'already_decided'])(
    'of %s refuses the answer',
    async (status) => {
      const { agent, device } = await paired();
      agent.onAnswer = () => ({ status });
      const entry = await agent.ask('approval', {});
      const sent = await device.client.approve(await itemWhen(device.client, entry.request_id));
      expect(await sent.settled()).toMatchObject({ phase: 'refused', status });
    },
  );

  it('says what a standing approval was lowered to', async () => {
    const { agent, device } = await paired();
    agent.onAnswer = (answer) => ({ ...agent.applyAnswer(answer), bypass_secs: 300 });
    const entry = await agent.ask('approval', {});
    const item = await itemWhen(device.client, entry.request_id);
    const sent = await device.client.approve(item, { bypassSecs: 900 });
    expect(await sent.settled()).toMatchObject({ phase: 'confirmed', bypassSecs: 300 });
  });

  it('about nothing this device sent changes nothing', async () => {
    const { agent, device } = await paired();
    const entry = await agent.ask('approval', {});
    await itemWhen(device.client, entry.request_id);
    const foreign = {
      device: device.pairing.deviceId,
      live: true,
      payload: { id: 'x', request_id: entry.request_id },
    };
    await agent.sendLive(device.pairing.deviceId, agent.ack(foreign, { status: 'applied' }));
    await agent.ask('clarification', {});
    const { items } = await inboxWhen(device.client, (inbox) => inbox.items.length === 2);
    expect(items[0]).toMatchObject({ state: 'open', answer: undefined });
  });
});

describe('a secret answer', () => {
  const secret = () => new TextEncoder().encode('s3cr3t-token-value');

  it('goes live, is never stored, and is wiped from memory', async () => {
    const { agent, device } = await paired();
    const entry = await agent.ask('elicitation', { sensitive: true });
    const item = await itemWhen(device.client, entry.request_id);
    const token = secret();
    const sent = await device.client.answer(item, {
      kind: 'elicitation',
      action: 'accept',
      content: { token },
    });
    expect(token.every((byte) => byte === 0)).toBe(true);
    const { live, payload } = await agent.answer(item.requestId);
    expect(live).toBe(true);
    expect(payload.content).toEqual({ token: 's3cr3t-token-value' });
    expect((payload.receipt as { answer: unknown }).answer).toMatchObject({ action: 'accept', content: {} });
    expect(await sent.settled()).toMatchObject({ phase: 'confirmed' });
    const stored = await everythingStored(device.storage);
    expect(stored).not.toContain('s3cr3t');
    expect(stored).not.toContain(sent.id);
  });

  it('is forgotten with a message while the agent is away', async () => {
    const { agent, device } = await paired();
    const entry = await agent.ask('elicitation', { sensitive: true });
    const item = await itemWhen(device.client, entry.request_id);
    await agent.close();
    await inboxWhen(device.client, ({ pairings }) => pairings[0]?.agentOnline === false);
    const token = secret();
    await expect(
      device.client.answer(item, { kind: 'elicitation', action: 'accept', content: { token } }),
    ).rejects.toMatchObject({ code: 'unavailable', message: expect.stringContaining('not kept') });
    expect(token.every((byte) => byte === 0)).toBe(true);
    expect(await everythingStored(device.storage)).not.toContain('s3cr3t');
    expect((await itemWhen(device.client, entry.request_id)).state).toBe('open');
  });

  it('declined has nothing secret, and waits for the agent like any other', async () => {
    const { agent, device } = await paired();
    const entry = await agent.ask('elicitation', { sensitive: true });
    const item = await itemWhen(device.client, entry.request_id);
    const sent = await device.client.answer(item, { kind: 'elicitation', action: 'decline' });
    expect(await sent.settled()).toMatchObject({ phase: 'confirmed' });
    expect((await agent.answer(item.requestId)).payload).toMatchObject({ action: 'decline' });
  });
});

describe('a long answer', () => {
  it('goes live when the queue cannot take it, and counts on its ack', async () => {
    const { agent, device } = await paired();
    const entry = await agent.ask('clarification', {});
    const item = await itemWhen(device.client, entry.request_id);
    const sent = await device.client.answer(item, { kind: 'clarification', answer: 'x'.repeat(62_000) });
    expect(await sent.settled()).toMatchObject({ phase: 'confirmed' });
    expect((await agent.answer(item.requestId)).live).toBe(true);
  });

  it('just within the queue goes by queue', async () => {
    const { agent, device } = await paired();
    const entry = await agent.ask('clarification', {});
    const item = await itemWhen(device.client, entry.request_id);
    // Twice in the payload: the answer and the receipt over it.
    await device.client.answer(item, { kind: 'clarification', answer: 'x'.repeat(30_000) });
    expect((await agent.answer(item.requestId)).live).toBe(false);
  });

  it('over the live limit is refused before anything is signed or stored', async () => {
    const { agent, device } = await paired();
    const entry = await agent.ask('clarification', {});
    const item = await itemWhen(device.client, entry.request_id);
    await expect(
      device.client.answer(item, { kind: 'clarification', answer: 'x'.repeat(300_000) }),
    ).rejects.toMatchObject({ code: 'payload_too_large' });
    expect((await itemWhen(device.client, entry.request_id)).answer).toBeUndefined();
  });
});

describe('towards an agent without acks', () => {
  const supports = ['receipts'];

  it('an answer goes once, live, and the next snapshot without the item confirms it', async () => {
    const { agent, device } = await paired({ supports });
    const entry = await agent.ask('approval', {});
    const item = await itemWhen(device.client, entry.request_id);
    const sent = await device.client.approve(item);
    expect((await agent.answer(item.requestId)).live).toBe(true);
    expect(await sent.settled()).toMatchObject({ phase: 'confirmed' });
  });

  it('nothing is sent unless a snapshot came on the present connection', async () => {
    const { agent, device } = await paired({ supports });
    const entry = await agent.ask('approval', {});
    await itemWhen(device.client, entry.request_id);
    await agent.close();
    await device.client.close();
    const again = await openDevice({ storage: device.storage });
    await inboxWhen(again, ({ pairings }) => pairings[0]?.agentOnline === false);
    const item = await itemWhen(again, entry.request_id);
    await expect(again.approve(item)).rejects.toMatchObject({ code: 'unavailable' });
    expect(await everythingStored(device.storage)).not.toContain('approval_response');
  });

  it('nothing is sent once the agent went, though this device stayed: it may come back and reuse the id', async () => {
    const { agent, device } = await paired({ supports });
    const entry = await agent.ask('approval', {});
    const item = await itemWhen(device.client, entry.request_id);
    await agent.close();
    await inboxWhen(device.client, ({ pairings }) => pairings[0]?.agentOnline === false);
    await expect(device.client.approve(item)).rejects.toMatchObject({ code: 'unavailable' });
  });

  it('an answer is never repeated, not even at later logins', async () => {
    const { agent, device } = await paired({ supports });
    agent.onAnswer = () => undefined;
    const entry = await agent.ask('approval', {});
    await device.client.approve(await itemWhen(device.client, entry.request_id));
    await agent.answer(String(entry.request_id));
    await device.client.close();
    agent.received.length = 0;
    const again = await openDevice({ storage: device.storage });
    await inboxWhen(again, ({ pairings }) => pairings[0]?.agentOnline === true);
    await agent.payload('inbox_request');
    expect(agent.answers(String(entry.request_id))).toEqual([]);
  });
});

describe('two devices', () => {
  it('race for one item: the first answer counts, the second is told who won', async () => {
    const world = await World.start();
    const agent = await world.agent();
    const one = await world.device(agent);
    const two = await world.device(agent, { storage: memoryStorage() });
    agent.onAnswer = (answer) => {
      const applied = agent.applyAnswer(answer);
      return applied.status === 'applied'
        ? applied
        : { status: 'already_decided', outcome: 'approved', by: 'one' };
    };
    const entry = await agent.ask('approval', {});
    const items = [
      await itemWhen(one.client, entry.request_id),
      await itemWhen(two.client, entry.request_id),
    ] as const;
    const answers = await Promise.all([one.client.approve(items[0]), two.client.reject(items[1])]);
    const states = await Promise.all(answers.map((answer) => answer.settled()));
    expect(states.map(({ phase }) => phase).toSorted()).toEqual(['confirmed', 'refused']);
  });
});

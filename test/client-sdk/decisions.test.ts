/** A person decides on a device, and the agent hears it: over a real relay. */
import { fromHex } from '@countersign/protocol';
import { itemDigest, verifyReceipt } from '@countersign/protocol/e2e';
import { describe, expect, it } from 'vitest';
import { itemWhen, until } from './waiting.js';
import { openDevice, World } from './world.js';

describe('a decision on a device', () => {
  it('reaches the agent with a receipt over exactly what was shown, and is confirmed', async () => {
    const world = await World.start();
    const agent = await world.agent();
    const { client, pairing } = await world.device(agent);
    const entry = await agent.ask('approval', {});
    const item = await itemWhen(client, entry.request_id);

    const sent = await client.approve(item);
    expect(await sent.settled()).toEqual({ phase: 'confirmed', status: 'applied', outcome: 'approved' });

    const { payload } = await agent.answer(item.requestId);
    expect(payload).toMatchObject({ kind: 'approval_response', decision: 'approved' });
    const receipt = payload.receipt as Record<string, unknown>;
    expect(receipt).toMatchObject({
      item_digest: await itemDigest('approval', agent.namespaceHex, entry),
      shown: 'full',
      answer: { request_id: item.requestId, decision: 'approved' },
    });
    expect(await verifyReceipt(receipt, fromHex(pairing.deviceId, 32) as Uint8Array)).toBe('ok');
  });

  it('hands out its receipt, and what became of it is known after a restart', async () => {
    const world = await World.start();
    const agent = await world.agent();
    const { client, pairing, storage } = await world.device(agent);
    const item = await itemWhen(client, (await agent.ask('approval', {})).request_id);
    const answer = await client.approve(item);
    const { payload } = await agent.answer(item.requestId);
    expect(answer.receipt).toEqual(payload.receipt);
    await answer.settled();
    await client.close();
    const again = await openDevice({ storage });
    expect(again.answerState(pairing.id, answer.id)).toMatchObject({ phase: 'confirmed' });
    expect(again.answerState(pairing.id, 'another')).toBeUndefined();
    expect(again.answerState('nobody', answer.id)).toBeUndefined();
  });

  it('leaves the inbox once the agent took it', async () => {
    const world = await World.start();
    const agent = await world.agent();
    const { client } = await world.device(agent);
    const entry = await agent.ask('approval', {});
    const item = await itemWhen(client, entry.request_id);
    await client.reject(item, { reason: 'not today' });
    expect((await agent.answer(item.requestId)).payload).toMatchObject({
      decision: 'rejected',
      reason: 'not today',
    });
    await until(() => client.inbox.get().items.length === 0);
  });
});

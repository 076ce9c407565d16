/** A device's side of pushes (04 §1, §3): registering, handles, keys of the relay, the screen, buttons. */

import type { StorageTx } from '@countersign/client-sdk';
import { openNotification, reconcileNotifications } from '@countersign/client-sdk';
import { describe, expect, it } from 'vitest';
import type { ScriptedAgent } from './scripted-agent.js';
import { itemWhen, until } from './waiting.js';
import { type Device, openDevice, World } from './world.js';

const POINT = `B${'A'.repeat(86)}`;
const subscription = { endpoint: 'https://push.example/1', keys: { p256dh: POINT, auth: 'A'.repeat(22) } };
const registration = { platform: 'web' as const, subscription, vapidKey: POINT };

async function paired(options: Parameters<World['device']>[1] = {}) {
  const world = await World.start();
  const agent = await world.agent();
  const device = await world.device(agent, options);
  return { world, agent, device, id: device.pairing.deviceId, pairingId: device.pairing.id };
}

const record = ({ storage, pairing }: Device) =>
  storage.transaction((tx: StorageTx) => tx.get('pairings', pairing.id)) as Promise<Record<string, unknown>>;

describe('a registration', () => {
  it('is kept with every pairing of its platform, and told at once by a new login', async () => {
    const { device, pairingId } = await paired();
    const connections: string[] = [];
    device.client.inbox.subscribe(({ pairings }) => connections.push(pairings[0]?.connection ?? ''));
    expect(await device.client.registerPush(registration)).toEqual([pairingId]);
    await until(() => connections.includes('connecting') && connections.at(-1) === 'online');
    expect(await record(device)).toMatchObject({
      deviceToken: JSON.stringify({ endpoint: subscription.endpoint, ...subscription.keys }),
      vapidKey: POINT,
    });
    connections.length = 0;
    await device.client.registerPush(registration, pairingId);
    await device.client.requestInbox();
    expect(connections).not.toContain('connecting');
  });

  it('of another platform, malformed, or for no pairing of this device is refused', async () => {
    const { device, pairingId } = await paired();
    const ios = { platform: 'ios' as const, token: 'ab'.repeat(32) };
    expect(await device.client.registerPush(ios)).toEqual([]);
    await expect(device.client.registerPush(ios, pairingId)).rejects.toMatchObject({
      code: 'invalid_request',
    });
    await expect(device.client.registerPush({ ...ios, token: 'x' })).rejects.toMatchObject({
      code: 'invalid_request',
    });
    await expect(device.client.registerPush(registration, 'nobody')).rejects.toMatchObject({
      code: 'not_paired',
    });
  });

  it('made under a key that the relay has not is to be made anew', async () => {
    const changes: object[] = [];
    const { world, device, pairingId } = await paired({ onPushKey: (change) => changes.push(change) });
    await device.client.registerPush(registration);
    await until(() => changes.length > 0);
    expect(changes[0]).toEqual({ pairingId, relayUrl: world.relay.url, vapidKey: undefined });
  });
});

describe('a push with a handle', () => {
  const handleOf = async (device: Device) => String((await record(device)).pushHandle);
  const sealed = async (agent: ScriptedAgent, id: string, step = 0) => {
    const note = agent.notification({ body: 'Deploy', request_id: `appr_${step}`, item_kind: 'approval' });
    const { n, c } = await agent.push(id, note, agent.highWater(id) + 200 + step);
    return { n, c };
  };

  it('opens in every form, also under one that is newer than what is stored', async () => {
    const { agent, device, id } = await paired();
    await device.client.close();
    const h = await handleOf(device);
    expect(h).toMatch(/^[0-9a-f]{32}$/);
    const forms = [
      { ...(await sealed(agent, id)), h },
      { aps: {}, d: { ...(await sealed(agent, id, 1)), h: h.toUpperCase() } },
      { ...(await sealed(agent, id, 2)), h: 'ab'.repeat(16) },
    ];
    for (const [step, push] of forms.entries()) {
      expect(await openNotification(push, device.storage)).toMatchObject({
        requestId: `appr_${step}`,
        seen: false,
      });
    }
  });

  it('finds its pairing among several, and is nothing when it is not for any', async () => {
    const { world, agent, device, id } = await paired();
    await device.client.close();
    const second = await world.agent();
    const other = await world.device(second, { storage: device.storage });
    await other.client.close();
    const push = { ...(await sealed(agent, id)), h: await handleOf(device) };
    const theirs = { ...(await sealed(second, other.pairing.deviceId, 1)), h: await handleOf(other) };
    expect(await openNotification(theirs, device.storage)).toMatchObject({ pairingId: other.pairing.id });
    for (const bad of [
      { ...push, h: 'ab' },
      { ...push, h: 7 },
      { h: push.h, wake: true },
      { ...push, c: 'AAAA' },
    ]) {
      expect(await openNotification(bad, device.storage)).toBeUndefined();
    }
    expect(await openNotification(push, device.storage)).toMatchObject({ pairingId: device.pairing.id });
  });
});

describe('what stands on a screen', () => {
  const shown = (requestId: string, more = {}) => ({ tag: `t:${requestId}`, requestId, ...more });

  it('stays while its item waits, is closed when it is gone, and replaced when it is known how it ended', async () => {
    const { agent, device, id, pairingId } = await paired();
    await agent.ask('approval', { request_id: 'appr_open' });
    await agent.ask('approval', { request_id: 'appr_mine' });
    const mine = await itemWhen(device.client, 'appr_mine');
    await device.client.reject(mine);
    await agent.queue(
      id,
      agent.notification({ body: 'x', replaces: 'appr_end', outcome: 'approved on Pad' }),
    );
    await until(() => device.alerts.length === 1);
    await itemWhen(device.client, 'appr_open');
    const screen = ['appr_open', 'appr_mine', 'appr_end', 'appr_gone'].map((name) => shown(name));
    const changes = await reconcileNotifications(screen, device.storage);
    expect(changes).toEqual([
      { tag: 't:appr_mine', do: 'close' },
      {
        tag: 't:appr_end',
        do: 'replace',
        alert: expect.objectContaining({ outcome: 'approved on Pad', seen: true }),
      },
      { tag: 't:appr_gone', do: 'close' },
    ]);
    const named = [shown('appr_open', { pairingId }), shown('appr_open', { pairingId: 'unpaired' })];
    expect(await reconcileNotifications(named, device.storage)).toEqual([
      { tag: 't:appr_open', do: 'close' },
    ]);
  });
});

describe('an answer on a notification', () => {
  const summary = 'Write notes.txt';
  const give = (device: Device, requestId: string, more = {}) =>
    device.client.answerShown({
      pairingId: device.pairing.id,
      requestId,
      summary,
      decision: 'approve',
      ...more,
    });

  it('is given to the item fetched anew, signed as seen in summary', async () => {
    const { agent, device } = await paired();
    await agent.ask('approval', { request_id: 'appr_1', summary });
    await itemWhen(device.client, 'appr_1');
    const given = await give(device, 'appr_1');
    expect(given).toMatchObject({ result: 'given', answer: { receipt: { shown: 'summary' } } });
    expect(await give(device, 'appr_1')).toEqual({ result: 'ended' });
  });

  it.each([
    ['says something else', { summary: 'Delete notes.txt' }, 'differs'],
    ['is of high risk', { summary, risk: 'high' }, 'look'],
    ['cannot be approved once', { summary, choices: ['reject'] }, 'look'],
  ])('is not given to an item that %s', async (_, members, result) => {
    const { agent, device } = await paired();
    await agent.ask('approval', { request_id: 'appr_1', ...members });
    await itemWhen(device.client, 'appr_1');
    expect(await give(device, 'appr_1')).toEqual({ result });
    expect(agent.received.filter(({ payload }) => payload.kind === 'approval_response')).toEqual([]);
  });

  it('is not given to an item nobody asks any more, nor by approve() to one of high risk', async () => {
    const { agent, device } = await paired();
    expect(await give(device, 'appr_none')).toEqual({ result: 'ended' });
    await agent.ask('approval', { request_id: 'appr_1', risk: 'high' });
    const item = await itemWhen(device.client, 'appr_1');
    const approved = device.client.approve(item, { shown: 'summary' });
    await expect(approved).rejects.toMatchObject({ code: 'invalid_request' });
  });

  it('of another start of the app is given as well', async () => {
    const { agent, device } = await paired();
    await agent.ask('approval', { request_id: 'appr_1', summary });
    await itemWhen(device.client, 'appr_1');
    await device.client.close();
    const client = await openDevice({ storage: device.storage });
    expect(await give({ ...device, client }, 'appr_1', { decision: 'reject' })).toMatchObject({
      result: 'given',
    });
  });
});

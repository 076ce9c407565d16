/** The independent agent and our client SDK: pairing, notifications, the channel. */
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { pair } from '@countersign/client-sdk';
import { memoryStorage } from '@countersign/client-sdk/storage/memory';
import { describe, expect, it, onTestFinished } from 'vitest';
import { WebSocketServer } from 'ws';
import { IndependentAgent } from './peer/agent.js';
import { encode } from './peer/frames.js';
import { writeJson, writeLink } from './peer/invitation.js';
import type { Json } from './peer/items.js';
import { relayForTest } from './peer/scene.js';
import { agentAndSdkDevice, approvalOf } from './peer/sdk-client.js';

describe('pairing', () => {
  it('shows the code computed here, and introduces itself', async () => {
    const { agent, device, pairing, code, hello, request } = await agentAndSdkDevice();
    expect(pairing.code.replace('-', '')).toBe(code());
    expect(pairing).toMatchObject({
      id: agent.namespaceId.toString('hex'),
      agentName: 'independent',
      deviceId: device.toString('hex'),
    });
    expect(hello.device_info).toMatchObject({ platform: 'ios', device_name: 'sdk phone' });
    expect(hello.supports).toEqual(
      expect.arrayContaining(['receipts', 'acks', 'choices', 'truncated', 'replace']),
    );
    expect(request).toMatchObject({ v: 1, kind: 'inbox_request' });
    expect(request.id).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
  });

  it('takes the JSON of an original agent, whose address may name the path', async () => {
    const { url } = await relayForTest();
    const agent = new IndependentAgent(url, 'original');
    await agent.login();
    for (const relayUrl of [url, `${url}/`, `${url}/v1/ws`]) {
      const window = await agent.openWindow();
      const text = writeJson({ ...agent.invitation(window), relayUrl });
      await pair(text, { storage: memoryStorage(), deviceName: 'x', platform: 'ios' });
      await agent.meet(window);
    }
  });

  it('refuses an invitation whose namespace is not that of the key', async () => {
    const { url } = await relayForTest();
    const agent = new IndependentAgent(url, 'original');
    await agent.login();
    const qr = JSON.parse(writeJson(agent.invitation(await agent.openWindow()))) as Json;
    const text = JSON.stringify({ ...qr, namespace_id: randomBytes(32).toString('hex') });
    await expect(pair(text, { storage: memoryStorage(), deviceName: 'x' })).rejects.toThrow();
    await agent.wire.settled();
    expect(agent.wire.waiting()).toEqual([]);
  });

  it('signs no challenge that is not bound to the address it dialled', async () => {
    const server = new WebSocketServer({ port: 0, host: '127.0.0.1' });
    onTestFinished(() => void server.close());
    await once(server, 'listening');
    const heard: unknown[] = [];
    server.on('connection', (socket) => {
      socket.on('message', (data) => heard.push(data));
      socket.send(encode('challenge', { nonce: randomBytes(32) }));
    });
    const agent = new IndependentAgent(`ws://127.0.0.1:${(server.address() as AddressInfo).port}`);
    const token = randomBytes(32);
    const link = writeLink(agent.invitation({ token, xScalar: token, xPublic: agent.identity.x25519 }));
    await expect(pair(link, { storage: memoryStorage(), deviceName: 'x' })).rejects.toThrow();
    expect(heard).toEqual([]);
    for (const socket of server.clients) socket.terminate();
  });
});

describe('a notification', () => {
  it('is an alert once, whose item waits for the agent, and is replaced when it ended', async () => {
    const { agent, sdk, device } = await agentAndSdkDevice();
    const about = { request_id: 'appr_n', item_kind: 'approval', badge: 1, expires_at: Date.now() + 60_000 };
    agent.notify(device, { title: 'independent', body: 'Send an email', ...about });
    const item = await sdk.item('appr_n', ({ state }) => state === 'waiting');
    expect(item.summary).toBe('Send an email');
    await expect(sdk.client.approve(item)).rejects.toMatchObject({ code: 'invalid_request' });
    while (sdk.alerts.length === 0) await agent.wire.settled();
    expect(sdk.alerts).toMatchObject([{ title: 'independent', body: 'Send an email', requestId: 'appr_n' }]);
    agent.notify(device, {
      title: 'independent',
      body: 'Send an email',
      replaces: 'appr_n',
      outcome: 'approved on tablet',
    });
    await sdk.gone('appr_n');
    while (sdk.alerts.length === 1) await agent.wire.settled();
    expect(sdk.alerts[1]).toMatchObject({ replaces: 'appr_n', outcome: 'approved on tablet' });
  });

  it('is proved received to the relay once it is stored', async () => {
    const { agent, sdk, device } = await agentAndSdkDevice();
    agent.notify(device, { title: 'Done', body: 'once' });
    await agent.wire.settled();
    while (sdk.alerts.length === 0) await agent.wire.settled();
    await sdk.client.close();
    await sdk.open();
    agent.notify(device, { title: 'Done', body: 'twice' });
    while (sdk.alerts.length < 2) await agent.wire.settled();
    expect(sdk.alerts.map(({ body }) => body)).toEqual(['once', 'twice']);
  });
});

describe('the channel', () => {
  it('never rolls back to an older snapshot and takes no ciphertext twice', async () => {
    const { agent, sdk, device } = await agentAndSdkDevice();
    const [old, fresh] = [approvalOf(agent), approvalOf(agent)];
    const channel = agent.channel(device);
    const update = (approvals: Json[]) =>
      agent.envelope('inbox_update', { badge: 1, approvals, clarifications: [], elicitations: [] });
    const heldBack = channel.seal(update([old]));
    agent.send(device, update([fresh]), true);
    await sdk.item(String(fresh.request_id));
    agent.wire.send('message', { ...heldBack, peer: device, live: true });
    agent.wire.send('message', { ...heldBack, peer: device, live: true });
    agent.notify(device, { title: 'after', body: 'after' });
    while (sdk.alerts.length === 0) await agent.wire.settled();
    const { items } = sdk.client.inbox.get();
    expect(items.map(({ requestId }) => requestId)).toEqual([fresh.request_id]);
  });

  it('opens what is compressed and drops what it cannot know', async () => {
    const { agent, sdk, device } = await agentAndSdkDevice();
    for (const packing of ['zlib', 'raw-deflate', 'plain', 'padded'] as const) {
      const entry = approvalOf(agent);
      const update = agent.envelope('inbox_update', { badge: 1, approvals: [entry], clarifications: [] });
      agent.send(device, update, true, packing);
      await sdk.item(String(entry.request_id));
      agent.send(device, agent.envelope('levitate', {}), true, packing);
      agent.send(device, { ...update, v: 2 }, true, packing);
    }
  });

  it('says goodbye when it is unpaired', async () => {
    const { agent, sdk, pairing } = await agentAndSdkDevice();
    const leaving = sdk.client.pairings.unpair(pairing.id);
    await agent.receive('logout');
    await leaving;
    expect(await sdk.client.pairings.list()).toEqual([]);
  });
});

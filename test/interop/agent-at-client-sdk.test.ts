/** The independent agent and our client SDK: pairing, what the device shows, the answers it signs. */

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
import { itemDigest, type Json, receiptHolds, signedAnswer } from './peer/items.js';
import { relayForTest } from './peer/scene.js';
import { agentAndSdkDevice, approvalOf, withDigest } from './peer/sdk-client.js';

describe('pairing', () => {
  it('shows the code computed here, and introduces itself', async () => {
    const { agent, device, pairing, code, hello, request } = await agentAndSdkDevice();
    expect(pairing.code.replace('-', '')).toBe(code());
    expect(pairing).toMatchObject({
      id: agent.namespaceId.toString('hex'),
      agentName: 'independent',
      deviceId: device.toString('hex'),
    });
    expect(hello['device_info']).toMatchObject({ platform: 'ios', device_name: 'sdk phone' });
    expect(hello['supports']).toEqual(
      expect.arrayContaining(['receipts', 'acks', 'choices', 'truncated', 'replace']),
    );
    expect(request).toMatchObject({ v: 1, kind: 'inbox_request' });
    expect(request['id']).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
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

describe('an item', () => {
  it('is shown whole, with the digest computed here', async () => {
    const { agent, sdk, device } = await agentAndSdkDevice();
    const entry = approvalOf(agent);
    agent.snapshot(device, { approvals: [entry] });
    const item = await sdk.item(String(entry['request_id']));
    expect(item).toMatchObject({
      kind: 'approval',
      summary: entry['summary'],
      entry,
      digest: entry['digest'],
      digestMatches: true,
      whole: true,
      expiresAt: entry['expires_at'],
      risk: 'normal',
    });
  });

  it('approved comes back countersigned over exactly what was shown', async () => {
    const { agent, sdk, device } = await agentAndSdkDevice();
    const entry = approvalOf(agent);
    agent.snapshot(device, { approvals: [entry] });
    const sent = await sdk.client.approve(await sdk.item(String(entry['request_id'])));
    const response = await agent.receive('approval_response');
    const { v: _v, kind: _kind, id, ts: _ts, receipt, ...answer } = response;
    expect(answer).toEqual({ request_id: entry['request_id'], decision: 'approved' });
    expect(receipt).toMatchObject({
      v: 1,
      alg: 'ed25519',
      namespace_id: agent.namespaceId.toString('hex'),
      device: device.toString('hex'),
      kind: 'approval',
      request_id: entry['request_id'],
      item_digest: entry['digest'],
      answer,
      shown: 'full',
    });
    expect(receiptHolds(receipt as Json, device)).toBe(true);
    agent.ack(device, response, 'applied');
    expect(await sent.settled()).toMatchObject({ phase: 'confirmed', status: 'applied' });
    expect(sent.id).toBe(id);
    agent.snapshot(device, {});
    await sdk.gone(String(entry['request_id']));
  });

  it('whose digest is not that of its content cannot be approved', async () => {
    const { agent, sdk, device } = await agentAndSdkDevice();
    const entry: Json = { ...approvalOf(agent), summary: 'Something harmless' };
    agent.snapshot(device, { approvals: [entry] });
    const item = await sdk.item(String(entry['request_id']));
    expect(item.digestMatches).toBe(false);
    await expect(sdk.client.approve(item)).rejects.toMatchObject({ code: 'invalid_request' });
  });

  it('that was cut is fetched whole before it can be approved', async () => {
    const { agent, sdk, device } = await agentAndSdkDevice();
    const whole = approvalOf(agent);
    const { arguments: _cut, ...cut } = whole;
    agent.snapshot(device, { approvals: [{ ...cut, truncated: true }] });
    const item = await sdk.item(String(whole['request_id']));
    expect(item.whole).toBe(false);
    await expect(sdk.client.approve(item)).rejects.toMatchObject({ code: 'invalid_request' });
    const loading = sdk.client.load(item);
    await agent.receive('inbox_request', (request) => request['request_id'] === whole['request_id']);
    agent.snapshot(device, { approvals: [whole] });
    const loaded = await loading;
    expect(loaded).toMatchObject({ whole: true, digestMatches: true });
    if (loaded !== undefined) await sdk.client.approve(loaded);
    const { receipt } = await agent.receive('approval_response');
    expect(receipt).toMatchObject({ item_digest: whole['digest'] });
  });

  it('that fails its schema is unreadable and harms no other', async () => {
    const { agent, sdk, device } = await agentAndSdkDevice();
    const good = approvalOf(agent);
    const bad = [{ request_id: 'appr_bad', summary: 7 }, { request_id: '__proto__' }, null, 'text', [], 12];
    agent.snapshot(device, {
      approvals: [...(bad as Json[]), good],
      clarifications: [{}],
      elicitations: [{ request_id: '' }],
    });
    await sdk.item(String(good['request_id']));
    const item = await sdk.item('appr_bad', ({ state }) => state === 'unreadable');
    await expect(sdk.client.approve(item)).rejects.toMatchObject({ code: 'invalid_request' });
  });

  it('may come with nulls and members from the future', async () => {
    const { agent, sdk, device } = await agentAndSdkDevice();
    const entry = approvalOf(agent, { detail: null, blocks: null, session_id: null, hologram: { x: 1 } });
    agent.snapshot(device, { approvals: [entry] });
    const item = await sdk.item(String(entry['request_id']));
    expect(item.digestMatches).toBe(true);
    await sdk.client.approve(item);
    const { receipt } = await agent.receive('approval_response');
    expect(receipt).toMatchObject({ item_digest: itemDigest('approval', agent.namespaceId, entry) });
  });

  it('counts down by the clock of the agent', async () => {
    const { agent, sdk, device } = await agentAndSdkDevice();
    const day = 86_400_000;
    const entry = approvalOf(agent, { created_at: Date.now() + day, expires_at: Date.now() + day + 60_000 });
    const envelope = agent.envelope('inbox_update', {
      badge: 1,
      approvals: [entry],
      clarifications: [],
      elicitations: [],
    });
    agent.send(device, { ...envelope, ts: Date.now() + day }, true);
    const item = await sdk.item(String(entry['request_id']));
    expect(item.remainingMs).toBeGreaterThan(50_000);
    expect(item.remainingMs).toBeLessThanOrEqual(60_000);
    await sdk.client.approve(item);
    const response = await agent.receive('approval_response');
    const decidedAt = Number((response['receipt'] as Json)['decided_at']);
    expect(Math.abs(decidedAt - Date.now() - day)).toBeLessThan(5_000);
  });
});

describe('what the agent offers', () => {
  it('is all that can be chosen', async () => {
    const { agent, sdk, device } = await agentAndSdkDevice();
    const entry = approvalOf(agent, { choices: ['approve', 'reject'] });
    agent.snapshot(device, { approvals: [entry] });
    const item = await sdk.item(String(entry['request_id']));
    for (const options of [
      { bypassSecs: 900 },
      { bypassSecs: 0 },
      { ruleId: 'r' },
      { modifiedArguments: {} },
    ])
      await expect(sdk.client.approve(item, options)).rejects.toMatchObject({ code: 'invalid_request' });
    await expect(sdk.client.reject(item, { stop: true })).rejects.toMatchObject({ code: 'invalid_request' });
    await expect(sdk.client.reject(item, { respond: true, reason: 'x' })).rejects.toMatchObject({
      code: 'invalid_request',
    });
  });

  it('is signed as chosen: bypass, rule, edit, words', async () => {
    const { agent, sdk, device } = await agentAndSdkDevice();
    const choices = [
      'approve',
      'approve_for',
      'approve_session',
      'approve_rule',
      'edit',
      'reject',
      'respond',
      'reject_and_stop',
    ];
    const more = {
      choices,
      rules: [{ id: 'r1', label: 'always' }],
      input_schema: { type: 'object' },
      session_id: 's',
    };
    const entries = Array.from({ length: 6 }, () => approvalOf(agent, more));
    agent.snapshot(device, { approvals: entries });
    const items = await Promise.all(entries.map((entry) => sdk.item(String(entry['request_id']))));
    const [a, b, c, d, e, f] = items as [(typeof items)[0], ...typeof items];
    const modified = { z: 1, a: ['é'] };
    const acts: [() => Promise<unknown>, Json][] = [
      [() => sdk.client.approve(a, { bypassSecs: 900 }), { decision: 'approved', bypass_secs: 900 }],
      [() => sdk.client.approve(b as typeof a, { bypassSecs: 0 }), { decision: 'approved', bypass_secs: 0 }],
      [() => sdk.client.approve(c as typeof a, { ruleId: 'r1' }), { decision: 'approved', rule_id: 'r1' }],
      [
        () => sdk.client.approve(d as typeof a, { modifiedArguments: modified }),
        { decision: 'approved', modified_arguments: modified },
      ],
      [
        () => sdk.client.reject(e as typeof a, { respond: true, reason: 'it is there' }),
        { decision: 'rejected', respond: true, reason: 'it is there' },
      ],
      [() => sdk.client.reject(f as typeof a, { stop: true }), { decision: 'rejected', stop: true }],
    ];
    for (const [i, [act, expected]] of acts.entries()) {
      await act();
      const response = await agent.receive('approval_response');
      const answer = { request_id: entries[i]?.['request_id'], ...expected };
      expect(response).toMatchObject(answer);
      expect(receiptHolds(response['receipt'] as Json, device)).toBe(true);
      expect((response['receipt'] as Json)['answer']).toEqual(signedAnswer(answer));
    }
  });
});

describe('an answer', () => {
  it.each([
    ['already_decided', { outcome: 'rejected', by: 'tablet' }],
    ['expired', {}],
    ['invalid', {}],
    ['unknown', {}],
  ])('the agent calls %s is refused', async (status, more) => {
    const { agent, sdk, device } = await agentAndSdkDevice();
    const entry = approvalOf(agent);
    agent.snapshot(device, { approvals: [entry] });
    const sent = await sdk.client.approve(await sdk.item(String(entry['request_id'])));
    agent.ack(device, await agent.receive('approval_response'), status, more);
    const state = await sent.settled();
    expect(state).toMatchObject({ phase: 'refused', status, ...more });
  });

  it('nobody confirmed is sent again at the next login: same id, new counter', async () => {
    const { agent, sdk, device } = await agentAndSdkDevice();
    const entry = approvalOf(agent);
    agent.snapshot(device, { approvals: [entry] });
    const sent = await sdk.client.approve(await sdk.item(String(entry['request_id'])));
    const first = await agent.receive('approval_response');
    expect(await sent.settled({ timeoutMs: 50 })).toEqual({ phase: 'not_confirmed' });
    await sdk.client.close();
    await sdk.open();
    const again = await agent.receive('approval_response');
    expect([again['id'], again['receipt']]).toEqual([first['id'], first['receipt']]);
    agent.ack(device, again, 'applied');
  });

  it('made while the agent is away waits and reaches it', async () => {
    const { agent, sdk, device } = await agentAndSdkDevice();
    const entry = approvalOf(agent);
    agent.snapshot(device, { approvals: [entry] });
    const item = await sdk.item(String(entry['request_id']));
    await agent.wire.close();
    await sdk.client.reject(item, { reason: 'no' });
    await agent.login();
    expect(await agent.receive('approval_response')).toMatchObject({ decision: 'rejected', reason: 'no' });
  });

  it('to a clarification and to an elicitation is signed too, a secret neither stored nor queued', async () => {
    const { agent, sdk, device } = await agentAndSdkDevice();
    const created = { created_at: Date.now(), expires_at: Date.now() + 60_000 };
    const question = withDigest(agent, 'clarification', {
      request_id: 'clar_1',
      question: 'Which?',
      agent_label: 'independent',
      ...created,
    });
    const secret = withDigest(agent, 'elicitation', {
      request_id: 'elic_1',
      server_name: 'ssh',
      message: 'Password?',
      field_name: 'password',
      sensitive: true,
      is_confirmation: false,
      ...created,
    });
    agent.snapshot(device, { clarifications: [question], elicitations: [secret] });
    await sdk.client.answer(await sdk.item('clar_1'), { kind: 'clarification', answer: 'this' });
    const words = await agent.receive('clarification_response');
    expect(words).toMatchObject({ request_id: 'clar_1', answer: 'this' });
    expect(receiptHolds(words['receipt'] as Json, device)).toBe(true);
    const value = new TextEncoder().encode('hunter2');
    await sdk.client.answer(await sdk.item('elic_1'), {
      kind: 'elicitation',
      action: 'accept',
      content: { password: value },
    });
    expect(value.every((byte) => byte === 0)).toBe(true);
    const response = await agent.receive('elicitation_response');
    expect(agent.wire.history.at(-1)?.frame.is['live']).toBe(true);
    expect(response).toMatchObject({ action: 'accept', content: { password: 'hunter2' } });
    expect(receiptHolds(response['receipt'] as Json, device)).toBe(true);
    expect(JSON.stringify(response['receipt'])).not.toContain('hunter2');
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
    await sdk.item(String(fresh['request_id']));
    agent.wire.send('message', { ...heldBack, peer: device, live: true });
    agent.wire.send('message', { ...heldBack, peer: device, live: true });
    agent.notify(device, { title: 'after', body: 'after' });
    while (sdk.alerts.length === 0) await agent.wire.settled();
    const { items } = sdk.client.inbox.get();
    expect(items.map(({ requestId }) => requestId)).toEqual([fresh['request_id']]);
  });

  it('opens what is compressed and drops what it cannot know', async () => {
    const { agent, sdk, device } = await agentAndSdkDevice();
    for (const packing of ['zlib', 'raw-deflate', 'plain', 'padded'] as const) {
      const entry = approvalOf(agent);
      const update = agent.envelope('inbox_update', { badge: 1, approvals: [entry], clarifications: [] });
      agent.send(device, update, true, packing);
      await sdk.item(String(entry['request_id']));
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

describe('an original agent', () => {
  it('has its items shown and its answers understood, with nothing it does not know in the way', async () => {
    const { agent, sdk, device, pairing, code } = await agentAndSdkDevice('original');
    expect(pairing.code.replace('-', '')).toBe(code());
    const entry = approvalOf(agent);
    agent.snapshot(device, { approvals: [entry] });
    const item = await sdk.item(String(entry['request_id']));
    expect(item).toMatchObject({ digestMatches: true, whole: true });
    await sdk.client.approve(item, { bypassSecs: 900 });
    expect(await agent.receive('approval_response')).toMatchObject({
      request_id: entry['request_id'],
      decision: 'approved',
      bypass_secs: 900,
    });
  });

  it('is answered once: the next snapshot without the item confirms it, a login repeats nothing', async () => {
    const { agent, sdk, device } = await agentAndSdkDevice('original');
    const entry = approvalOf(agent);
    agent.snapshot(device, { approvals: [entry] });
    const sent = await sdk.client.approve(await sdk.item(String(entry['request_id'])));
    await agent.receive('approval_response');
    agent.snapshot(device, {});
    expect(await sent.settled()).toMatchObject({ phase: 'confirmed' });
    await sdk.client.close();
    await sdk.open();
    await agent.receive('inbox_request');
    await agent.wire.settled();
    expect(agent.wire.waiting().filter((name) => name === 'message')).toEqual([]);
  });

  it('gets no answer again that nothing confirmed', async () => {
    const { agent, sdk, device } = await agentAndSdkDevice('original');
    const entry = approvalOf(agent);
    agent.snapshot(device, { approvals: [entry] });
    await sdk.client.approve(await sdk.item(String(entry['request_id'])));
    await agent.receive('approval_response');
    await sdk.client.close();
    await sdk.open();
    await agent.receive('inbox_request');
    agent.snapshot(device, { approvals: [entry] });
    await sdk.item(String(entry['request_id']));
    await agent.wire.settled();
    expect(agent.wire.waiting().filter((name) => name === 'message')).toEqual([]);
  });

  it('gets no answer to an item of an earlier connection, nor while it is away', async () => {
    const { agent, sdk, device } = await agentAndSdkDevice('original');
    const entry = approvalOf(agent);
    agent.snapshot(device, { approvals: [entry] });
    const item = await sdk.item(String(entry['request_id']));
    await sdk.client.close();
    await sdk.open();
    await agent.receive('inbox_request');
    await expect(sdk.client.approve(item)).rejects.toThrow();
    await agent.wire.settled();
    expect(agent.wire.waiting().filter((name) => name === 'message')).toEqual([]);
  });
});

/** The independent agent and our client SDK: what the device shows and the answers it signs. */
import { describe, expect, it } from 'vitest';
import { itemDigest, type Json, receiptHolds, signedAnswer } from './peer/items.js';
import { agentAndSdkDevice, approvalOf, withDigest } from './peer/sdk-client.js';

describe('an item', () => {
  it('is shown whole, with the digest computed here', async () => {
    const { agent, sdk, device } = await agentAndSdkDevice();
    const entry = approvalOf(agent);
    agent.snapshot(device, { approvals: [entry] });
    const item = await sdk.item(String(entry.request_id));
    expect(item).toMatchObject({
      kind: 'approval',
      summary: entry.summary,
      entry,
      digest: entry.digest,
      digestMatches: true,
      whole: true,
      expiresAt: entry.expires_at,
      risk: 'normal',
    });
  });

  it('approved comes back countersigned over exactly what was shown', async () => {
    const { agent, sdk, device } = await agentAndSdkDevice();
    const entry = approvalOf(agent);
    agent.snapshot(device, { approvals: [entry] });
    const sent = await sdk.client.approve(await sdk.item(String(entry.request_id)));
    const response = await agent.receive('approval_response');
    const { v: _v, kind: _kind, id, ts: _ts, receipt, ...answer } = response;
    expect(answer).toEqual({ request_id: entry.request_id, decision: 'approved' });
    expect(receipt).toMatchObject({
      v: 1,
      alg: 'ed25519',
      namespace_id: agent.namespaceId.toString('hex'),
      device: device.toString('hex'),
      kind: 'approval',
      request_id: entry.request_id,
      item_digest: entry.digest,
      answer,
      shown: 'full',
    });
    expect(receiptHolds(receipt as Json, device)).toBe(true);
    agent.ack(device, response, 'applied');
    expect(await sent.settled()).toMatchObject({ phase: 'confirmed', status: 'applied' });
    expect(sent.id).toBe(id);
    agent.snapshot(device, {});
    await sdk.gone(String(entry.request_id));
  });

  it('whose digest is not that of its content cannot be approved', async () => {
    const { agent, sdk, device } = await agentAndSdkDevice();
    const entry: Json = { ...approvalOf(agent), summary: 'Something harmless' };
    agent.snapshot(device, { approvals: [entry] });
    const item = await sdk.item(String(entry.request_id));
    expect(item.digestMatches).toBe(false);
    await expect(sdk.client.approve(item)).rejects.toMatchObject({ code: 'invalid_request' });
  });

  it('that was cut is fetched whole before it can be approved', async () => {
    const { agent, sdk, device } = await agentAndSdkDevice();
    const whole = approvalOf(agent);
    const { arguments: _cut, ...cut } = whole;
    agent.snapshot(device, { approvals: [{ ...cut, truncated: true }] });
    const item = await sdk.item(String(whole.request_id));
    expect(item.whole).toBe(false);
    await expect(sdk.client.approve(item)).rejects.toMatchObject({ code: 'invalid_request' });
    const loading = sdk.client.load(item);
    await agent.receive('inbox_request', (request) => request.request_id === whole.request_id);
    agent.snapshot(device, { approvals: [whole] });
    const loaded = await loading;
    expect(loaded).toMatchObject({ whole: true, digestMatches: true });
    if (loaded !== undefined) await sdk.client.approve(loaded);
    const { receipt } = await agent.receive('approval_response');
    expect(receipt).toMatchObject({ item_digest: whole.digest });
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
    await sdk.item(String(good.request_id));
    const item = await sdk.item('appr_bad', ({ state }) => state === 'unreadable');
    await expect(sdk.client.approve(item)).rejects.toMatchObject({ code: 'invalid_request' });
  });

  it('may come with nulls and members from the future', async () => {
    const { agent, sdk, device } = await agentAndSdkDevice();
    const entry = approvalOf(agent, { detail: null, blocks: null, session_id: null, hologram: { x: 1 } });
    agent.snapshot(device, { approvals: [entry] });
    const item = await sdk.item(String(entry.request_id));
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
    const item = await sdk.item(String(entry.request_id));
    expect(item.remainingMs).toBeGreaterThan(50_000);
    expect(item.remainingMs).toBeLessThanOrEqual(60_000);
    await sdk.client.approve(item);
    const response = await agent.receive('approval_response');
    const decidedAt = Number((response.receipt as Json).decided_at);
    expect(Math.abs(decidedAt - Date.now() - day)).toBeLessThan(5_000);
  });
});

describe('what the agent offers', () => {
  it('is all that can be chosen', async () => {
    const { agent, sdk, device } = await agentAndSdkDevice();
    const entry = approvalOf(agent, { choices: ['approve', 'reject'] });
    agent.snapshot(device, { approvals: [entry] });
    const item = await sdk.item(String(entry.request_id));
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
    const items = await Promise.all(entries.map((entry) => sdk.item(String(entry.request_id))));
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
      const answer = { request_id: entries[i]?.request_id, ...expected };
      expect(response).toMatchObject(answer);
      expect(receiptHolds(response.receipt as Json, device)).toBe(true);
      expect((response.receipt as Json).answer).toEqual(signedAnswer(answer));
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
    const sent = await sdk.client.approve(await sdk.item(String(entry.request_id)));
    agent.ack(device, await agent.receive('approval_response'), status, more);
    const state = await sent.settled();
    expect(state).toMatchObject({ phase: 'refused', status, ...more });
  });

  it('nobody confirmed is sent again at the next login: same id, new counter', async () => {
    const { agent, sdk, device } = await agentAndSdkDevice();
    const entry = approvalOf(agent);
    agent.snapshot(device, { approvals: [entry] });
    const sent = await sdk.client.approve(await sdk.item(String(entry.request_id)));
    const first = await agent.receive('approval_response');
    expect(await sent.settled({ timeoutMs: 50 })).toEqual({ phase: 'not_confirmed' });
    await sdk.client.close();
    await sdk.open();
    const again = await agent.receive('approval_response');
    expect([again.id, again.receipt]).toEqual([first.id, first.receipt]);
    agent.ack(device, again, 'applied');
  });

  it('made while the agent is away waits and reaches it', async () => {
    const { agent, sdk, device } = await agentAndSdkDevice();
    const entry = approvalOf(agent);
    agent.snapshot(device, { approvals: [entry] });
    const item = await sdk.item(String(entry.request_id));
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
    expect(receiptHolds(words.receipt as Json, device)).toBe(true);
    const value = new TextEncoder().encode('hunter2');
    await sdk.client.answer(await sdk.item('elic_1'), {
      kind: 'elicitation',
      action: 'accept',
      content: { password: value },
    });
    expect(value.every((byte) => byte === 0)).toBe(true);
    const response = await agent.receive('elicitation_response');
    expect(agent.wire.history.at(-1)?.frame.is.live).toBe(true);
    expect(response).toMatchObject({ action: 'accept', content: { password: 'hunter2' } });
    expect(receiptHolds(response.receipt as Json, device)).toBe(true);
    expect(JSON.stringify(response.receipt)).not.toContain('hunter2');
  });
});

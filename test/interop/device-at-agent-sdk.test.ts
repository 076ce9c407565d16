/** The independent device and our agent SDK: the item, a countersigned answer. */
import { describe, expect, it } from 'vitest';
import { paddedLength } from './peer/channel.js';
import { type Json, receiptHolds } from './peer/items.js';
import { agentWithDevice, ask, pairDevice, WRITE } from './peer/sdk-agent.js';

describe('an approval', () => {
  it('reaches the device whole, with a digest that is the one computed here', async () => {
    const { agent, device } = await agentWithDevice();
    const before = Date.now();
    const { outcome, entry } = await ask(agent, device, {
      ...WRITE,
      risk: 'high',
      sessionId: 's1',
      callId: 'c1',
    });
    expect(entry).toMatchObject({
      tool_name: 'write_file',
      agent_label: 'demo',
      arguments: WRITE.arguments,
      risk: 'high',
      session_id: 's1',
      call_id: 'c1',
      blocks: { v: 1, summary: entry.summary },
    });
    expect(entry.request_id).toMatch(/^appr_/);
    expect(entry.digest).toBe(device.digestOf('approval', entry));
    const hour = Number(entry.expires_at) - Number(entry.created_at);
    expect(hour).toBe(3_600_000);
    expect(Number(entry.created_at)).toBeGreaterThanOrEqual(before);
    expect(Array.from(String(entry.summary)).length).toBeLessThanOrEqual(120);
    await device.answer(device.response('approval', entry, { decision: 'rejected' }));
    await outcome;
  });

  it('comes with a light notification, queued and padded, and a full snapshot, live', async () => {
    const { agent, device } = await agentWithDevice();
    const { entry } = await ask(agent, device);
    const note = await device.receive('notification');
    expect(note).toMatchObject({
      title: 'demo',
      body: entry.summary,
      request_id: entry.request_id,
      item_kind: 'approval',
      badge: 1,
      expires_at: entry.expires_at,
    });
    const { frame } = device.wire.history.at(-1) as (typeof device.wire.history)[0];
    expect(frame.is.live).toBe(false);
    const plain = (frame.is.ciphertext as Buffer).length - 16;
    expect(plain).toBe(paddedLength(plain));
    expect(JSON.stringify(note)).not.toContain('hello');
  });

  it('answered here is approved there, with this very receipt', async () => {
    const { agent, device } = await agentWithDevice();
    const { outcome, entry } = await ask(agent, device);
    const response = device.response('approval', entry, { decision: 'approved' });
    const ack = await device.answer(response);
    expect(ack).toMatchObject({ ref_id: response.id, request_id: entry.request_id, status: 'applied' });
    const approved = await outcome;
    expect(approved).toMatchObject({
      status: 'approved',
      requestId: entry.request_id,
      arguments: WRITE.arguments,
      modified: false,
      scope: 'once',
      by: { deviceId: device.id },
      receipt: response.receipt,
    });
    expect(receiptHolds(response.receipt as Json, device.identity.ed25519)).toBe(true);
  });

  it('leaves the snapshot once answered, the badge counting what is left', async () => {
    const { agent, device } = await agentWithDevice();
    const first = await ask(agent, device);
    const second = await ask(agent, device);
    device.send(device.response('approval', first.entry, { decision: 'approved' }), false);
    const after = await device.receive('inbox_update', (u) => u.badge === 1);
    expect(after).toMatchObject({ clarifications: [], elicitations: [] });
    expect((after.approvals as Json[]).map((a) => a.request_id)).toEqual([second.entry.request_id]);
    expect(after.supports).toEqual(expect.arrayContaining(['receipts', 'acks']));
  });

  it('rejected here is rejected there, with the reason and the stop', async () => {
    const { agent, device } = await agentWithDevice();
    const { outcome, entry } = await ask(agent, device, {
      ...WRITE,
      choices: ['approve', 'reject_with_reason', 'reject_and_stop'],
    });
    const answer = { decision: 'rejected', reason: 'not today', stop: true };
    expect(await device.answer(device.response('approval', entry, answer))).toMatchObject({
      status: 'applied',
    });
    expect(await outcome).toMatchObject({ status: 'rejected', reason: 'not today', stop: true });
  });

  it('answered in words goes to the model as the result', async () => {
    const { agent, device } = await agentWithDevice();
    const { outcome, entry } = await ask(agent, device, {
      ...WRITE,
      choices: ['approve', 'reject', 'respond'],
    });
    const answer = { decision: 'rejected', respond: true, reason: 'it exists already' };
    const ack = await device.answer(device.response('approval', entry, answer));
    expect(ack).toMatchObject({ status: 'applied' });
    expect(await outcome).toMatchObject({ status: 'answered', answer: 'it exists already' });
  });

  it('edited here runs with exactly what was sent back', async () => {
    const { agent, device } = await agentWithDevice();
    const inputSchema = { type: 'object', properties: { path: { type: 'string' } }, required: ['path'] };
    const request = { ...WRITE, choices: ['approve', 'edit', 'reject'], inputSchema } as const;
    const { outcome, entry } = await ask(agent, device, { ...request, choices: [...request.choices] });
    expect(entry.input_schema).toEqual(inputSchema);
    const edited = (modified_arguments: Json) =>
      device.response('approval', entry, { decision: 'approved', modified_arguments });
    expect(await device.answer(edited({ path: 7 }))).toMatchObject({ status: 'invalid' });
    expect(await device.answer(edited({ path: '/tmp/b' }))).toMatchObject({ status: 'applied' });
    expect(await outcome).toMatchObject({
      status: 'approved',
      arguments: { path: '/tmp/b' },
      modified: true,
    });
  });

  it('ends elsewhere: the other device is told so in the place of its notification', async () => {
    const { agent, device } = await agentWithDevice();
    const other = await pairDevice(agent);
    const { entry } = await ask(agent, device);
    await other.receive('notification', (n) => n.request_id === entry.request_id);
    await device.answer(device.response('approval', entry, { decision: 'approved' }));
    const note = await other.receive('notification', (n) => n.replaces !== undefined);
    expect(note.replaces).toBe(entry.request_id);
    expect(String(note.outcome)).toMatch(/^approved/);
  });

  it('withdrawn by the agent is cancelled everywhere', async () => {
    const { agent, device } = await agentWithDevice();
    const abort = new AbortController();
    const { outcome, entry } = await ask(agent, device, WRITE, { signal: abort.signal });
    await device.receive('notification');
    abort.abort();
    expect(await outcome).toMatchObject({ status: 'cancelled', reason: 'aborted' });
    const note = await device.receive('notification', (n) => n.replaces !== undefined);
    expect(note).toMatchObject({
      replaces: entry.request_id,
      outcome: expect.stringMatching(/^cancelled/),
    });
  });
});

describe('other questions', () => {
  it('a clarification is answered in words', async () => {
    const { agent, device } = await agentWithDevice();
    const outcome = agent.askClarification({ question: 'Which one?', suggestedAnswers: ['a', 'b'] });
    const entry = await device.receiveItem('clarification');
    expect(entry).toMatchObject({
      question: 'Which one?',
      suggested_answers: ['a', 'b'],
      agent_label: 'demo',
    });
    expect(entry.request_id).toMatch(/^clar_/);
    expect(entry.digest).toBe(device.digestOf('clarification', entry));
    const ack = await device.answer(device.response('clarification', entry, { answer: 'b' }));
    expect(ack).toMatchObject({ status: 'applied' });
    expect(await outcome).toMatchObject({ status: 'answered', answer: 'b', by: { deviceId: device.id } });
  });

  it('a sensitive elicitation is answered live, its value left out of the receipt', async () => {
    const { agent, device } = await agentWithDevice();
    const outcome = agent.elicit({
      serverName: 'ssh',
      message: 'Password?',
      fieldName: 'password',
      sensitive: true,
    });
    const entry = await device.receiveItem('elicitation');
    expect(entry).toMatchObject({ server_name: 'ssh', field_name: 'password', sensitive: true });
    expect(entry.digest).toBe(device.digestOf('elicitation', entry));
    const signed = device.response('elicitation', entry, { action: 'accept', content: {} });
    const response: Json = { ...signed, content: { password: 'hunter2' } };
    device.send(response, true);
    expect(await device.receive('ack')).toMatchObject({ ref_id: response.id, status: 'applied' });
    expect(await outcome).toMatchObject({
      status: 'answered',
      action: 'accept',
      content: { password: 'hunter2' },
    });
  });

  it('an elicitation may be declined', async () => {
    const { agent, device } = await agentWithDevice();
    const outcome = agent.elicit({ serverName: 's', message: 'Name?', fieldName: 'name' });
    const entry = await device.receiveItem('elicitation');
    await device.answer(device.response('elicitation', entry, { action: 'decline' }));
    expect(await outcome).toMatchObject({ status: 'answered', action: 'decline' });
  });

  it('an information reaches the device and asks nothing', async () => {
    const { agent, device } = await agentWithDevice();
    await agent.notify({ title: 'Done', body: 'The job is finished' });
    const note = await device.receive('notification');
    expect(note).toMatchObject({ title: 'Done', body: 'The job is finished' });
    expect(note.request_id ?? undefined).toBeUndefined();
  });
});

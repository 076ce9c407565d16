/** An app of the original family with our agent: it decodes as strictly, and knows as little, as it really does. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Agent, type AgentOptions, openAgent } from '@countersign/agent-sdk';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { FamilyApp } from './family-app.js';
import { keysFrom } from './family-keys.js';
import { FamilyRelay } from './family-relay.js';

const appKeys = keysFrom(2);
const appId = appKeys.ed25519.toString('hex');
let relay: FamilyRelay;
const closers: (() => unknown)[] = [];

beforeEach(async () => {
  relay = await FamilyRelay.start();
});
afterEach(async () => {
  for (const close of closers.splice(0).reverse()) await close();
  await relay.close();
});

async function openOurAgent(options: Partial<AgentOptions> = {}): Promise<Agent> {
  const dir = mkdtempSync(join(tmpdir(), 'countersign-family-'));
  closers.push(() => rmSync(dir, { recursive: true, force: true }));
  const agent = await openAgent({
    relayUrl: relay.running.url,
    dir,
    name: 'Robot',
    confirm: 'yes',
    ...options,
  });
  closers.push(() => agent.close());
  await agent.whenConnected({ timeoutMs: 5_000 });
  return agent;
}

/** Pairs by the QR's JSON; the person says yes, as the app shows no code. */
async function admitApp(agent: Agent): Promise<FamilyApp> {
  const session = await agent.startPairing();
  const app = new FamilyApp(appKeys, session.qrJson);
  closers.push(() => app.vanish());
  await app.pair();
  for await (const { deviceId, platform } of session.devices()) {
    expect({ deviceId, platform }).toEqual({ deviceId: appId, platform: 'ios' });
    expect(await session.confirmUnverified(deviceId)).toBe('ok');
    break;
  }
  await app.logIn();
  await app.until('inbox_update');
  return app;
}

const optional = { receipts: { optionalFor: [appId] } };
const writeFile = {
  toolName: 'write_file',
  arguments: { path: '/tmp/x', content: 'hello', mode: 420, force: true },
};

describe('an app of the family with our agent', () => {
  it('is let in by a yes, says who it is and gets a snapshot it can decode', async () => {
    const agent = await openOurAgent();
    const app = await admitApp(agent);
    const [device] = await agent.devices.list();
    expect(device).toMatchObject({
      deviceId: appId,
      name: 'Phone',
      platform: 'ios',
      state: 'trusted',
      verified: false,
    });
    expect(app.received.at(-1)).toMatchObject({
      kind: 'inbox_update',
      badge: 0,
      approvals: [],
      clarifications: [],
    });
  });

  it('sees an approval with its arguments, is notified of it, and may reject it with a reason', async () => {
    const agent = await openOurAgent();
    const app = await admitApp(agent);
    const outcome = agent.requestApproval(writeFile);
    const { approvals } = await app.until('inbox_update', ({ badge }) => badge === 1);
    expect(approvals[0]).toMatchObject({
      tool_name: 'write_file',
      agent_label: 'Robot',
      arguments: writeFile.arguments,
    });
    const note = await app.until('notification');
    expect(note).toMatchObject({ title: 'Robot', body: approvals[0]?.summary });
    const id = app.send('approval_response', {
      request_id: approvals[0]?.request_id,
      decision: 'rejected',
      reason: 'no',
    });
    expect(await outcome).toMatchObject({ status: 'rejected', reason: 'no', by: { deviceId: appId } });
    expect(app.received.some((one) => one.kind === 'ack' && one.ref_id !== id)).toBe(false);
    app.askForInbox();
    await app.until('inbox_update', ({ badge }) => badge === 0);
  });

  it.each([{}, { reason: null }])('may approve where the policy names it: %j', async (extra) => {
    const agent = await openOurAgent(optional);
    const app = await admitApp(agent);
    const outcome = agent.requestApproval(writeFile);
    const { approvals } = await app.until('inbox_update', ({ badge }) => badge === 1);
    app.send('approval_response', { request_id: approvals[0]?.request_id, decision: 'approved', ...extra });
    expect(await outcome).toMatchObject({
      status: 'approved',
      scope: 'once',
      arguments: writeFile.arguments,
    });
  });

  it('may give a standing approval of 15 minutes where the policy names it', async () => {
    const agent = await openOurAgent(optional);
    const app = await admitApp(agent);
    const outcome = agent.requestApproval(writeFile);
    const { approvals } = await app.until('inbox_update', ({ badge }) => badge === 1);
    const answer = { request_id: approvals[0]?.request_id, decision: 'approved', bypass_secs: 900 };
    app.send('approval_response', answer);
    expect(await outcome).toMatchObject({ status: 'approved', scope: { forSecs: 900 } });
  });

  it('approves nothing where receipts are required: the item stays, and comes back in the next snapshot', async () => {
    const agent = await openOurAgent();
    const app = await admitApp(agent);
    void agent.requestApproval(writeFile);
    const { approvals } = await app.until('inbox_update', ({ badge }) => badge === 1);
    app.send('approval_response', { request_id: approvals[0]?.request_id, decision: 'approved' });
    await app.until('inbox_update', ({ badge }) => badge === 1);
    expect(await agent.pending()).toHaveLength(1);
    expect(app.received.filter(({ kind }) => kind === 'ack')).toEqual([]);
  });

  it('answers questions and gives a password', async () => {
    const agent = await openOurAgent(optional);
    const app = await admitApp(agent);
    const said = agent.askClarification({
      question: 'Pay?',
      context: 'Invoice 1',
      suggestedAnswers: ['Yes', 'No'],
    });
    const first = await app.until('inbox_update', ({ badge }) => badge === 1);
    expect(first.clarifications[0]).toMatchObject({
      question: 'Pay?',
      context: 'Invoice 1',
      suggested_answers: ['Yes', 'No'],
    });
    app.send('clarification_response', { request_id: first.clarifications[0]?.request_id, answer: 'Yes' });
    expect(await said).toMatchObject({ status: 'answered', answer: 'Yes' });

    const given = agent.elicit({
      serverName: 'ssh',
      message: 'Password?',
      fieldName: 'password',
      sensitive: true,
    });
    const second = await app.until('inbox_update', ({ elicitations }) => elicitations?.length === 1);
    const requestId = second.elicitations?.[0]?.request_id;
    app.send('elicitation_response', {
      request_id: requestId,
      action: 'accept',
      content: { password: 'hunter2' },
    });
    expect(await given).toMatchObject({
      status: 'answered',
      action: 'accept',
      content: { password: 'hunter2' },
    });
  });

  it('gets numbers it cannot hold as text', async () => {
    const agent = await openOurAgent();
    const app = await admitApp(agent);
    void agent.requestApproval({ toolName: 'pay', argumentsText: '{"amount": 90071992547409930}' });
    const { approvals } = await app.until('inbox_update', ({ badge }) => badge === 1);
    expect(approvals[0]?.arguments ?? {}).toEqual({});
    expect(approvals[0]?.detail).toContain('90071992547409930');
  });

  it('answers and logs out from connections that last one message', async () => {
    const agent = await openOurAgent();
    const app = await admitApp(agent);
    const outcome = agent.requestApproval(writeFile);
    const { approvals } = await app.until('inbox_update', ({ badge }) => badge === 1);
    await app.sendOnce('approval_response', { request_id: approvals[0]?.request_id, decision: 'rejected' });
    expect(await outcome).toMatchObject({ status: 'rejected' });
    await app.sendOnce('logout', {});
    await expect.poll(() => agent.devices.list()).toEqual([]);
  });
});

/** What a device may not answer: each gets the stated ack, and nothing else changes. */
import { randomUUID } from 'node:crypto';
import type { Agent, ApprovalOutcome, ApprovalRequest } from '@countersign/agent-sdk';
import { PLATFORM } from '@countersign/protocol';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type Rig, startRig } from './rig.js';
import type { DeviceScript, Json, ScriptedDevice } from './scripted-device.js';

const DAY_MS = 86_400_000;
const WRITE: ApprovalRequest = { toolName: 'write_file', arguments: { path: '/tmp/a', n: 1 } };

let rig: Rig;
let agent: Agent;
let device: ScriptedDevice;
let asked: Promise<ApprovalOutcome>;
let entry: Json;

beforeEach(async () => {
  rig = await startRig();
  agent = await rig.open();
});
afterEach(() => rig.close());

async function ask(request: ApprovalRequest = WRITE, script: DeviceScript = {}): Promise<void> {
  device = await rig.pair(agent, script);
  asked = agent.requestApproval(request);
  entry = await device.item('approval');
}

async function isRefused(sent: Promise<string>, status = 'invalid'): Promise<Json> {
  const ack = await device.ack(await sent);
  expect(ack).toMatchObject({ status });
  return ack;
}

/** The item is open still: a proper approval is applied. */
async function isStillOpen(): Promise<void> {
  await device.approve(entry);
  expect(await asked).toMatchObject({ status: 'approved' });
}

describe('an answer', () => {
  it('with a receipt over another digest is invalid', async () => {
    await ask();
    await isRefused(device.approve(entry, {}, { digest: 'ab'.repeat(32) }));
    await isStillOpen();
  });

  it('with a broken signature is invalid', async () => {
    await ask();
    const receipt = (one: Json) => ({ ...one, sig: `00${String(one.sig).slice(2)}` });
    await isRefused(device.approve(entry, {}, { receipt }));
    await isStillOpen();
  });

  it('without a receipt is invalid', async () => {
    await ask();
    await isRefused(device.approve(entry, {}, { receipt: () => undefined }));
    await isStillOpen();
  });

  it('whose receipt signs another answer is invalid', async () => {
    await ask({ ...WRITE, choices: ['approve', 'approve_for'] });
    const id = randomUUID();
    const receipt = await device.receipt('approval', entry, {
      request_id: entry.request_id,
      decision: 'approved',
    });
    const body = { request_id: entry.request_id, decision: 'approved', bypass_secs: 900, receipt };
    await isRefused(device.send('approval_response', body, { id }));
    await isStillOpen();
  });

  it('whose receipt was made by another device is invalid', async () => {
    await ask();
    const other = await rig.pair(agent, { name: 'Other' });
    const theirs = await other.receipt('approval', entry, {
      request_id: entry.request_id,
      decision: 'approved',
    });
    await isRefused(device.approve(entry, {}, { receipt: () => theirs }));
    await isStillOpen();
  });

  it('that is no answer at all is invalid', async () => {
    await ask();
    await isRefused(device.send('approval_response', { request_id: entry.request_id, decision: 'yes' }));
    await isStillOpen();
  });

  it('to an id longer than any of ours leaves nothing behind', async () => {
    await ask();
    const body = { request_id: `appr_${'x'.repeat(5000)}`, decision: 'approved' };
    const long = await device.send('approval_response', body);
    const malformed = await device.send('approval_response', { ...body, decision: 'maybe' });
    await isRefused(device.approve(entry, {}, { digest: 'ab'.repeat(32) }));
    const acked = device.of('ack').map((one) => one.ref_id);
    expect(acked).not.toContain(long);
    expect(acked).not.toContain(malformed);
    await isStillOpen();
  });

  it('to an id nobody asked is unknown', async () => {
    await ask();
    await isRefused(device.approve({ ...entry, request_id: 'appr_00' }), 'unknown');
    await isStillOpen();
  });

  it('of another kind is invalid', async () => {
    await ask();
    await isRefused(device.answer('clarification', entry, { answer: 'yes' }));
    await isStillOpen();
  });

  it('given again in the same message gets the first ack again and changes nothing', async () => {
    await ask();
    const id = randomUUID();
    await device.approve(entry, {}, { id });
    expect(await asked).toMatchObject({ status: 'approved' });
    const first = await device.ack(id);
    await device.approve(entry, {}, { id });
    await device.waitFor('second ack', (one) => one.ref_id === id && one.id !== first.id);
    const [a, b] = device.of('ack').filter((one) => one.ref_id === id);
    expect({ ...a, id: 0, ts: 0 }).toEqual({ ...b, id: 0, ts: 0 });
  });

  it('given twice is already decided the second time', async () => {
    await ask();
    await device.approve(entry);
    await asked;
    const ack = await isRefused(device.reject(entry), 'already_decided');
    expect(ack).toMatchObject({ outcome: 'approved', by: 'Phone' });
  });

  it.each([
    ['reads a bypass of null', { bypass_secs: null }],
    ['reads a negative bypass', { bypass_secs: -1 }],
    ['reads a fraction', { bypass_secs: 1.5 }],
    ['reads over a day', { bypass_secs: 86_401 }],
    ['reads text', { bypass_secs: '900' }],
    ['takes a rule nobody suggested', { rule_id: 'r9' }],
    ['stops while approving', { stop: true }],
    ['changes arguments that may not change', { modified_arguments: { path: '/etc' } }],
  ])('that %s is invalid', async (_what, body) => {
    await ask();
    await isRefused(device.approve(entry, body));
    await isStillOpen();
  });

  it('that takes an option not offered is refused', async () => {
    await ask({ ...WRITE, choices: ['approve', 'reject'] });
    await isRefused(device.approve(entry, { bypass_secs: 900 }));
    await isRefused(device.approve(entry, { bypass_secs: 0 }));
    await isRefused(device.reject(entry, { respond: true, reason: 'x' }));
    await isStillOpen();
  });

  it('to an item the device never had whole is invalid, a rejection applies', async () => {
    const filler = 'x'.repeat(200_000);
    device = await rig.pair(agent);
    const first = agent.requestApproval({ toolName: 'one', arguments: { filler } });
    await device.item('approval', (one) => one.tool_name === 'one');
    asked = agent.requestApproval({ toolName: 'two', arguments: { filler: `${filler}y` } });
    entry = await device.item('approval', (one) => one.tool_name === 'two');
    expect(entry).toMatchObject({ truncated: true });
    expect(entry.arguments).toBeUndefined();
    await isRefused(device.approve(entry, {}, { digest: String(entry.digest) }));
    await device.send('inbox_request', { request_id: entry.request_id }, { live: true });
    entry = await device.item('approval', (one) => one.tool_name === 'two' && one.truncated === undefined);
    await isStillOpen();
    await device.reject(await device.item('approval', (one) => one.tool_name === 'one'));
    expect(await first).toMatchObject({ status: 'rejected' });
  });

  it('on a notification is good for normal risk and not for high', async () => {
    await ask({ ...WRITE, risk: 'high' });
    await isRefused(device.approve(entry, {}, { shown: 'summary' }));
    await isStillOpen();
    const low = agent.requestApproval({ ...WRITE, risk: 'low' });
    await device.approve(
      await device.item('approval', (one) => one.risk === 'low'),
      {},
      { shown: 'summary' },
    );
    expect(await low).toMatchObject({ status: 'approved' });
  });

  it.each([
    ['comes over two minutes late', -121_000],
    ['says it was decided in the future', 181_000],
  ])('that %s counts once', async (_, offsetMs) => {
    await ask({ ...WRITE, choices: ['approve', 'approve_for'] });
    await device.approve(entry, { bypass_secs: 900 }, { decidedAt: Date.now() + offsetMs });
    expect(await asked).toMatchObject({ status: 'approved', scope: 'once' });
  });
});

describe('a device whose clock is wrong', () => {
  it.each([1, -1])('by %i day answers all the same', async (days) => {
    await ask(WRITE, { skewMs: days * DAY_MS });
    await isStillOpen();
  });

  it.each([8, -8])('by %i days is told that its answer expired, and the time', async (days) => {
    await ask(WRITE, { skewMs: days * DAY_MS });
    const ack = await isRefused(device.approve(entry), 'expired');
    expect(Math.abs(Number(ack.now) - Date.now())).toBeLessThan(60_000);
    expect(await agent.pending()).toHaveLength(1);
  });
});

describe('what was changed on the device', () => {
  const inputSchema = { type: 'object', properties: { n: { type: 'integer' } }, required: ['n'] };
  const choices = ['approve', 'edit', 'reject'] as const;

  it('runs exactly as it was sent back, and is described again', async () => {
    await ask({ ...WRITE, inputSchema, choices });
    await device.approve(entry, { modified_arguments: { n: 2, path: '/var/changed' } });
    const outcome = await asked;
    expect(outcome).toMatchObject({
      status: 'approved',
      modified: true,
      arguments: { n: 2, path: '/var/changed' },
    });
    expect(outcome.text).toContain('changed arguments');
  });

  it('must fit the schema and be frozen like any other call', async () => {
    await ask({ ...WRITE, inputSchema, choices });
    await isRefused(device.approve(entry, { modified_arguments: { n: 'two' } }));
    await isRefused(device.approve(entry, { modified_arguments: { n: 2 ** 53 } }));
    await isStillOpen();
  });
});

describe('a bypass', () => {
  it('lets calls of exactly that tool run, is listed, and ends when a device ends it', async () => {
    await ask();
    await device.approve(entry, { bypass_secs: 900 });
    expect(await asked).toMatchObject({ status: 'approved', scope: { forSecs: 900 } });
    expect(await agent.requestApproval(WRITE)).toMatchObject({
      status: 'approved',
      arguments: WRITE.arguments,
    });
    const listed = await device.waitFor('bypass', (one) => Array.isArray(one.bypasses));
    const [bypass] = listed.bypasses as Json[];
    expect(bypass).toMatchObject({ tool_name: 'write_file', by: 'Phone' });
    void agent.requestApproval({ ...WRITE, toolName: 'write_file2' });
    await device.item('approval', (one) => one.tool_name === 'write_file2');
    const ref = await device.send('bypass_end', { bypass_id: bypass?.id });
    expect(await device.ack(ref)).toMatchObject({ status: 'applied' });
    void agent.requestApproval({ ...WRITE, arguments: { path: '/tmp/b' } });
    await device.item('approval', (one) => (one.arguments as Json)?.path === '/tmp/b');
  });

  it('for the session ends when the agent closes', async () => {
    await ask();
    await device.approve(entry, { bypass_secs: 0 });
    expect(await asked).toMatchObject({ scope: 'session' });
    expect(await agent.requestApproval(WRITE)).toMatchObject({ status: 'approved', scope: 'session' });
    await agent.close();
    agent = await rig.open();
    void agent.requestApproval({ ...WRITE, arguments: { path: '/tmp/c' } });
    await device.item('approval', (one) => (one.arguments as Json)?.path === '/tmp/c');
  });

  it('of one session does not reach another', async () => {
    await ask({ ...WRITE, sessionId: 's1' });
    await device.approve(entry, { bypass_secs: 0 });
    await asked;
    expect(await agent.requestApproval({ ...WRITE, sessionId: 's1' })).toMatchObject({ status: 'approved' });
    void agent.requestApproval({ ...WRITE, sessionId: 's2' });
    await device.item('approval', (one) => one.session_id === 's2');
  });

  it('is lowered to the host’s ceiling, and the ack says so', async () => {
    await agent.close();
    agent = await rig.open({ bypassCeilingSecs: 60 });
    await ask({ ...WRITE, choices: ['approve', 'approve_for'] });
    const ref = await device.approve(entry, { bypass_secs: 3600 });
    expect(await asked).toMatchObject({ scope: { forSecs: 60 } });
    expect(await device.ack(ref)).toMatchObject({ status: 'applied', bypass_secs: 60 });
  });

  it('goes with the device that gave it', async () => {
    await ask();
    await device.approve(entry, { bypass_secs: 900 });
    await asked;
    await agent.devices.revoke(device.id);
    expect(await agent.requestApproval(WRITE)).toMatchObject({ status: 'cancelled', reason: 'no_device' });
  });

  it('asked by an old device that is offered none is reduced to once', async () => {
    await ask(
      { ...WRITE, choices: ['approve', 'reject'] },
      { platform: PLATFORM.ios, supports: ['receipts', 'acks'] },
    );
    await device.approve(entry, { bypass_secs: 900 });
    expect(await asked).toMatchObject({ status: 'approved', scope: 'once' });
  });
});

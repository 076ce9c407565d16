/** Approvals, from the request to the verified decision, over a real relay. */
import { PLATFORM } from '@countersign/protocol';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type Rig, startRig } from './rig.js';

let rig: Rig;
beforeEach(async () => {
  rig = await startRig();
});
afterEach(() => rig.close());

const WRITE = { toolName: 'write_file', arguments: { path: '/tmp/é.txt', text: 'hello' } };

describe('an approval', () => {
  it('runs with the frozen arguments once a device countersigned it', async () => {
    const agent = await rig.open();
    const device = await rig.pair(agent, { name: 'Pixel' });
    const asked = agent.requestApproval(WRITE);
    const entry = await device.item('approval');
    const ref = await device.approve(entry);
    const outcome = await asked;
    expect(outcome).toMatchObject({ status: 'approved', arguments: WRITE.arguments, modified: false });
    expect(outcome).toMatchObject({ by: { name: 'Pixel', deviceId: device.id }, scope: 'once' });
    expect(outcome.status === 'approved' && outcome.receipt?.request_id).toBe(entry.request_id);
    expect(await device.ack(ref)).toMatchObject({ status: 'applied', outcome: 'approved', by: 'Pixel' });
  });

  it('carries a view, a summary and a digest even when the host gave none', async () => {
    const agent = await rig.open();
    const device = await rig.pair(agent);
    void agent.requestApproval(WRITE);
    const entry = await device.item('approval');
    expect(entry).toMatchObject({ tool_name: 'write_file', agent_label: 'Robot', risk: 'normal' });
    expect(entry.blocks).toMatchObject({ v: 1, summary: entry.summary });
    expect(entry.digest).toMatch(/^[0-9a-f]{64}$/);
    expect(String(entry.request_id)).toMatch(/^appr_[0-9a-f]{32}$/);
  });

  it('shows arguments that cannot be frozen as text, verbatim', async () => {
    const agent = await rig.open();
    const device = await rig.pair(agent);
    const argumentsText = '{"id":9007199254740993,"a":1,"a":2}';
    const asked = agent.requestApproval({ toolName: 'pay', argumentsText });
    const entry = await device.item('approval');
    expect(entry.arguments).toBeUndefined();
    expect(entry.arguments_text).toBe(argumentsText);
    await device.approve(entry);
    expect(await asked).toMatchObject({ status: 'approved', argumentsText, modified: false });
  });

  it('puts such text into detail for a device that does not know it, and takes its receipt over that', async () => {
    const agent = await rig.open();
    const device = await rig.pair(agent, { supports: ['receipts', 'acks'] });
    const asked = agent.requestApproval({ toolName: 'pay', argumentsText: '[1]', detail: 'why' });
    const entry = await device.item('approval');
    expect(entry).toMatchObject({ detail: 'why\n\n[1]' });
    await device.approve(entry);
    expect(await asked).toMatchObject({ status: 'approved', argumentsText: '[1]' });
  });

  it('is refused with the reason, and stops the run where that was asked', async () => {
    const agent = await rig.open();
    const device = await rig.pair(agent);
    const asked = agent.requestApproval({
      ...WRITE,
      choices: ['approve', 'reject_and_stop', 'reject_with_reason'],
    });
    await device.reject(await device.item('approval'), { reason: 'not now', stop: true });
    const outcome = await asked;
    expect(outcome).toMatchObject({ status: 'rejected', reason: 'not now', stop: true });
    expect(outcome.text).toContain('not now');
  });

  it('is refused by a device whose receipt is bad: a rejection always applies', async () => {
    const agent = await rig.open();
    const device = await rig.pair(agent);
    const asked = agent.requestApproval(WRITE);
    const receipt = (one: Record<string, unknown>) => ({ ...one, sig: '00'.repeat(64) });
    await device.reject(await device.item('approval'), {}, { receipt });
    const outcome = await asked;
    expect(outcome).toMatchObject({ status: 'rejected', stop: false });
    expect(outcome).not.toHaveProperty('receipt');
  });

  it('is answered instead, as the result of the tool', async () => {
    const agent = await rig.open();
    const device = await rig.pair(agent);
    const asked = agent.requestApproval({ ...WRITE, choices: ['approve', 'reject', 'respond'] });
    await device.reject(await device.item('approval'), { respond: true, reason: 'use /var' });
    expect(await asked).toMatchObject({ status: 'answered', answer: 'use /var' });
  });

  it('expires as nobody answering, not as a refusal', async () => {
    const agent = await rig.open();
    const device = await rig.pair(agent);
    const asked = agent.requestApproval({ ...WRITE, expiresInMs: 5000 });
    const entry = await device.item('approval');
    const outcome = await asked;
    expect(outcome).toMatchObject({ status: 'expired' });
    expect(outcome.text).toContain('not a refusal');
    const ref = await device.approve(entry);
    expect(await device.ack(ref)).toMatchObject({ status: 'expired', outcome: 'expired' });
    expect((await device.ack(ref)).now).toBeTypeOf('number');
  });

  it('is withdrawn everywhere when its host aborts', async () => {
    const agent = await rig.open();
    const device = await rig.pair(agent);
    const abort = new AbortController();
    const asked = agent.requestApproval(WRITE, { signal: abort.signal });
    const entry = await device.item('approval');
    await device.waitFor(
      'alert',
      (one) => one.kind === 'notification' && one.request_id === entry.request_id,
    );
    abort.abort();
    expect(await asked).toMatchObject({ status: 'cancelled', reason: 'aborted' });
    await device.waitFor(
      'empty inbox',
      (one) => one.kind === 'inbox_update' && one.badge === 0 && device.received.indexOf(one) > 2,
    );
    await device.waitFor(
      'replacement',
      (one) => one.replaces === entry.request_id && one.outcome === 'cancelled',
    );
  });

  it('is cancelled at once when no device is paired, or the signal is aborted already', async () => {
    const agent = await rig.open();
    expect(await agent.requestApproval(WRITE)).toMatchObject({ status: 'cancelled', reason: 'no_device' });
    const signal = AbortSignal.abort();
    expect(await agent.requestApproval(WRITE, { signal })).toMatchObject({
      status: 'cancelled',
      reason: 'aborted',
    });
  });

  it('says its id once it is durable and lists it as pending', async () => {
    const agent = await rig.open();
    await rig.pair(agent);
    const id = await new Promise<string>((onAsked) => void agent.requestApproval(WRITE, { onAsked }));
    const pending = await agent.pending();
    expect(pending).toMatchObject([{ requestId: id, kind: 'approval', toolName: 'write_file' }]);
    expect(pending[0]?.text).toContain('Still waiting');
  });

  it('runs the host’s function with the frozen arguments and records that it ran', async () => {
    const agent = await rig.open();
    const device = await rig.pair(agent);
    const ran = agent.run(WRITE, (args) => JSON.stringify(args));
    await device.approve(await device.item('approval'));
    const { outcome, result } = await ran;
    expect(result).toBe(JSON.stringify(WRITE.arguments));
    expect(await agent.reopen(outcome.requestId)).toMatchObject({
      status: 'approved',
      earlier: 'done',
      arguments: undefined,
    });
  });

  it('passes on what the host’s function throws and records that it failed', async () => {
    const agent = await rig.open();
    const device = await rig.pair(agent);
    let id = '';
    const onAsked = (requestId: string) => {
      id = requestId;
    };
    const asked = agent.requestApproval(WRITE, { onAsked });
    await device.approve(await device.item('approval'));
    await asked;
    const failing = agent.run(WRITE, () => {
      throw new RangeError('with /tmp/é.txt');
    });
    const second = await device.item('approval', (one) => one.request_id !== id);
    await device.approve(second);
    await expect(failing).rejects.toThrow(RangeError);
    expect(await agent.reopen(String(second.request_id))).toMatchObject({ earlier: 'failed' });
  });
});

describe('two devices', () => {
  it('race: the first decision holds, the other hears who decided', async () => {
    const agent = await rig.open();
    const one = await rig.pair(agent, { name: 'One' });
    const two = await rig.pair(agent, { name: 'Two' });
    const asked = agent.requestApproval(WRITE);
    const [first, second] = await Promise.all([one.item('approval'), two.item('approval')]);
    const [refOne, refTwo] = await Promise.all([one.approve(first), two.reject(second)]);
    const outcome = await asked;
    const acks = await Promise.all([one.ack(refOne), two.ack(refTwo)]);
    expect(new Set(acks.map(({ status }) => status))).toEqual(new Set(['already_decided', 'applied']));
    const winner = outcome.status === 'approved' ? 'One' : 'Two';
    expect(acks.every(({ by }) => by === winner)).toBe(true);
  });

  it('lose the notification on the one that did not decide', async () => {
    const agent = await rig.open();
    const one = await rig.pair(agent, { name: 'One' });
    const two = await rig.pair(agent, { name: 'Two' });
    const asked = agent.requestApproval(WRITE);
    const entry = await one.item('approval');
    await two.waitFor(
      'alert',
      (note) => note.kind === 'notification' && note.request_id === entry.request_id,
    );
    await one.approve(entry);
    await asked;
    const replaced = await two.waitFor('replacement', (note) => note.replaces === entry.request_id);
    expect(replaced).toMatchObject({ outcome: 'approved on One', item_kind: 'approval' });
    expect(one.of('notification').some((note) => note.replaces !== undefined)).toBe(false);
  });
});

describe('an old device', () => {
  it('cannot approve, but can reject, unless policy names it', async () => {
    const agent = await rig.open();
    const device = await rig.pair(agent, { platform: PLATFORM.ios, supports: [] });
    const asked = agent.requestApproval(WRITE);
    const entry = await device.item('approval');
    await device.approve(entry, {}, { receipt: () => undefined });
    await device.reject(entry, { reason: 'no' }, { receipt: () => undefined });
    expect(await asked).toMatchObject({ status: 'rejected', reason: 'no' });
  });

  it('approves without a receipt where policy names it, and what it asks beyond the offer is reduced', async () => {
    const agent = await rig.open();
    const device = await rig.pair(agent, { platform: PLATFORM.ios, supports: [] });
    await agent.close();
    const again = await rig.open({ receipts: { optionalFor: [device.id] } });
    await again.whenConnected();
    const asked = again.requestApproval({ ...WRITE, choices: ['approve', 'reject'] });
    const entry = await device.item('approval');
    const ref = await device.approve(entry, { bypass_secs: 900 }, { receipt: () => undefined });
    expect(await asked).toMatchObject({ status: 'approved', scope: 'once' });
    const ack = await device.ack(ref);
    expect(Object.keys(ack).toSorted()).toEqual(['id', 'kind', 'ref_id', 'request_id', 'status', 'ts', 'v']);
  });
});

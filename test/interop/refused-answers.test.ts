/** Answers our agent must not act on, or not again (03 §5); each has its ack. */
import { describe, expect, it } from 'vitest';
import type { Json } from './peer/items.js';
import { agentWithDevice, ask, pairDevice, WRITE } from './peer/sdk-agent.js';

const APPROVED = { decision: 'approved' };

describe('an option', () => {
  it.each([
    ['a bypass', { bypass_secs: 900 }],
    ['a bypass for the session', { bypass_secs: 0 }],
    ['a rule', { rule_id: 'r1' }],
    ['an edit', { modified_arguments: { path: '/etc' } }],
  ])('that was not offered (%s) is refused', async (_what, option) => {
    const { agent, device } = await agentWithDevice();
    const { outcome, entry } = await ask(agent, device, { ...WRITE, choices: ['approve', 'reject'] });
    expect(entry.choices).toEqual(['approve', 'reject']);
    const answer = device.response('approval', entry, { ...APPROVED, ...option });
    expect(await device.answer(answer)).toMatchObject({ status: 'invalid' });
    await device.answer(device.response('approval', entry, APPROVED));
    expect(await outcome).toMatchObject({ status: 'approved', scope: 'once', modified: false });
  });

  it.each([[-1], [0.5], [86_401], [null], ['900'], [2 ** 60]])(
    'of bypass_secs %s is invalid',
    async (bypass_secs) => {
      const { agent, device } = await agentWithDevice();
      const choices = ['approve', 'approve_for', 'approve_session', 'reject'] as const;
      const { outcome, entry } = await ask(agent, device, {
        ...WRITE,
        choices: [...choices],
        sessionId: 's',
      });
      const answer = device.response('approval', entry, { ...APPROVED, bypass_secs });
      expect(await device.answer(answer)).toMatchObject({ status: 'invalid' });
      await device.answer(device.response('approval', entry, { decision: 'rejected' }));
      expect((await outcome).status).toBe('rejected');
    },
  );

  it('above the ceiling is lowered to it, and the ack says so', async () => {
    const { agent, device } = await agentWithDevice({ bypassCeilingSecs: 60 });
    const { outcome, entry } = await ask(agent, device, {
      ...WRITE,
      choices: ['approve', 'approve_for', 'reject'],
    });
    const answer = device.response('approval', entry, { ...APPROVED, bypass_secs: 900 });
    expect(await device.answer(answer)).toMatchObject({ status: 'applied', bypass_secs: 60 });
    expect(await outcome).toMatchObject({ status: 'approved', scope: { forSecs: 60 } });
  });

  it('given is listed, spares the next question and can be ended', async () => {
    const { agent, device } = await agentWithDevice();
    const request = { ...WRITE, choices: ['approve', 'approve_for', 'reject'] as const };
    const { outcome, entry } = await ask(agent, device, { ...request, choices: [...request.choices] });
    device.send(device.response('approval', entry, { ...APPROVED, bypass_secs: 900 }), false);
    const listed = await device.receive(
      'inbox_update',
      (u) => Array.isArray(u.bypasses) && u.bypasses.length > 0,
    );
    expect((await outcome).status).toBe('approved');
    const [bypass] = listed.bypasses as Json[];
    expect(bypass).toMatchObject({ tool_name: 'write_file', id: expect.any(String), by: expect.any(String) });
    expect(Number(bypass?.until)).toBeGreaterThan(Date.now() + 890_000);
    expect((await agent.requestApproval(WRITE)).status).toBe('approved');
    const end = device.envelope('bypass_end', { bypass_id: bypass?.id });
    expect(await device.answer(end)).toMatchObject({ ref_id: end.id });
    const { entry: asked } = await ask(agent, device);
    await device.answer(device.response('approval', asked, { decision: 'rejected' }));
  });
});

describe('an answer', () => {
  it('sent twice gets its first ack again; another to the same item is already_decided', async () => {
    const { agent, device } = await agentWithDevice();
    const { outcome, entry } = await ask(agent, device);
    const response = device.response('approval', entry, APPROVED);
    const first = await device.answer(response);
    await outcome;
    const again = await device.answer(response);
    expect([again.status, again.ref_id]).toEqual([first.status, first.ref_id]);
    const late = await device.answer(device.response('approval', entry, { decision: 'rejected' }));
    expect(late).toMatchObject({ status: 'already_decided', outcome: 'approved', by: expect.any(String) });
  });

  it('of a second device comes too late, and says who decided', async () => {
    const { agent, device } = await agentWithDevice();
    const other = await pairDevice(agent);
    const { outcome, entry } = await ask(agent, device);
    const same = await other.receiveItem('approval');
    await device.answer(device.response('approval', entry, { decision: 'rejected' }));
    expect((await outcome).status).toBe('rejected');
    const ack = await other.answer(other.response('approval', same, APPROVED));
    expect(ack).toMatchObject({ status: 'already_decided', outcome: 'rejected' });
  });

  it('to an item that expired is told so', async () => {
    const { agent, device } = await agentWithDevice();
    const { outcome, entry } = await ask(agent, device, { ...WRITE, expiresInMs: 5_000 });
    expect(await outcome).toMatchObject({ status: 'expired' });
    const ack = await device.answer(device.response('approval', entry, APPROVED));
    expect(ack).toMatchObject({ status: 'expired' });
  });

  it('to an item that was withdrawn changes nothing', async () => {
    const { agent, device } = await agentWithDevice();
    const abort = new AbortController();
    const { outcome, entry } = await ask(agent, device, WRITE, { signal: abort.signal });
    abort.abort();
    await outcome;
    const ack = await device.answer(device.response('approval', entry, APPROVED));
    expect(ack).toMatchObject({ status: 'already_decided', outcome: 'cancelled' });
  });

  it('to nothing known is unknown', async () => {
    const { device } = await agentWithDevice();
    const entry = { request_id: 'appr_nothing', summary: '' };
    expect(await device.answer(device.response('approval', entry, APPROVED))).toMatchObject({
      status: 'unknown',
    });
  });

  it('of another kind than its item is refused', async () => {
    const { agent, device } = await agentWithDevice();
    const outcome = agent.askClarification({ question: 'Which?' });
    const entry = await device.receiveItem('clarification');
    const ack = await device.answer(device.response('approval', entry, APPROVED));
    expect(ack).toMatchObject({ status: 'invalid' });
    await device.answer(device.response('clarification', entry, { answer: 'this' }));
    expect(await outcome).toMatchObject({ status: 'answered', answer: 'this' });
  });

  it('with a decision of its own making is invalid', async () => {
    const { agent, device } = await agentWithDevice();
    const { outcome, entry } = await ask(agent, device);
    const ack = await device.answer(device.response('approval', entry, { decision: 'maybe' }));
    expect(ack).toMatchObject({ status: 'invalid' });
    await device.answer(device.response('approval', entry, { decision: 'rejected' }));
    await outcome;
  });

  it.each([-1, 1])('from a clock %i day off applies', async (days) => {
    const { agent, device } = await agentWithDevice();
    const { outcome, entry } = await ask(agent, device);
    const ts = Date.now() + days * 86_400_000;
    expect(await device.answer(device.response('approval', entry, APPROVED, { ts }))).toMatchObject({
      status: 'applied',
    });
    expect((await outcome).status).toBe('approved');
  });

  it.each([-8, 8])('from a clock %i days off is expired, with the time of the agent', async (days) => {
    const { agent, device } = await agentWithDevice();
    const { outcome, entry } = await ask(agent, device);
    const ts = Date.now() + days * 86_400_000;
    const ack = await device.answer(device.response('approval', entry, APPROVED, { ts }));
    expect(ack).toMatchObject({ status: 'expired' });
    expect(Math.abs(Number(ack.now) - Date.now())).toBeLessThan(5_000);
    device.send(device.envelope('inbox_request', { ts }), true);
    await device.receiveItem('approval');
    await device.answer(device.response('approval', entry, { decision: 'rejected' }));
    expect((await outcome).status).toBe('rejected');
  });
});

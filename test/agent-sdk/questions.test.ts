/** Clarifications, elicitations, information, and what is never written down. */
import { PLATFORM } from '@countersign/protocol';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { everyByteOf } from './files.js';
import { type Rig, startRig } from './rig.js';

let rig: Rig;
beforeEach(async () => {
  rig = await startRig();
});
afterEach(() => rig.close());

const SECRET = 'correct-horse-battery-staple';

describe('a clarification', () => {
  it('is answered in the human’s words', async () => {
    const agent = await rig.open();
    const device = await rig.pair(agent);
    const asked = agent.askClarification({ question: 'Which branch?', suggestedAnswers: ['main', 'dev'] });
    const entry = await device.item('clarification');
    expect(entry).toMatchObject({
      question: 'Which branch?',
      suggested_answers: ['main', 'dev'],
      agent_label: 'Robot',
    });
    await device.answer('clarification', entry, { answer: 'release/2' });
    const outcome = await asked;
    expect(outcome).toMatchObject({ status: 'answered', answer: 'release/2' });
    expect(await agent.reopen(outcome.requestId)).toMatchObject({ status: 'answered', answer: 'release/2' });
  });

  it('is not answered by words nobody signed', async () => {
    const agent = await rig.open();
    const device = await rig.pair(agent);
    void agent.askClarification({ question: 'Which branch?' });
    const entry = await device.item('clarification');
    const ref = await device.answer('clarification', entry, { answer: 'x' }, { receipt: () => undefined });
    expect(await device.ack(ref)).toMatchObject({ status: 'invalid' });
  });
});

describe('an elicitation', () => {
  it('gives only the member it asked for', async () => {
    const agent = await rig.open();
    const device = await rig.pair(agent);
    const asked = agent.elicit({ serverName: 'git', message: 'User name?', fieldName: 'user' });
    const entry = await device.item('elicitation');
    await device.answer('elicitation', entry, { action: 'accept', content: { user: 'ada', extra: 1 } });
    const outcome = await asked;
    expect(outcome).toMatchObject({ status: 'answered', action: 'accept' });
    expect(outcome.status === 'answered' && outcome.action === 'accept' && outcome.content).toEqual({
      user: 'ada',
    });
  });

  it('takes a form that fits its schema and no other', async () => {
    const agent = await rig.open();
    const device = await rig.pair(agent);
    const requestedSchema = { type: 'object', properties: { age: { type: 'integer' } }, required: ['age'] };
    const asked = agent.elicit({ serverName: 's', message: 'Age?', requestedSchema });
    const entry = await device.item('elicitation');
    const ref = await device.answer('elicitation', entry, { action: 'accept', content: { age: 'old' } });
    expect(await device.ack(ref)).toMatchObject({ status: 'invalid' });
    await device.answer('elicitation', entry, { action: 'accept', content: { age: 7 } });
    expect(await asked).toMatchObject({ content: { age: 7 } });
  });

  it.each(['decline', 'cancel'] as const)('may be answered with %s by anyone', async (action) => {
    const agent = await rig.open();
    const device = await rig.pair(agent, { platform: PLATFORM.android, supports: [] });
    const asked = agent.elicit({ serverName: 's', message: 'Go on?', isConfirmation: true });
    const entry = await device.item('elicitation');
    await device.answer('elicitation', entry, { action }, { receipt: () => undefined });
    expect(await asked).toMatchObject({ status: 'answered', action });
  });

  it('of something sensitive reaches the host and no file', async () => {
    const dir = rig.dir();
    const agent = await rig.open({ dir });
    const device = await rig.pair(agent);
    const asked = agent.elicit({ serverName: 's', message: 'Password?', fieldName: 'pw', sensitive: true });
    const entry = await device.item('elicitation');
    const body = { action: 'accept', content: { pw: SECRET } };
    await device.answer('elicitation', entry, body, { live: true });
    const outcome = await asked;
    expect(outcome).toMatchObject({ status: 'answered', content: { pw: SECRET } });
    expect(everyByteOf(dir)).not.toContain(SECRET);
    expect(await agent.reopen(outcome.requestId)).toMatchObject({ status: 'unknown' });
  });

  it('shows no address but https', async () => {
    const agent = await rig.open();
    await rig.pair(agent);
    const asked = agent.elicit({ serverName: 's', message: 'Visit', url: 'http://plain.example' });
    await expect(asked).rejects.toMatchObject({ code: 'invalid_request', details: { member: 'url' } });
  });
});

describe('a notification', () => {
  it('holds the summary and nothing else of the call, after a grace', async () => {
    const agent = await rig.open();
    const device = await rig.pair(agent);
    void agent.requestApproval({ toolName: 'deploy', summary: 'Deploy to prod', arguments: { key: SECRET } });
    const entry = await device.item('approval');
    const note = await device.waitFor('alert', (one) => one.kind === 'notification');
    expect(note).toMatchObject({ title: 'Robot', body: 'Deploy to prod', badge: 1, item_kind: 'approval' });
    expect(note).toMatchObject({ request_id: entry.request_id, expires_at: entry.expires_at });
    expect(JSON.stringify(note)).not.toContain(SECRET);
  });

  it('says only that something waits where previews are private', async () => {
    const agent = await rig.open();
    const device = await rig.pair(agent, { privatePreviews: true });
    void agent.requestApproval({ toolName: 'deploy', summary: 'Deploy to prod' });
    const note = await device.waitFor('alert', (one) => one.kind === 'notification');
    expect(note.body).toBe('An approval is waiting');
  });

  it('is not sent for an item that is answered at once', async () => {
    const agent = await rig.open();
    const device = await rig.pair(agent);
    const asked = agent.requestApproval({ toolName: 'quick' });
    await device.approve(await device.item('approval'));
    await asked;
    void agent.requestApproval({ toolName: 'slow', summary: 'Slow' });
    const note = await device.waitFor('alert', (one) => one.kind === 'notification');
    expect(note.body).toBe('Slow');
  });

  it('may be plain information', async () => {
    const agent = await rig.open();
    await expect(agent.notify({ title: 'T', body: 'B' })).rejects.toMatchObject({ code: 'no_device' });
    const device = await rig.pair(agent);
    await agent.notify({ title: 'Build', body: 'It is green.' });
    const note = await device.waitFor('note', (one) => one.kind === 'notification');
    expect(note).toMatchObject({ title: 'Build', body: 'It is green.' });
    expect(note).not.toHaveProperty('request_id');
    const long = agent.notify({ title: 'T', body: 'x'.repeat(1023) });
    await expect(long).rejects.toMatchObject({ code: 'payload_too_large' });
  });
});

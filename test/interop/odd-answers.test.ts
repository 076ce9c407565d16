/** Answers at the edge of 03 §5 that our agent takes in a certain way, sent by independent devices. */
import { randomBytes } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { identityOf } from './peer/crypto.js';
import { type Json, receiptOf } from './peer/items.js';
import { agentWithDevice, ask, pairDevice, WRITE } from './peer/sdk-agent.js';

const THREE_MINUTES_MS = 180_000;

describe('an approval', () => {
  it('with a bypass that arrives over two minutes after it was decided counts once', async () => {
    const { agent, device } = await agentWithDevice();
    const { outcome, entry } = await ask(agent, device);
    const answer = { request_id: String(entry.request_id), decision: 'approved', bypass_secs: 900 };
    const receipt = receiptOf(device.identity, {
      namespaceId: device.namespaceId,
      kind: 'approval',
      requestId: answer.request_id,
      itemDigest: device.digestOf('approval', entry),
      answer,
      decidedAt: Date.now() - THREE_MINUTES_MS,
    });
    const late = device.response('approval', entry, answer, { receipt });
    expect(await device.answer(late)).toMatchObject({ status: 'applied' });
    expect(await outcome).toMatchObject({ status: 'approved', scope: 'once' });
  });

  it.each([
    ['15 minutes', 900, { forSecs: 900 }],
    ['the session', 0, 'session'],
  ])('of an item without choices may be for %s', async (_what, bypass_secs, scope) => {
    const { agent, device } = await agentWithDevice();
    const { outcome, entry } = await ask(agent, device);
    await device.answer(device.response('approval', entry, { decision: 'approved', bypass_secs }));
    expect(await outcome).toMatchObject({ status: 'approved', scope });
  });

  it('may have a signature in capital hex, a null and a member from the future', async () => {
    const { agent, device } = await agentWithDevice();
    const { outcome, entry } = await ask(agent, device);
    const response = device.response('approval', entry, { decision: 'approved', reason: null, mood: 'fine' });
    const receipt = response.receipt as Json;
    const shouted = { ...response, receipt: { ...receipt, sig: String(receipt.sig).toUpperCase() } };
    expect(await device.answer(shouted)).toMatchObject({ status: 'applied' });
    expect((await outcome).status).toBe('approved');
  });

  it('of an older device with an option not offered is reduced to once', async () => {
    const seed = randomBytes(32);
    const id = identityOf(seed).ed25519.toString('hex');
    const { agent } = await agentWithDevice({ receipts: { optionalFor: [id] } });
    const device = await pairDevice(agent, 'original', seed);
    const { outcome, entry } = await ask(agent, device, { ...WRITE, choices: ['approve', 'reject'] });
    device.send(device.response('approval', entry, { decision: 'approved', bypass_secs: 900 }), false);
    expect(await outcome).toMatchObject({ status: 'approved', scope: 'once' });
  });
});

describe('the content of an elicitation', () => {
  it.each([
    ['the name it asked for', 'name', { name: 'n', extra: 1 }, { name: 'n' }],
    ['value when it named none', undefined, { value: 'v' }, { value: 'v' }],
  ])('is one object with %s', async (_what, fieldName, content, given) => {
    const { agent, device } = await agentWithDevice();
    const outcome = agent.elicit({ serverName: 's', message: 'm', fieldName });
    const entry = await device.receiveItem('elicitation');
    for (const wrong of [{ other: 'x' }, undefined, 'text', [1], null]) {
      const answer = { action: 'accept', content: wrong };
      expect(await device.answer(device.response('elicitation', entry, answer))).toMatchObject({
        status: 'invalid',
      });
    }
    await device.answer(device.response('elicitation', entry, { action: 'accept', content }));
    expect(await outcome).toMatchObject({ status: 'answered', action: 'accept', content: given });
  });

  it('is nothing for a confirmation, and dropped beside a refusal', async () => {
    const { agent, device } = await agentWithDevice();
    const sure = agent.elicit({ serverName: 's', message: 'Sure?', isConfirmation: true });
    const first = await device.receiveItem('elicitation');
    await device.answer(device.response('elicitation', first, { action: 'accept' }));
    expect(await sure).toMatchObject({ status: 'answered', action: 'accept', content: {} });
    const name = agent.elicit({ serverName: 's', message: 'Name?', fieldName: 'name' });
    const second = await device.receiveItem('elicitation', (e) => e.message === 'Name?');
    await device.answer(
      device.response('elicitation', second, { action: 'decline', content: { name: 'x' } }),
    );
    const declined = await name;
    expect(declined).toMatchObject({ status: 'answered', action: 'decline' });
    expect(JSON.stringify(declined)).not.toContain('"x"');
  });
});

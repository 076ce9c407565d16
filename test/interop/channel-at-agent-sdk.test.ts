/** The sealed channel of our agent (02 §2) and devices of the original style, met by independent ones. */
import { randomBytes } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { identityOf, nonceOf } from './peer/crypto.js';
import { agentWithDevice, ask, pairDevice } from './peer/sdk-agent.js';

const APPROVED = { decision: 'approved' };

describe('the channel', () => {
  it('opens what is compressed, either way, and drops what it cannot know', async () => {
    const { device } = await agentWithDevice();
    for (const packing of ['zlib', 'raw-deflate', 'plain', 'padded'] as const) {
      device.send(device.envelope('inbox_request'), true, packing);
      await device.receive('inbox_update');
    }
    device.send(device.envelope('levitate'), true);
    device.send('{"v":1,"kind":', true);
    device.send('[]', true);
    device.send('null', true);
    device.send(device.envelope('inbox_request', { v: 2 }), true);
    device.send(device.envelope('inbox_request'), true);
    await device.receive('inbox_update');
  });

  it('takes no ciphertext twice', async () => {
    const { agent, device } = await agentWithDevice();
    const { outcome, entry } = await ask(agent, device);
    const response = device.response('approval', entry, { decision: 'rejected' });
    const frame = { ...device.channel.seal(response), peer: device.invitation.agentEd, live: false };
    device.wire.send('message', frame);
    await outcome;
    device.wire.send('message', frame);
    device.wire.send('message', frame);
    const acks: unknown[] = [];
    const unknown = device.response('approval', { request_id: 'appr_nothing' }, APPROVED);
    device.send(unknown, false);
    await device.receive('ack', ({ ref_id }) => {
      acks.push(ref_id);
      return ref_id === unknown.id;
    });
    expect(acks).toEqual([response.id, unknown.id]);
  });

  it('drops what has the wrong direction, was changed, or is of another pair', async () => {
    const { agent, device } = await agentWithDevice();
    const other = await pairDevice(agent);
    const { outcome, entry } = await ask(agent, device);
    const peer = device.invitation.agentEd;
    const rejection = () => device.response('approval', entry, { decision: 'rejected' });
    const { nonce, ciphertext } = device.channel.seal(rejection());
    const changed = Buffer.from(ciphertext);
    changed[0] = (changed[0] ?? 0) ^ 1;
    device.wire.send('message', { nonce, ciphertext: changed, peer });
    const turned = nonceOf('to-device', nonce.readBigUInt64BE(4));
    device.wire.send('message', { nonce: turned, ciphertext, peer });
    device.wire.send('message', { ...other.channel.seal(rejection()), peer });
    await device.answer(device.response('approval', { request_id: 'appr_nothing' }, APPROVED));
    expect(await agent.pending()).toHaveLength(1);
    device.wire.send('message', { nonce, ciphertext, peer });
    expect((await outcome).status).toBe('rejected');
  });

  it('counts up from the clock, never twice the same', async () => {
    const { agent, device } = await agentWithDevice();
    const { outcome, entry } = await ask(agent, device);
    await device.answer(device.response('approval', entry, { decision: 'rejected' }));
    await outcome;
    const counters = device.channel.opened;
    expect(new Set(counters).size).toBe(counters.length);
    const epoch = BigInt(Math.floor(Date.now() / 1000) - 60) * 2n ** 20n;
    for (const counter of counters) expect(counter).toBeGreaterThan(epoch);
    expect([...counters].sort((a, b) => (a < b ? -1 : 1))).toEqual(counters);
  });
});

describe('an original device', () => {
  it('gets snapshots, notifications and bare acks, nothing else, and is no approver', async () => {
    const { agent } = await agentWithDevice();
    const device = await pairDevice(agent, 'original');
    const { outcome, entry } = await ask(agent, device);
    device.send(device.response('approval', entry, APPROVED), false);
    await device.wire.settled();
    device.requestInbox();
    await device.receiveItem('approval', (e) => e.request_id === entry.request_id);
    device.send(device.response('approval', entry, { decision: 'rejected', reason: 'no' }), false);
    expect(await outcome).toMatchObject({ status: 'rejected', reason: 'no', by: { deviceId: device.id } });
  });

  it('named by the policy approves, for 15 minutes too', async () => {
    const seed = randomBytes(32);
    const id = identityOf(seed).ed25519.toString('hex');
    const { agent } = await agentWithDevice({ receipts: { optionalFor: [id] } });
    const device = await pairDevice(agent, 'original', seed);
    const { outcome, entry } = await ask(agent, device);
    const response = device.response('approval', entry, { ...APPROVED, bypass_secs: 900 });
    device.send(response, false);
    const ack = await device.receive('ack');
    expect(ack.ref_id).toBe(response.id);
    expect(await outcome).toMatchObject({ status: 'approved', scope: { forSecs: 900 } });
  });
});

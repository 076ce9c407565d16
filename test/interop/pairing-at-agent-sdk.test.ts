/** The independent device and our agent SDK: pairing, leaving, coming back. */
import { describe, expect, it } from 'vitest';
import { namespaceOf } from './peer/crypto.js';
import { IndependentDevice } from './peer/device.js';
import { FEATURES, readJson, readLink } from './peer/invitation.js';
import { agentWithDevice, firstDevice, sdkAgent, WRITE } from './peer/sdk-agent.js';

describe('pairing', () => {
  it('offers one invitation in two forms, bound to the relay, with features and an end', async () => {
    const { agent, url } = await sdkAgent();
    const session = await agent.startPairing();
    const link = readLink(session.link);
    expect(link).toMatchObject({ relayUrl: url, name: 'demo', bound: true });
    expect(namespaceOf(link.agentEd).toString('hex')).toBe(agent.namespaceId);
    expect(Math.abs((link.exp ?? 0) * 1000 - session.expiresAt)).toBeLessThan(1000);
    expect(link.supports).toEqual(expect.arrayContaining(['receipts', 'acks', 'choices', 'truncated']));
    for (const feature of link.supports ?? []) expect(FEATURES).toContain(feature);
    expect(session.link.startsWith(`${url.replace('ws', 'http')}/app/#p=`)).toBe(true);
    const json = readJson(session.qrJson);
    expect([json.agentEd, json.agentX, json.token]).toEqual([link.agentEd, link.agentX, link.token]);
    expect(JSON.parse(session.qrJson)).toMatchObject({ v: 1, rb: 1, exp: link.exp, supports: link.supports });
  });

  it('never uses an X25519 key twice', async () => {
    const { agent } = await sdkAgent();
    const [first, second] = [await agent.startPairing(), await agent.startPairing()];
    expect(readLink(first.link).agentX).not.toEqual(readLink(second.link).agentX);
  });

  it('takes the code computed here, however it is typed', async () => {
    const { agent } = await sdkAgent();
    const session = await agent.startPairing();
    const device = new IndependentDevice(session.link);
    await device.pair();
    const { deviceId, platform } = await firstDevice(session);
    expect([deviceId, platform]).toEqual([device.id, 'ios']);
    const typed = `${device.code.slice(0, 4)}-${device.code.slice(4)}`.toLowerCase();
    expect(await session.confirm(deviceId, typed)).toBe('ok');
    await device.login();
    await device.introduce();
    expect(await agent.devices.list()).toMatchObject([
      { deviceId, state: 'trusted', verified: true, platform: 'ios', online: true },
    ]);
  });

  it('closes the window at the third wrong code', async () => {
    const { agent } = await sdkAgent();
    const session = await agent.startPairing();
    const device = new IndependentDevice(session.link);
    await device.pair();
    await firstDevice(session);
    const answers = [];
    for (let i = 0; i < 3; i++) answers.push(await session.confirm(device.id, '00000000'));
    expect(answers.slice(0, 2)).toEqual(['wrong', 'wrong']);
    expect(await session.confirm(device.id, device.code)).toBe('closed');
    expect(await device.tryLogin()).toBe('unauthorized');
  });

  it('seals nothing to a device that has not spoken yet', async () => {
    const { agent } = await sdkAgent();
    const session = await agent.startPairing();
    const device = new IndependentDevice(session.link);
    await device.pair();
    await firstDevice(session);
    await session.confirm(device.id, device.code);
    await device.login();
    const asked = agent.requestApproval(WRITE);
    await device.wire.settled();
    expect(device.wire.waiting().filter((name) => name === 'message')).toEqual([]);
    device.hello();
    const entry = await device.receiveItem('approval');
    await device.answer(device.response('approval', entry, { decision: 'rejected' }));
    expect((await asked).status).toBe('rejected');
  });
});

describe('the device', () => {
  it('removes itself by logout', async () => {
    const { agent, device } = await agentWithDevice();
    device.send(device.envelope('logout'), false);
    expect((await device.wire.ended).code).toBe(4002);
    expect(await agent.devices.list()).toEqual([]);
    expect(await device.tryLogin()).toBe('unauthorized');
  });

  it('is removed by the agent', async () => {
    const { agent, device } = await agentWithDevice();
    await agent.devices.revoke(device.id);
    expect((await device.wire.ended).code).toBe(4002);
  });

  it('gets the notification that waited, and answers made offline count later', async () => {
    const { agent, device } = await agentWithDevice();
    device.wire.kill();
    const outcome = agent.requestApproval(WRITE);
    await device.login();
    const note = await device.receive('notification');
    device.requestInbox();
    const entry = await device.receiveItem('approval');
    expect(note.request_id).toBe(entry.request_id);
    await device.answer(device.response('approval', entry, { decision: 'approved' }));
    expect((await outcome).status).toBe('approved');
  });
});

/** How a device comes to be trusted, and what is not trusted on the way (02 §5), over a real relay. */
import { parsePairing } from '@countersign/protocol/e2e';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { becomes, nextEvent, pairWith, type Rig, startRig } from './rig.js';
import { ScriptedDevice } from './scripted-device.js';

let rig: Rig;
beforeEach(async () => {
  rig = await startRig();
});
afterEach(() => rig.close());

async function arrival(session: { devices(): AsyncIterable<{ deviceId: string; platform: string }> }) {
  for await (const one of session.devices()) return one;
  throw new Error('nobody came');
}

describe('pairing', () => {
  it('goes from paired over confirmed and authorized to trusted', async () => {
    const agent = await rig.open();
    await agent.whenConnected();
    const states: string[] = [];
    agent.on('device', ({ state }) => states.push(state));
    const device = new ScriptedDevice();
    await pairWith(agent, device);
    expect([...new Set(states)]).toEqual(['paired', 'confirmed', 'authorized', 'trusted']);
    const [listed] = await agent.devices.list();
    expect(listed).toMatchObject({
      deviceId: device.id,
      name: 'Phone',
      platform: 'web',
      verified: true,
      online: true,
    });
    await device.logout();
  });

  it('makes a link, a QR and the JSON form of one offer', async () => {
    const agent = await rig.open({ appUrl: 'https://app.example/' });
    await agent.whenConnected();
    const session = await agent.startPairing({ ttlMs: 60_000 });
    const offer = await parsePairing(session.link);
    expect(session.link.startsWith('https://app.example/#p=')).toBe(true);
    expect(offer).toMatchObject({ name: 'Robot', relayUrl: rig.relayUrl, relayBinding: true });
    expect(offer.exp).toBe(Math.floor(session.expiresAt / 1000));
    expect(await parsePairing(session.qrJson)).toMatchObject({ token: offer.token });
    expect(await session.qr('terminal')).toContain('█');
    expect(await session.qr('svg')).toContain('<svg');
    expect([...(await session.qr('png')).subarray(1, 4)]).toEqual([0x50, 0x4e, 0x47]);
  });

  it('ends the wait for devices when the agent closes', async () => {
    const agent = await rig.open();
    await agent.whenConnected();
    const session = await agent.startPairing();
    const came: unknown[] = [];
    const waiting = (async () => {
      for await (const device of session.devices()) came.push(device);
    })();
    await agent.close();
    await waiting;
    expect(came).toEqual([]);
  });

  it('uses another X25519 key for every window', async () => {
    const agent = await rig.open();
    await agent.whenConnected();
    const one = await parsePairing((await agent.startPairing()).link);
    const two = await parsePairing((await agent.startPairing()).link);
    expect(one.agentX25519).not.toEqual(two.agentX25519);
    expect(one.agentEd25519).toEqual(two.agentEd25519);
  });

  it('ends after three wrong codes', async () => {
    const agent = await rig.open();
    await agent.whenConnected();
    const session = await agent.startPairing();
    const device = new ScriptedDevice();
    const code = await device.pair(session.link);
    const { deviceId } = await arrival(session);
    expect(await session.confirm(deviceId, '00000000')).toBe('wrong');
    expect(await session.confirm(deviceId, 'nonsense!')).toBe('wrong');
    expect(await session.confirm(deviceId, '00000000')).toBe('closed');
    expect(await session.confirm(deviceId, code)).toBe('closed');
    expect(await agent.devices.list()).toEqual([]);
  });

  it('takes the code as people type it', async () => {
    const agent = await rig.open();
    await agent.whenConnected();
    const session = await agent.startPairing();
    const device = new ScriptedDevice();
    const code = await device.pair(session.link);
    const { deviceId } = await arrival(session);
    const typed = `${code.slice(0, 4)} - ${code.slice(4)}`.toLowerCase().replaceAll('0', 'o');
    expect(await session.confirm(deviceId, typed)).toBe('ok');
  });

  it('accepts a device without a code only where that was chosen, and lists it as unverified', async () => {
    const agent = await rig.open();
    await agent.whenConnected();
    const strict = await agent.startPairing();
    await expect(strict.confirmUnverified('00'.repeat(32))).rejects.toMatchObject({
      code: 'invalid_request',
    });
    await agent.close();
    const lax = await rig.open({ confirm: 'yes' });
    await lax.whenConnected();
    const session = await lax.startPairing();
    const device = new ScriptedDevice();
    await device.pair(session.link);
    const { deviceId } = await arrival(session);
    expect(await session.confirmUnverified(deviceId)).toBe('ok');
    expect(await lax.devices.list()).toMatchObject([{ deviceId, verified: false, state: 'authorized' }]);
  });

  it('forgets a device that is refused', async () => {
    const agent = await rig.open();
    await agent.whenConnected();
    const session = await agent.startPairing();
    const device = new ScriptedDevice();
    await device.pair(session.link);
    const { deviceId } = await arrival(session);
    await session.refuse(deviceId);
    expect(await agent.devices.list()).toEqual([]);
  });

  it('takes one device per window', async () => {
    const agent = await rig.open();
    await agent.whenConnected();
    const session = await agent.startPairing();
    await new ScriptedDevice().pair(session.link);
    await expect(new ScriptedDevice().pair(session.link)).rejects.toMatchObject({ code: 'pairing_closed' });
  });
});

describe('a device that pairs again with the same key', () => {
  it('keeps its old pairing until the new one proves itself; what opens under the new key before waits', async () => {
    const agent = await rig.open();
    const device = await rig.pair(agent);
    const asked = agent.requestApproval({ toolName: 'one' });
    const entry = await device.item('approval');
    const again = new ScriptedDevice({ seed: device.seed, name: 'Again' });
    const session = await agent.startPairing();
    const code = await again.pair(session.link);
    const { deviceId } = await arrival(session);
    await device.logout();
    await again.login();
    await again.send('inbox_request', {}, { live: true });
    await again.link.flushed();
    expect(await agent.devices.list()).toMatchObject([{ state: 'trusted', name: 'Phone' }]);
    expect(await session.confirm(deviceId, code)).toBe('ok');
    await becomes(agent, deviceId, 'trusted');
    const seenAgain = await again.item('approval');
    expect(seenAgain.request_id).toBe(entry.request_id);
    await again.approve(seenAgain);
    expect(await asked).toMatchObject({ status: 'approved', by: { name: 'Again' } });
    await again.logout();
  });
});

describe('a device that goes', () => {
  it('is revoked: the relay lets it in no more and nothing is kept of it', async () => {
    const agent = await rig.open();
    const device = await rig.pair(agent);
    await agent.devices.revoke(device.id);
    expect(await agent.devices.list()).toEqual([]);
    await device.lost('revoked');
    await expect(agent.devices.revoke(device.id)).rejects.toMatchObject({ code: 'not_found' });
  });

  it('logs itself out', async () => {
    const agent = await rig.open();
    const device = await rig.pair(agent);
    await device.send('logout', {});
    while ((await agent.devices.list()).length > 0) await nextTick();
    expect(await agent.requestApproval({ toolName: 'x' })).toMatchObject({ reason: 'no_device' });
  });

  it('is renamed, and its own name does not come back', async () => {
    const agent = await rig.open();
    const device = await rig.pair(agent, { name: 'Phone' });
    await agent.devices.rename(device.id, 'Kitchen tablet');
    const heard = nextEvent(agent, 'device');
    await device.hello();
    await heard;
    expect(await agent.devices.list()).toMatchObject([{ name: 'Kitchen tablet' }]);
    await expect(agent.devices.rename(device.id, ' ')).rejects.toMatchObject({ code: 'invalid_request' });
  });
});

const nextTick = () => new Promise((resolve) => setTimeout(resolve, 10));

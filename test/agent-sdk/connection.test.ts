/** The agent and its relay: what it says while there is none, and that nothing is lost meanwhile. */
import type { AgentLogger } from '@countersign/agent-sdk';
import { startRelay } from '@countersign/server';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { nextEvent, type Rig, startRig } from './rig.js';

let rig: Rig;
beforeEach(async () => {
  rig = await startRig();
});
afterEach(() => rig.close());

describe('an agent without a relay', () => {
  it('opens all the same, says why it is not connected, and times out with that sentence', async () => {
    const agent = await rig.open({ relayUrl: 'ws://127.0.0.1:9' });
    const waiting = agent.whenConnected({ timeoutMs: 300 });
    await expect(waiting).rejects.toMatchObject({ code: 'timeout', details: { problem: 'unreachable' } });
    expect(agent.connected).toBe(false);
    expect(agent.problem).toMatchObject({
      code: 'unreachable',
      message: expect.stringContaining('cannot be reached'),
    });
  });

  it('lets a request wait until its end', async () => {
    const agent = await rig.open();
    await rig.pair(agent);
    await agent.close();
    const alone = await rig.open({ relayUrl: 'ws://127.0.0.1:9' });
    const outcome = await alone.requestApproval({ toolName: 't', expiresInMs: 5000 });
    expect(outcome).toMatchObject({ status: 'expired' });
  });

  it('sends what waits once the relay is back', async () => {
    const store = `${rig.dir()}/relay.db`;
    const relay = await startRelay({ port: 0, opsPort: 'off', store });
    const agent = await rig.open({ relayUrl: relay.url });
    const device = await rig.pair(agent);
    const lost = nextEvent(agent, 'disconnected');
    await relay.close();
    expect((await lost).message).not.toBe('');
    const asked = agent.requestApproval({ toolName: 't' });
    const back = await startRelay({ port: relay.port, opsPort: 'off', store });
    await device.approve(await device.item('approval'));
    expect(await asked).toMatchObject({ status: 'approved' });
    await back.close();
  });
});

describe('a relay that lost its data', () => {
  it('is met again with "pair again", until that is done', async () => {
    const relay = await startRelay({ port: 0, opsPort: 'off' });
    const agent = await rig.open({ relayUrl: relay.url });
    const device = await rig.pair(agent);
    expect(agent.problem).toBeUndefined();
    await device.logout();
    const back = nextEvent(agent, 'connected');
    await relay.close();
    const empty = await startRelay({ port: relay.port, opsPort: 'off' });
    await back;
    expect(agent.connected).toBe(true);
    expect(agent.problem).toMatchObject({
      code: 'devices_missing',
      message: expect.stringMatching(/knows none .* again/),
    });
    await agent.devices.revoke(device.id);
    expect(agent.problem).toBeUndefined();
    await empty.close();
  });
});

describe('options', () => {
  it.each([
    ['relayUrl', { relayUrl: 'https://relay.example' }],
    ['dir', { dir: '' }],
    ['reopenGraceMs', { reopenGraceMs: -1 }],
    ['appUrl', { appUrl: 'javascript:alert(1)' }],
  ])('that are wrong in %s are named', async (member, options) => {
    await expect(rig.open(options)).rejects.toMatchObject({ code: 'invalid_request', details: { member } });
  });
});

describe('what is logged', () => {
  it('holds no argument, no code, no token and no whole key', async () => {
    const lines: string[] = [];
    const write = (event: string, fields?: object) => lines.push(JSON.stringify([event, fields]));
    const logger: AgentLogger = { debug: write, info: write, warn: write };
    const agent = await rig.open({ logger });
    const device = await rig.pair(agent);
    const asked = agent.requestApproval({ toolName: 't', arguments: { key: 'planted-argument' } });
    const entry = await device.item('approval');
    await device.approve(entry, {}, { digest: '00'.repeat(32) });
    await device.send('nonsense', { text: 'planted-payload' });
    await device.reject(entry, { reason: 'planted-reason' });
    await asked;
    await agent.devices.revoke(device.id);
    await agent.close();
    const all = lines.join('\n');
    expect(lines.length).toBeGreaterThan(3);
    expect(all).not.toContain('planted');
    expect(all).not.toMatch(/[0-9a-f]{17}/);
  });
});

/** A relay that lies to our agent (01 §3, 02 §5): what it may not achieve. */
import { randomBytes } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type AgentOptions, openAgent } from '@countersign/agent-sdk';
import { describe, expect, it, onTestFinished } from 'vitest';
import { commitment, identityOf, sha256 } from './peer/crypto.js';
import { type HostileOptions, HostileRelay } from './peer/hostile-relay.js';
import { readLink } from './peer/invitation.js';

async function agentAt(lies: HostileOptions = {}, options: Partial<AgentOptions> = {}) {
  const relay = await HostileRelay.start(lies);
  const dir = await mkdtemp(join(tmpdir(), 'interop-hostile-'));
  const agent = await openAgent({ relayUrl: relay.url, dir, name: 'demo', ...options });
  onTestFinished(async () => {
    await agent.close();
    await rm(dir, { recursive: true });
  });
  return { relay, agent };
}

const paired = (window: Buffer | undefined) => {
  const { ed25519, x25519 } = identityOf(randomBytes(32));
  return { ed25519, x25519, platform: 1, ...(window === undefined ? {} : { window }) };
};

describe('a challenge', () => {
  it.each([
    ['of pure chance', () => randomBytes(32)],
    [
      'of another relay',
      () => Buffer.concat([Buffer.alloc(16), commitment(Buffer.alloc(16), 'relay.example')]),
    ],
    ['of the wrong length', () => randomBytes(31)],
  ])('%s is not signed', async (_what, challenge) => {
    const { relay, agent } = await agentAt({ challenge });
    await expect(agent.whenConnected({ timeoutMs: 300 })).rejects.toThrow();
    expect(relay.heard).toEqual([]);
    expect(agent.problem).toBeDefined();
  });

  it('of an original relay is signed when the agent was told that it is one', async () => {
    const { relay, agent } = await agentAt({ challenge: () => randomBytes(32) }, { originalRelay: true });
    await agent.whenConnected({ timeoutMs: 3_000 });
    expect((await relay.hears('auth')).is.agent).toBeDefined();
  });
});

describe('a login', () => {
  it('into another namespace is none', async () => {
    const { relay, agent } = await agentAt({
      answer: () => ['auth_ok', { namespaceId: randomBytes(32), capabilities: ['window'] }],
    });
    await expect(agent.whenConnected({ timeoutMs: 300 })).rejects.toThrow();
    expect(relay.heard.map(({ name }) => name)).not.toContain('authorize');
  });

  it('begins with the whole list of devices, empty for a new agent or not sent', async () => {
    const { relay, agent } = await agentAt();
    await agent.whenConnected({ timeoutMs: 3_000 });
    await relay.settled();
    for (const { name, is } of relay.heard) if (name === 'authorize') expect(is.clients).toEqual([]);
  });
});

describe('a forged client_paired', () => {
  it.each([
    ['without a window', () => paired(undefined)],
    ['of an unknown window', () => paired(randomBytes(16))],
    ['with keys of the wrong length', (w: Buffer) => ({ ...paired(w), x25519: randomBytes(31) })],
    [
      'with the key that makes every secret zero',
      (w: Buffer) => ({ ...paired(w), x25519: Buffer.alloc(32) }),
    ],
    [
      'with a small-order identity',
      (w: Buffer) => ({ ...paired(w), ed25519: Buffer.concat([Buffer.from([1]), Buffer.alloc(31)]) }),
    ],
  ])('%s makes no device', async (_what, forge) => {
    const { relay, agent } = await agentAt();
    await agent.whenConnected({ timeoutMs: 3_000 });
    const session = await agent.startPairing();
    const window = sha256(readLink(session.link).token).subarray(0, 16);
    relay.say('client_paired', forge(window));
    await relay.settled();
    expect(await agent.devices.list()).toEqual([]);
  });

  it('for a window that has its device is refused and shown, a repeated one is nothing new', async () => {
    const { relay, agent } = await agentAt();
    await agent.whenConnected({ timeoutMs: 3_000 });
    const session = await agent.startPairing();
    const window = sha256(readLink(session.link).token).subarray(0, 16);
    const [first, second] = [paired(window), paired(window)];
    for (const one of [first, first, second]) relay.say('client_paired', one);
    const came = [];
    for await (const device of session.devices()) {
      came.push(device);
      if (came.length === 2) break;
    }
    expect(came[0]).toMatchObject({ deviceId: first.ed25519.toString('hex') });
    expect(came[1]).toMatchObject({ deviceId: second.ed25519.toString('hex'), refused: true });
    const known = (await agent.devices.list()).map(({ deviceId }) => deviceId);
    expect(known).not.toContain(second.ed25519.toString('hex'));
  });
});

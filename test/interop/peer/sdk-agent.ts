/** Our agent SDK over our relay, with independent devices paired to it. */
import { randomBytes } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Agent, type AgentOptions, openAgent, type PairingSession } from '@countersign/agent-sdk';
import { onTestFinished } from 'vitest';
import type { Style } from './agent.js';
import { IndependentDevice } from './device.js';
import type { Json } from './items.js';
import { relayForTest } from './scene.js';

export async function sdkAgent(options: Partial<AgentOptions> = {}): Promise<{ agent: Agent; url: string }> {
  const { url } = await relayForTest();
  const dir = await mkdtemp(join(tmpdir(), 'interop-agent-'));
  const agent = await openAgent({ relayUrl: url, dir, name: 'demo', ...options });
  onTestFinished(async () => {
    await agent.close();
    await rm(dir, { recursive: true });
  });
  await agent.whenConnected({ timeoutMs: 5_000 });
  return { agent, url };
}

export async function firstDevice(session: PairingSession): Promise<{ deviceId: string; platform: string }> {
  for await (const device of session.devices()) return device;
  throw new Error('the window closed');
}

/**
 * Paired through the link (an original device through its JSON), confirmed by a yes (the code costs 600,000 rounds at
 * both ends and has its own tests), logged in, introduced.
 */
export async function pairDevice(
  agent: Agent,
  style: Style = 'ours',
  seed = randomBytes(32),
): Promise<IndependentDevice> {
  const session = await agent.startPairing();
  const device = new IndependentDevice(style === 'ours' ? session.link : session.qrJson, style, seed);
  const end = await device.pair();
  if (end.name !== 'auth_ok') throw new Error(`pairing refused: ${end.code}`);
  const { deviceId } = await firstDevice(session);
  const confirmed = await session.confirmUnverified(deviceId);
  if (confirmed !== 'ok') throw new Error(`confirm: ${confirmed}`);
  await device.login();
  await device.introduce();
  return device;
}

/** An agent with one device of ours, and what the device shows of a first request. */
export async function agentWithDevice(options: Partial<AgentOptions> = {}) {
  const { agent, url } = await sdkAgent({ confirm: 'yes', ...options });
  const device = await pairDevice(agent);
  return { agent, url, device };
}

export const WRITE = { toolName: 'write_file', arguments: { path: '/tmp/a', text: 'hello' } } as const;

/** Asks, and waits until the device has the item. */
export async function ask(
  agent: Agent,
  device: IndependentDevice,
  request: Parameters<Agent['requestApproval']>[0] = WRITE,
  options: { signal?: AbortSignal } = {},
) {
  let requestId = '';
  const outcome = agent.requestApproval(request, {
    ...options,
    onAsked: (id) => {
      requestId = id;
    },
  });
  const entry = await device.receiveItem('approval', (item: Json) => item.request_id === requestId);
  return { outcome, entry };
}

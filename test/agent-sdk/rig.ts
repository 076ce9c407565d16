/** A real relay, a real agent and scripted devices, for one test. Must not decide what is tested. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  type Agent,
  type AgentEvents,
  type AgentOptions,
  openAgent,
  type PairingSession,
} from '@countersign/agent-sdk';
import { startRelay } from '@countersign/server';
import { type DeviceScript, ScriptedDevice } from './scripted-device.js';

export interface Rig {
  readonly relayUrl: string;
  /** A fresh private directory. */
  dir(): string;
  /** Opens an agent, by default in the rig's own directory. */
  open(options?: Partial<AgentOptions>): Promise<Agent>;
  /** Pairs, confirms and logs in. */
  pair(agent: Agent, script?: DeviceScript): Promise<ScriptedDevice>;
  close(): Promise<void>;
}

export async function startRig(): Promise<Rig> {
  const relay = await startRelay({ port: 0, opsPort: 'off' });
  const dirs: string[] = [];
  const agents: Agent[] = [];
  const devices: ScriptedDevice[] = [];
  const dir = () => {
    const path = mkdtempSync(join(tmpdir(), 'countersign-test-'));
    dirs.push(path);
    return path;
  };
  const own = dir();
  return {
    relayUrl: relay.url,
    dir,
    async open(options = {}) {
      const agent = await openAgent({ relayUrl: relay.url, dir: own, name: 'Robot', ...options });
      agents.push(agent);
      return agent;
    },
    async pair(agent, script = {}) {
      const device = new ScriptedDevice(script);
      devices.push(device);
      await pairWith(agent, device);
      return device;
    },
    async close() {
      await Promise.all(devices.map((device) => device.logout()));
      await Promise.all(agents.map((agent) => agent.close()));
      await relay.close();
      for (const path of dirs) rmSync(path, { recursive: true, force: true });
    },
  };
}

export async function pairWith(agent: Agent, device: ScriptedDevice): Promise<PairingSession> {
  await agent.whenConnected({ timeoutMs: 10_000 });
  const session = await agent.startPairing();
  const code = await device.pair(session.link);
  for await (const arrival of session.devices()) {
    const verdict = await session.confirm(arrival.deviceId, code);
    if (verdict !== 'ok') throw new Error(`confirm said ${verdict}`);
    break;
  }
  const trusted = becomes(agent, device.id, 'trusted');
  await device.login();
  await trusted;
  return session;
}

/** Resolves when the agent lists the device in this state. */
export async function becomes(agent: Agent, deviceId: string, state: string): Promise<void> {
  const isNow = async () =>
    (await agent.devices.list()).some((one) => one.deviceId === deviceId && one.state === state);
  while (!(await isNow())) await nextEvent(agent, 'device');
}

/** The next event of that name. */
export function nextEvent<E extends keyof AgentEvents>(agent: Agent, event: E): Promise<AgentEvents[E]> {
  return new Promise((resolve) => {
    const off = agent.on(event, (value) => {
      off();
      resolve(value);
    });
  });
}

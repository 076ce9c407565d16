/** The whole path without a person: a real relay, a real agent, real devices, each device and agent its own process. */
import { mkdtemp, rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { AgentSetup, agentCommands, Told } from './agent-process.js';
import { ScriptedChild } from './child.js';
import type { DeviceSetup, deviceCommands } from './device-process.js';
import { startDemoRelay } from './relay.js';

type AgentChild = ScriptedChild<typeof agentCommands>;
type DeviceChild = ScriptedChild<typeof deviceCommands>;

interface Cast {
  readonly argv: string[];
  readonly agent: AgentChild;
  readonly anna: DeviceChild;
  readonly ben: DeviceChild;
  restartAgent(): Promise<AgentChild>;
}

type Scene = { readonly title: string; play(cast: Cast): Promise<string> };

const SHORTEST_EXPIRY_MS = 5_000;
const REOPEN_GRACE_MS = 1_000;

/** Plays every scene; resolves with the exit code. */
export async function playHeadless(
  stateDir: string,
  argv: readonly string[],
  say: (line: string) => void,
): Promise<number> {
  const dir = await mkdtemp(join(stateDir, 'headless-'));
  const relay = await startDemoRelay(join(dir, 'relay.db'), 0, say);
  const children: ScriptedChild<never>[] = [];
  const start = <C extends ScriptedChild<never>>(child: C): C => {
    children.push(child);
    return child;
  };
  try {
    const setup: AgentSetup = {
      relayUrl: relay.url,
      dir: join(dir, 'agent'),
      reopenGraceMs: REOPEN_GRACE_MS,
    };
    const startAgent = (): AgentChild => start(new ScriptedChild('./agent-process.js', setup));
    const startDevice = (name: string): DeviceChild =>
      start(new ScriptedChild('./device-process.js', { dir: join(dir, name), name } satisfies DeviceSetup));
    const cast = { argv: [...argv], agent: startAgent(), anna: startDevice('anna'), ben: startDevice('ben') };
    for (const name of ['anna', 'ben'] as const) {
      await pairDevice(cast.agent, cast[name]);
      say(`paired        ${name}, by the code on its screen`);
    }
    const restartAgent = async (): Promise<AgentChild> => {
      await cast.agent.kill();
      cast.agent = startAgent();
      return cast.agent;
    };
    for (const scene of SCENES)
      say(`${scene.title.padEnd(14)}${await scene.play({ ...cast, restartAgent })}`);
    return 0;
  } finally {
    await Promise.all(children.map((child) => child.kill()));
    await relay.close();
    await rm(dir, { recursive: true, force: true });
  }
}

async function pairDevice(agent: AgentChild, device: DeviceChild): Promise<void> {
  const { deviceId, code } = await device.call('pair', await agent.call('startPairing'));
  const verdict = await agent.call('confirm', { deviceId, code });
  if (verdict !== 'ok') throw new Error(`pairing ended with "${verdict}"`);
  await agent.call('whenTrusted', deviceId);
}

const SCENES: readonly Scene[] = [
  {
    title: 'approve',
    async play({ agent, anna, argv }) {
      const id = await agent.call('ask', { argv, options: {} });
      await anna.call('hold', id);
      await anna.call('approve');
      const outcome = expectStatus(await agent.call('outcome', id), 'approved');
      return `approved by anna; the command ran and printed: ${oneLine(outcome.output ?? '')}`;
    },
  },
  {
    title: 'reject',
    async play({ agent, anna, argv }) {
      const id = await agent.call('ask', { argv, options: {} });
      await anna.call('hold', id);
      await anna.call('reject', 'not on a Friday');
      const outcome = expectStatus(await agent.call('outcome', id), 'rejected');
      return `rejected; nothing ran; the model reads: ${oneLine(outcome.text)}`;
    },
  },
  {
    title: 'expire',
    async play({ agent, argv }) {
      const id = await agent.call('ask', { argv, options: { expiresInMs: SHORTEST_EXPIRY_MS } });
      const outcome = expectStatus(await agent.call('outcome', id), 'expired');
      return `expired; nothing ran; the model reads: ${oneLine(outcome.text)}`;
    },
  },
  {
    title: 'answer twice',
    async play({ agent, anna, ben, argv }) {
      const id = await agent.call('ask', { argv, options: {} });
      await Promise.all([anna.call('hold', id), ben.call('hold', id)]);
      await ben.call('goOffline');
      await anna.call('approve');
      expectStatus(await agent.call('outcome', id), 'approved');
      // Comes back with the item still on his screen; the answer leaves before the news arrives.
      const second = await ben.call('reject', 'too late');
      return `approved by anna; ben, back from a dead spot, rejected it and was told: ${decidedAlready(second)}`;
    },
  },
  {
    title: 'race',
    async play({ agent, anna, ben, argv }) {
      const id = await agent.call('ask', { argv, options: {} });
      await Promise.all([anna.call('hold', id), ben.call('hold', id)]);
      const states = await Promise.all([anna.call('approve'), ben.call('reject', 'I was first')]);
      const outcome = await agent.call('outcome', id);
      const winner = outcome.status === 'approved' ? 'anna' : 'ben';
      return `${winner} was first (${outcome.status}); the other was told: ${decidedAlready(states[winner === 'anna' ? 1 : 0])}`;
    },
  },
  {
    title: 'agent killed',
    async play({ agent, argv, restartAgent }) {
      const id = await agent.call('ask', { argv, options: {} });
      const again = await restartAgent();
      const outcome = expectStatus(await again.call('outcomeOfLeft', id), 'cancelled');
      return `cancelled after the restart; nothing ran; the model reads: ${oneLine(outcome.text)}`;
    },
  },
];

function expectStatus(told: Told, status: string): Told {
  if (told.status !== status) throw new Error(`expected ${status}, got ${told.status}: ${told.text}`);
  return told;
}

function decidedAlready(state: { phase: string; status?: string | undefined }): string {
  if (state.phase !== 'refused' || state.status !== 'already_decided') {
    throw new Error(`expected already_decided, got ${JSON.stringify(state)}`);
  }
  return 'already decided';
}

function oneLine(text: string): string {
  return text.trim().replaceAll(/\s*\n\s*/g, ' · ');
}

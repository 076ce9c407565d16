/** A relay of ours on a free port, and peers introduced to each other over it. */
import {
  type RelayConfigInput,
  type RunningRelay,
  type StartRelayOptions,
  startRelay,
} from '@countersign/server';
import { onTestFinished } from 'vitest';
import { IndependentAgent, type Style } from './agent.js';
import { IndependentDevice } from './device.js';

export async function relayForTest(
  config: RelayConfigInput = {},
  options: StartRelayOptions = {},
): Promise<RunningRelay> {
  const relay = await startRelay({ port: 0, store: 'memory', opsPort: 'off', ...config }, options);
  onTestFinished(() => relay.close());
  return relay;
}

/** An agent logged in and, as a device, one that it paired and authorized, not yet logged in. */
export async function pairedPeers(relayUrl: string, styles: { agent?: Style; device?: Style } = {}) {
  const agent = new IndependentAgent(relayUrl, styles.agent);
  await agent.login();
  const device = await pairAnother(agent, styles.device);
  await agent.authorize(device.identity.ed25519);
  return { agent, device };
}

export async function pairAnother(agent: IndependentAgent, style?: Style): Promise<IndependentDevice> {
  const window = await agent.openWindow();
  const device = new IndependentDevice(agent.invitation(window), style);
  const end = await device.pair();
  if (end.name !== 'auth_ok') throw new Error(`pairing refused: ${end.code ?? end.name}`);
  await agent.meet(window);
  return device;
}

/** The same with the device logged in and both past the presence events of that. */
export async function connectedPeers(relayUrl: string, styles: { agent?: Style; device?: Style } = {}) {
  const peers = await pairedPeers(relayUrl, styles);
  await peers.device.login();
  await peers.agent.wire.take('presence_event');
  return peers;
}

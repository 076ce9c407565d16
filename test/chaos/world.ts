/** Namespaces of an agent and devices, paired at a relay whose only way in are faulty wires. Must not know the schedule. */
import { randomBytes } from 'node:crypto';
import { namespaceIdOf, signEd25519 } from '@countersign/protocol/auth';
import { deriveIdentity, suiteV2 } from '@countersign/protocol/e2e';
import { pairAtRelay } from '@countersign/protocol/link';
import { RelayProcess } from '../support/trials/relay-process.js';
import { FaultyWire } from './faulty-wire.js';
import { HASTE, Party } from './party.js';

export interface Namespace {
  readonly agent: Party;
  readonly devices: readonly Party[];
}

/**
 * Limits of time as fast as the links, limits of rate and addresses out of the way. So are those of queues: a message
 * that a full queue refused is accepted after what followed it, and order is that of acceptance.
 */
const SETTINGS = {
  registration: 'open',
  newNamespacesPerAddressPerDay: 1_000_000,
  newConnectionsPerAddressPerMinute: 1_000_000,
  openBeforeLoginPerAddress: 100_000,
  agentQueueMessages: 100_000,
  agentQueueBytes: 1_000_000_000,
  deviceQueueMessages: 100_000,
  deviceQueueBytes: 1_000_000_000,
  bucketMessages: 120 * HASTE,
  bucketMessagesPerSecond: 10 * HASTE,
  pingEveryMs: 30_000 / HASTE,
  pingSilenceMs: 30_000 / HASTE,
  idleMs: 120_000 / HASTE,
  proofMs: 10_000 / HASTE,
  loginDeadlineMs: 30_000 / HASTE,
} as const;

const PAIRING_TTL_SECONDS = 60;
const PLATFORM_WEB = 3;

export class World {
  readonly relay: RelayProcess;
  readonly namespaces: readonly Namespace[];

  private constructor(relay: RelayProcess, namespaces: readonly Namespace[]) {
    this.relay = relay;
    this.namespaces = namespaces;
  }

  static async open(count: number, devices: number): Promise<World> {
    const parties = await Promise.all(Array.from({ length: count }, () => makeNamespace(devices)));
    const publicHosts = parties
      .flatMap(({ agent, devices: own }) => [agent, ...own])
      .map(({ options }) => options.wire.url);
    const relay = await RelayProcess.start({ settings: { ...SETTINGS, publicHosts } });
    const world = new World(relay, parties);
    world.connect();
    await Promise.all(parties.map(introduce));
    return world;
  }

  get parties(): readonly Party[] {
    return this.namespaces.flatMap(({ agent, devices }) => [agent, ...devices]);
  }

  /** The relay is there again, at whichever port. */
  connect(): void {
    for (const { options } of this.parties) options.wire.target = this.relay.port;
  }

  disconnect(): void {
    for (const { options } of this.parties) options.wire.target = undefined;
  }

  async close(): Promise<void> {
    await Promise.all(this.parties.map((party) => party.stop()));
    await Promise.all(this.parties.map(({ options }) => options.wire.close()));
    for (const { store } of this.parties) store.close();
    await this.relay.close();
  }
}

async function makeNamespace(count: number): Promise<Namespace> {
  const agentKeys = await deriveIdentity(new Uint8Array(randomBytes(32)));
  const namespaceId = await namespaceIdOf(agentKeys.ed25519Public);
  const party = async (role: 'agent' | 'client', name: string, keys = agentKeys) =>
    new Party({ role, name, keys, namespaceId, wire: await FaultyWire.open() });
  const agent = await party('agent', 'agent');
  const devices: Party[] = [];
  while (devices.length < count) {
    const keys = await deriveIdentity(new Uint8Array(randomBytes(32)));
    const device = await party('client', `device ${devices.length}`, keys);
    await share(agent, device);
    devices.push(device);
  }
  agent.devices = devices.map(({ options }) => options.keys.ed25519Public);
  return { agent, devices };
}

/** Each gets its end of a channel to the other. */
async function share(agent: Party, device: Party): Promise<void> {
  const [agentKeys, deviceKeys] = [agent.options.keys, device.options.keys];
  const both = {
    namespaceId: agent.options.namespaceId,
    agentEd25519: agentKeys.ed25519Public,
    deviceEd25519: deviceKeys.ed25519Public,
  };
  const atAgent = await suiteV2.open({
    ...both,
    role: 'agent',
    mySecret: agentKeys.x25519Secret,
    theirPublic: deviceKeys.x25519Public,
  });
  const atDevice = await suiteV2.open({
    ...both,
    role: 'device',
    mySecret: deviceKeys.x25519Secret,
    theirPublic: agentKeys.x25519Public,
  });
  const id = `${device.hex}.agent`;
  agent.store.addChannel(id, device.hex);
  agent.channels.set(device.hex, { id, peer: device.hex, sealed: atAgent });
  device.channels.set(agent.hex, { id: `${agent.hex}.device`, peer: agent.hex, sealed: atDevice });
}

/** Registers, pairs, authorizes; then everyone is up. */
async function introduce({ agent, devices }: Namespace): Promise<void> {
  agent.start();
  await agent.link?.whenOnline();
  for (const device of devices) {
    const { keys, wire, namespaceId } = device.options;
    const pairingToken = new Uint8Array(randomBytes(32));
    await agent.link?.pairingStart(pairingToken, PAIRING_TTL_SECONDS);
    await pairAtRelay({
      relayUrl: wire.url,
      binding: 'required',
      namespaceId,
      deviceEd25519: keys.ed25519Public,
      deviceX25519: keys.x25519Public,
      pairingToken,
      platform: PLATFORM_WEB,
      sign: (message) => signEd25519(message, keys.ed25519Secret),
    });
  }
  await agent.link?.authorize(agent.devices);
  for (const device of devices) device.start();
}

/** A real relay, a scripted agent, and devices of the SDK, for one test; everything is closed after it. */
import {
  type Alert,
  type Client,
  type ClientOptions,
  openClient,
  type Pairing,
  pair,
  type Storage,
} from '@countersign/client-sdk';
import { memoryStorage } from '@countersign/client-sdk/storage/memory';
import { type RunningRelay, startRelay } from '@countersign/server';
import { afterEach } from 'vitest';
import { ScriptedAgent, type ScriptedAgentOptions } from './scripted-agent.js';
import { inboxWhen } from './waiting.js';

const closers: (() => Promise<unknown>)[] = [];

afterEach(async () => {
  for (const close of closers.splice(0).reverse()) await close();
});

/** Run after the test, newest first. */
export function atEnd(close: () => Promise<unknown>): void {
  closers.push(close);
}

export interface Device {
  storage: Storage;
  pairing: Pairing;
  client: Client;
  alerts: Alert[];
}

export class World {
  readonly relay: RunningRelay;

  private constructor(relay: RunningRelay) {
    this.relay = relay;
  }

  static async start(): Promise<World> {
    const relay = await startRelay({ port: 0 });
    atEnd(() => relay.close());
    return new World(relay);
  }

  async agent(options: Partial<ScriptedAgentOptions> = {}): Promise<ScriptedAgent> {
    const agent = await ScriptedAgent.start({ relayUrl: this.relay.url, ...options });
    atEnd(() => agent.close());
    return agent;
  }

  /** Paired with the agent, connected, with its first snapshot. */
  async device(agent: ScriptedAgent, options: Partial<ClientOptions> = {}): Promise<Device> {
    const storage = options.storage ?? memoryStorage();
    const pairing = await pair(await agent.pairingLink(), { storage, deviceName: 'test device' });
    const alerts: Alert[] = [];
    const client = await openDevice({ storage, alerts, ...options });
    await inboxWhen(client, (inbox) => inbox.pairings.every(({ snapshotAt }) => snapshotAt !== undefined));
    return { storage, pairing, client, alerts };
  }
}

export async function openDevice(
  options: Partial<ClientOptions> & { storage: Storage; alerts?: Alert[] },
): Promise<Client> {
  const client = await openClient({
    onAlert: async (alert) => {
      options.alerts?.push(alert);
      return true;
    },
    ...options,
  });
  atEnd(() => client.close());
  return client;
}

/** A real relay, directories of agents, devices of the client SDK, and the command between them. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { CountersignError, connectAgentSocket } from '@countersign/agent-sdk';
import {
  type Client,
  type InboxItem,
  openClient,
  type Pairing,
  pair,
  type Storage,
} from '@countersign/client-sdk';
import { memoryStorage } from '@countersign/client-sdk/storage/memory';
import { type RelayConfigInput, type RunningRelay, startRelay } from '@countersign/server';
import { type CommandOptions, CommandProcess, type Ended } from './command.js';

export class Device {
  readonly client: Client;

  constructor(client: Client) {
    this.client = client;
  }

  /** The item, as soon as this device can decide it. */
  async item(matching: (item: InboxItem) => boolean = () => true): Promise<InboxItem> {
    const items = await this.#when((all) => all.some((one) => ready(one) && matching(one)));
    return items.find((one) => ready(one) && matching(one)) as InboxItem;
  }

  /** Resolves when nothing waits here any more. */
  async empty(): Promise<void> {
    await this.#when((items) => items.length === 0);
  }

  async approve(item: InboxItem): Promise<void> {
    await (await this.client.approve(item)).settled();
  }

  async reject(item: InboxItem, reason: string): Promise<void> {
    await (await this.client.reject(item, { reason })).settled();
  }

  #when(done: (items: readonly InboxItem[]) => boolean): Promise<readonly InboxItem[]> {
    const { inbox } = this.client;
    return new Promise((resolve) => {
      const look = (): boolean => {
        const { items } = inbox.get();
        if (done(items)) resolve(items);
        return done(items);
      };
      if (look()) return;
      const unsubscribe = inbox.subscribe(() => look() && unsubscribe());
    });
  }
}

function ready({ state, whole }: InboxItem): boolean {
  return state === 'open' && whole;
}

export class Scene {
  readonly relay: RunningRelay;
  readonly #commands = new Set<CommandProcess>();
  readonly #dirs = new Set<string>();
  readonly #clients: Client[] = [];

  static async start(config: RelayConfigInput = {}): Promise<Scene> {
    return new Scene(await startRelay({ port: 0, opsPort: 'off', ...config }));
  }

  constructor(relay: RunningRelay) {
    this.relay = relay;
  }

  /** A fresh state directory; whatever serves it is ended with the scene. */
  directory(): string {
    const dir = mkdtempSync(join(tmpdir(), 'cs-cli-'));
    this.#dirs.add(dir);
    return dir;
  }

  start(args: readonly string[], dir: string, options: CommandOptions = {}): CommandProcess {
    const env = { COUNTERSIGN_DIR: dir, COUNTERSIGN_RELAY_URL: this.relay.url, ...options.env };
    const command = new CommandProcess(args, { ...options, env });
    this.#commands.add(command);
    void command.ended.then(() => this.#commands.delete(command));
    return command;
  }

  run(args: readonly string[], dir: string, options: CommandOptions = {}): Promise<Ended> {
    return this.start(args, dir, { input: '', ...options }).ended;
  }

  /** `pair` up to the moment where it asks for the code. */
  async startPairing(
    dir: string,
    args: readonly string[] = [],
  ): Promise<{ command: CommandProcess; pairing: Pairing; storage: Storage }> {
    const command = this.start(['pair', ...args], dir);
    const [link] = await command.says(/http\S+#p=[\w-]+/);
    const storage = memoryStorage();
    return { command, storage, pairing: await pair(link, { storage, deviceName: 'Test phone' }) };
  }

  async open(storage: Storage): Promise<Device> {
    const client = await openClient({ storage, onAlert: async () => true });
    this.#clients.push(client);
    return new Device(client);
  }

  /** A device that can decide for the agent of the directory. */
  async pair(dir: string): Promise<Device> {
    const { command, pairing, storage } = await this.startPairing(dir);
    await command.says(/Code shown/);
    command.type(pairing.code);
    const device = await this.open(storage);
    await command.says(/Paired with/);
    await command.ended;
    return device;
  }

  async close(): Promise<void> {
    await Promise.all([...this.#commands].map((command) => command.kill('SIGKILL')));
    await Promise.all(this.#clients.map((client) => client.close()));
    for (const dir of this.#dirs) {
      await endOwner(dir);
      rmSync(dir, { recursive: true, force: true });
    }
    await this.relay.close();
  }
}

/** Which process serves the directory. */
export async function ownerOf(dir: string): Promise<number> {
  const agent = await connectAgentSocket(dir);
  await agent.close();
  return agent.owner.pid;
}

async function endOwner(dir: string): Promise<void> {
  try {
    const agent = await connectAgentSocket(dir);
    await agent.shutdown();
    await agent.whenLost();
  } catch (error) {
    if (!(error instanceof CountersignError)) throw error;
  }
}

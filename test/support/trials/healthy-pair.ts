/**
 * An agent and a device that mind their own business at the relay under trial: live and queued messages both ways,
 * one after another, each with its time. They come from an address of their own. Must not know what else goes on.
 */
import { randomBytes } from 'node:crypto';
import {
  agentRole,
  authFrame,
  clientRole,
  type Keys,
  namespaceIdOf,
  newKeys,
  pairingRole,
  RawPeer,
} from '../relay/raw-peer.js';
import { sealed } from '../relay/relay-scene.js';

export interface PairOptions {
  readonly url: string;
  readonly invite?: string | undefined;
  /** Its address; nobody else's. */
  readonly from?: string;
  readonly pauseMs?: number;
  /** Where nothing can be queued any more. */
  readonly onlyLive?: boolean;
  readonly agentKeys?: Keys;
}

const OWN_ADDRESS = '127.77.77.77';
/** Two messages of each in so long stay below ten a second. */
const PAUSE_MS = 220;
/** A message that takes longer is lost: the trial has failed. */
const LOST_AFTER_MS = 20_000;

export class HealthyPair {
  readonly agentKeys: Keys;
  readonly deviceKeys: Keys;
  readonly namespaceId: Uint8Array;
  /** How long each message took, in milliseconds. */
  readonly latencies: number[] = [];
  readonly #options: PairOptions;
  readonly #agent: RawPeer;
  readonly #device: RawPeer;
  #working: Promise<void> = Promise.resolve();
  #stopped = false;
  #waiting: Array<() => void> = [];
  #failure: unknown;

  private constructor(
    options: PairOptions,
    parts: Pick<HealthyPair, 'agentKeys' | 'deviceKeys' | 'namespaceId'> & {
      agent: RawPeer;
      device: RawPeer;
    },
  ) {
    this.#options = options;
    this.agentKeys = parts.agentKeys;
    this.deviceKeys = parts.deviceKeys;
    this.namespaceId = parts.namespaceId;
    this.#agent = parts.agent;
    this.#device = parts.device;
  }

  /** Registers, pairs and connects. */
  static async open(options: PairOptions): Promise<HealthyPair> {
    const connect = () => new RawPeer(options.url, { localAddress: options.from ?? OWN_ADDRESS });
    const [agentKeys, deviceKeys] = [options.agentKeys ?? newKeys(), newKeys()];
    const namespaceId = await namespaceIdOf(agentKeys.publicKey);
    const agent = connect();
    const invite = options.invite === undefined ? {} : { invite: options.invite };
    agent.send(await authFrame(agent, agentKeys, agentRole(agentKeys), invite));
    await agent.next('auth_ok');
    const token = new Uint8Array(randomBytes(32));
    agent.send({ type: 'pairing_start', pairingToken: token, ttl: 0 });
    await agent.next('pairing_ready');
    const pairing = connect();
    pairing.send(await authFrame(pairing, deviceKeys, pairingRole(deviceKeys, { namespaceId, token })));
    await pairing.next('auth_ok');
    agent.send({ type: 'authorize', clients: [deviceKeys.publicKey] });
    await agent.next('authorize_ok');
    const device = connect();
    device.send(await authFrame(device, deviceKeys, clientRole(deviceKeys, { namespaceId })));
    await device.next('auth_ok');
    await agent.next('presence_event');
    return new HealthyPair(options, { agentKeys, deviceKeys, namespaceId, agent, device });
  }

  /** Begins to talk, until {@link stop}. */
  start(): this {
    this.#working = this.#work().catch((error: unknown) => {
      this.#failure = error;
      this.#tell();
    });
    return this;
  }

  /** A message each way, live and queued, that was sent from now on has arrived. @throws Error when one is lost or late. */
  async nextRound(): Promise<void> {
    // The round under way began earlier.
    for (let rounds = 0; rounds < 2 && this.#failure === undefined; rounds++) {
      await new Promise<void>((resolve) => this.#waiting.push(resolve));
    }
    if (this.#failure !== undefined) throw this.#failure;
  }

  /** @throws Error when a message was lost or late. */
  async stop(): Promise<void> {
    this.#stopped = true;
    await this.#working;
    if (this.#failure !== undefined) throw this.#failure;
  }

  close(): void {
    this.#agent.close();
    this.#device.close();
  }

  /** One message each way, live and queued. @throws Error when one is lost or late. */
  async talk(): Promise<void> {
    for (const live of this.#options.onlyLive ? [true] : [true, false]) {
      await this.#send(this.#agent, this.#device, this.deviceKeys, live);
      await this.#send(this.#device, this.#agent, this.agentKeys, live);
    }
  }

  async #work(): Promise<void> {
    while (!this.#stopped) {
      await this.talk();
      this.#tell();
      await new Promise((resolve) => setTimeout(resolve, this.#options.pauseMs ?? PAUSE_MS));
    }
  }

  #tell(): void {
    for (const resolve of this.#waiting.splice(0)) resolve();
  }

  async #send(from: RawPeer, to: RawPeer, { publicKey }: Keys, live: boolean): Promise<void> {
    const message = sealed(publicKey, live, 200);
    const since = performance.now();
    from.send(message);
    const arrived = to.until(() => to.frames.findIndex(({ type }) => type === 'message') + 1);
    const index = (await orLost(arrived)) - 1;
    const [frame] = to.frames.splice(index, 1);
    if (frame?.type !== 'message' || !Buffer.from(frame.nonce).equals(message.nonce)) {
      throw new Error('the healthy pair got a message that is not the one that was sent');
    }
    this.latencies.push(performance.now() - since);
  }
}

async function orLost<T>(arrived: Promise<T>): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const lost = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error('a message of the healthy pair was lost')), LOST_AFTER_MS);
  });
  try {
    return await Promise.race([arrived, lost]);
  } finally {
    clearTimeout(timer);
  }
}

/** The value below which so many of a hundred lie. */
export function percentile(values: readonly number[], share: number): number {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor((sorted.length * share) / 100))] ?? 0;
}

/** A real relay and its peers for one test; everything is closed afterwards. */
import { randomBytes } from 'node:crypto';
import type { RelayConfigInput, RunningRelay, StartRelayOptions } from '@countersign/server';
import { startRelay } from '@countersign/server';
import type { ClientOptions } from 'ws';
import {
  type AuthExtras,
  agentRole,
  authFrame,
  clientRole,
  type Keys,
  namespaceIdOf,
  newKeys,
  pairingRole,
  RawPeer,
} from './raw-peer.js';

export interface Agent {
  readonly keys: Keys;
  readonly namespaceId: Uint8Array;
  readonly peer: RawPeer;
}

export interface Device {
  readonly keys: Keys;
  readonly peer: RawPeer;
}

export class RelayScene {
  readonly relay: RunningRelay;
  readonly #peers: RawPeer[] = [];

  private constructor(relay: RunningRelay) {
    this.relay = relay;
  }

  static async open(config: RelayConfigInput = {}, options: StartRelayOptions = {}): Promise<RelayScene> {
    return new RelayScene(await startRelay({ port: 0, store: 'memory', ...config }, options));
  }

  /** Peers of a relay that somebody else runs, and ends. */
  static at(url: string): RelayScene {
    const close = async () => undefined;
    return new RelayScene({
      url,
      port: Number(new URL(url).port),
      failed: new Promise(() => undefined),
      close,
    });
  }

  /** Connected, nothing said yet. */
  connect(options: ClientOptions = {}): RawPeer {
    const peer = new RawPeer(this.relay.url, options);
    this.#peers.push(peer);
    return peer;
  }

  async agent(keys: Keys = newKeys(), extras: AuthExtras = {}): Promise<Agent> {
    const peer = this.connect();
    peer.send(await authFrame(peer, keys, agentRole(keys), extras));
    await peer.next('auth_ok');
    return { keys, peer, namespaceId: await namespaceIdOf(keys.publicKey) };
  }

  async client(namespaceId: Uint8Array, keys: Keys, extras: AuthExtras = {}): Promise<Device> {
    const peer = this.connect();
    peer.send(await authFrame(peer, keys, clientRole(keys, { namespaceId }), extras));
    await peer.next('auth_ok');
    return { keys, peer };
  }

  /** Opens a window and returns its token. */
  async window(agent: Agent, ttl = 0): Promise<Uint8Array> {
    const token = new Uint8Array(randomBytes(32));
    agent.peer.send({ type: 'pairing_start', pairingToken: token, ttl });
    await agent.peer.next('pairing_ready');
    return token;
  }

  /** Pairs devices and authorizes them beside `earlier` ones; they are not connected. */
  async pair(
    agent: Agent,
    count = 1,
    extras: AuthExtras = {},
    earlier: readonly Keys[] = [],
  ): Promise<Keys[]> {
    const devices: Keys[] = [];
    for (let i = 0; i < count; i++) {
      const keys = newKeys();
      const peer = this.connect();
      const token = await this.window(agent);
      peer.send(
        await authFrame(peer, keys, pairingRole(keys, { namespaceId: agent.namespaceId, token }), extras),
      );
      await peer.next('auth_ok');
      await agent.peer.next('client_paired');
      devices.push(keys);
    }
    await this.authorize(agent, [...earlier, ...devices]);
    return devices;
  }

  async authorize(agent: Agent, devices: readonly Keys[]): Promise<number> {
    agent.peer.send({ type: 'authorize', clients: devices.map((device) => device.publicKey) });
    return (await agent.peer.next('authorize_ok')).authorized;
  }

  /** An agent and one authorized device, both connected. */
  async couple(
    agentExtras: AuthExtras = {},
    deviceExtras: AuthExtras = {},
  ): Promise<{ agent: Agent; device: Device }> {
    const agent = await this.agent(newKeys(), agentExtras);
    const [keys] = await this.pair(agent);
    const device = await this.client(agent.namespaceId, keys as Keys, deviceExtras);
    await agent.peer.next('presence_event');
    return { agent, device };
  }

  async close(): Promise<void> {
    for (const peer of this.#peers) peer.close();
    await this.relay.close();
  }
}

let nextByte = 0;

/** A sealed message as the relay sees one: opaque bytes. */
export function sealed(peer: Uint8Array, live: boolean, size = 32) {
  nextByte = (nextByte + 1) % 256;
  return {
    type: 'message' as const,
    ciphertext: new Uint8Array(size).fill(nextByte),
    nonce: new Uint8Array(randomBytes(12)),
    peer,
    live,
  };
}

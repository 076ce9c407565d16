/** Links of an agent and of devices at a real relay, over real sockets, closed after each test. */
import {
  type ClientPaired,
  type Link,
  type LinkHandler,
  type LinkOptions,
  openLink,
  type PairingLogin,
  type PeerChannel,
  pairAtRelay,
} from '@countersign/protocol/link';
import { type RunningRelay, startRelay } from '@countersign/server';
import { afterEach, expect } from 'vitest';
import { MemoryPeerStore, type MemoryTx } from './memory-peer-store.js';
import { makePeers, type TestPeer, type TestPeers } from './peers.js';

export const TOKEN = new Uint8Array(32).fill(7);
export const cleanups: Array<() => unknown> = [];

/** Call once per file. */
export function cleanUpAfterEach(): void {
  afterEach(async () => {
    for (const cleanup of cleanups.splice(0).reverse()) await cleanup();
  });
}

export async function relayWith(config: Parameters<typeof startRelay>[0] = {}): Promise<RunningRelay> {
  const relay = await startRelay({ port: 0, opsPort: 'off', ...config });
  cleanups.push(() => relay.close());
  return relay;
}

export interface Side {
  readonly link: Link;
  readonly store: MemoryPeerStore;
  readonly paired: ClientPaired[];
  /** Waits for the next payload that had an effect. */
  received(): Promise<unknown>;
  /** Waits for the next news of this kind. */
  heard(event: 'paired' | 'online' | 'offline' | 'peer_offline'): Promise<void>;
}

export function sideOf(
  relay: RunningRelay,
  { identity }: TestPeer,
  channel: PeerChannel,
  more: Partial<LinkOptions<MemoryTx>> & {
    on?: Partial<LinkHandler<MemoryTx>>;
    store?: MemoryPeerStore;
  } = {},
): Side {
  const store = more.store ?? new MemoryPeerStore();
  const paired: ClientPaired[] = [];
  const queue: unknown[] = [];
  const events: string[] = [];
  const wakes = new Set<() => void>();
  const wake = () => {
    for (const each of wakes) each();
  };
  const next = async <T>(look: () => T | undefined): Promise<T> => {
    for (;;) {
      const found = look();
      if (found !== undefined) return found;
      await new Promise<void>((resolve) => wakes.add(resolve));
    }
  };
  const note = (event: string) => {
    events.push(event);
    wake();
  };
  const link = openLink<MemoryTx>({
    relayUrl: relay.url,
    identity,
    store,
    binding: 'required',
    ...more,
    handler: {
      channelsOf: (peer) => (peer === channel.peer ? [channel] : []),
      onPayload: ({ payload }) => ({
        apply: (_, verdict) => {
          if (verdict === 'new') queue.push(payload);
        },
        after: wake,
      }),
      onClientPaired: (device) => {
        paired.push(device);
        note('paired');
      },
      onPresence: (_, isOnline) => note(isOnline ? 'online' : 'offline'),
      onPeerOffline: () => note('peer_offline'),
      ...more.on,
    },
  });
  cleanups.push(() => link.close());
  link.start();
  return {
    link,
    store,
    paired,
    received: () => next(() => queue.shift()),
    heard: async (event) => {
      const at = await next(() => {
        const index = events.indexOf(event);
        return index < 0 ? undefined : index;
      });
      events.splice(at, 1);
    },
  };
}

export function pairing(relay: RunningRelay, peers: TestPeers, token = TOKEN) {
  return pairAtRelay({ ...pairingOf(relay, peers), pairingToken: token });
}

export function pairingOf(relay: RunningRelay, { device, namespaceId }: TestPeers): PairingLogin {
  return {
    relayUrl: relay.url,
    binding: 'required',
    namespaceId,
    deviceEd25519: device.keys.ed25519Public,
    deviceX25519: device.keys.x25519Public,
    pairingToken: TOKEN,
    platform: 3,
    sign: device.identity.sign,
  };
}

/** An agent and a device, paired and authorized, both online. */
export async function pairedSides(relay: RunningRelay, more: Parameters<typeof sideOf>[3] = {}) {
  const peers = await makePeers();
  const agent = sideOf(relay, peers.agent, peers.atAgent, more);
  await agent.link.whenOnline();
  await agent.link.pairingStart(TOKEN, 60);
  await pairing(relay, peers);
  await agent.heard('paired');
  expect(await agent.link.authorize([peers.device.keys.ed25519Public])).toBe(1);
  const device = sideOf(relay, peers.device, peers.atDevice);
  await device.link.whenOnline();
  await agent.heard('online');
  return { peers, agent, device };
}

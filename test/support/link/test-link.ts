/**
 * A link in a world of the test's own: its clock, a relay that does as told, a store in memory. Reaches past the
 * door for `openLinkIn` alone, which takes the clock and the sockets.
 */
import type {
  Incoming,
  Link,
  LinkHandler,
  LinkOptions,
  LinkState,
  PeerChannel,
} from '@countersign/protocol/link';
import { openLinkIn } from '../../../protocol/src/link/link.js';
import { type LinkRuntime, platformRuntime } from '../../../protocol/src/link/runtime.js';
import { FakeRelay } from './fake-relay.js';
import { MemoryPeerStore, type MemoryTx } from './memory-peer-store.js';
import { makePeers, type TestPeers } from './peers.js';
import { VirtualTime } from './virtual-time.js';

export interface TestLink {
  readonly link: Link;
  readonly relay: FakeRelay;
  readonly store: MemoryPeerStore;
  readonly time: VirtualTime;
  readonly peers: TestPeers;
  readonly states: LinkState[];
  readonly warnings: string[];
  /** Payloads whose effect ran, in order. */
  readonly received: Incoming[];
  /** Resolves at the next state of this phase, or at once if it is the present one. */
  phase<P extends LinkState['phase']>(phase: P): Promise<Extract<LinkState, { phase: P }>>;
  stop(): Promise<void>;
}

export interface TestLinkOptions extends Partial<Omit<LinkOptions<MemoryTx>, 'handler'>> {
  role?: 'agent' | 'client';
  handler?: Partial<LinkHandler<MemoryTx>>;
  /** As in a browser: no ping, and none of the relay's is seen. */
  cannotPing?: boolean;
  /** What jitter multiplies a delay with; 0.5 by default. */
  jitter?: number;
  runtime?: Partial<LinkRuntime>;
}

export async function testLink(options: TestLinkOptions = {}): Promise<TestLink> {
  const relay = await FakeRelay.start();
  const peers = await makePeers();
  const store = new MemoryPeerStore();
  const time = new VirtualTime();
  const states: LinkState[] = [];
  const warnings: string[] = [];
  const received: Incoming[] = [];
  const watchers = new Set<() => void>();
  const { role = 'agent', handler, cannotPing, jitter, runtime, ...rest } = options;
  const channel: PeerChannel = role === 'agent' ? peers.atAgent : peers.atDevice;
  const link = openLinkIn<MemoryTx>(
    {
      relayUrl: relay.url,
      identity: role === 'agent' ? peers.agent.identity : peers.device.identity,
      store,
      binding: 'required',
      logger: { debug: () => undefined, warn: (event) => warnings.push(event) },
      ...rest,
      handler: {
        channelsOf: (peer) => (peer === channel.peer ? [channel] : []),
        onPayload: (incoming) => ({
          apply(tx, verdict) {
            if (verdict === 'new') tx.applied.push(incoming.payload);
            received.push(incoming);
          },
        }),
        ...handler,
        onState(state) {
          states.push(state);
          for (const watcher of watchers) watcher();
          handler?.onState?.(state);
        },
      },
    },
    { ...worldOf(time, cannotPing ?? false, jitter ?? 0.5), ...runtime },
  );
  return {
    link,
    relay,
    store,
    time,
    peers,
    states,
    warnings,
    received,
    phase: (phase) =>
      new Promise((resolve) => {
        const watcher = () => {
          if (link.state.phase !== phase) return;
          watchers.delete(watcher);
          resolve(link.state as never);
        };
        watchers.add(watcher);
        watcher();
      }),
    async stop() {
      const closing = link.close();
      await Promise.resolve();
      // Whatever the closing link waits for, it waits for at most 2 s.
      time.advance(2000);
      await closing;
      time.advance(2000);
      await relay.close();
    },
  };
}

function worldOf(time: VirtualTime, cannotPing: boolean, jitter: number): LinkRuntime {
  const fraction = new Uint8Array(4);
  new DataView(fraction.buffer).setUint32(0, Math.floor(jitter * 2 ** 32));
  return {
    now: time.now,
    setTimer: time.setTimer,
    // Four bytes are asked for by jitter alone.
    randomBytes: (length) => (length === 4 ? fraction : platformRuntime.randomBytes(length)),
    openSocket: (url, events, options) => {
      const socket = platformRuntime.openSocket(url, cannotPing ? autoPong(events) : events, options);
      return cannotPing ? withoutPing(socket) : socket;

      function autoPong(seen: typeof events): typeof events {
        return {
          onOpen: () => seen.onOpen(),
          onMessage: (data) => seen.onMessage(data),
          onClose: (info) => seen.onClose(info),
          onPing: (data) => socket.pong(data),
          onPong: () => undefined,
        };
      }
    },
  };
}

type TestSocket = ReturnType<LinkRuntime['openSocket']>;

function withoutPing(socket: TestSocket): TestSocket {
  return {
    canPing: false,
    get bufferedBytes() {
      return socket.bufferedBytes;
    },
    send: (data) => socket.send(data),
    ping: () => undefined,
    pong: () => undefined,
    close: (code, reason) => socket.close(code, reason),
    terminate: () => socket.terminate(),
  };
}

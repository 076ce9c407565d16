/**
 * A relay whose store answers only when a test lets it, in whatever order the test likes, and peers without
 * sockets. What is asked of the store takes effect at once, in order, as every store promises.
 */
import {
  CountersignError,
  decodeFrame,
  encodeFrame,
  type FrameOf,
  type RelayFrame,
} from '@countersign/protocol';
import { challengeText, namespaceIdOf, signEd25519 } from '@countersign/protocol/auth';
import { newKeys } from '../../../test/support/relay/raw-peer.js';
import { RelayClock } from '../../../test/support/relay/relay-clock.js';
import { openLocalBus } from '../adapters/bus/local/index.js';
import { nodeHash, nodeRandom } from '../adapters/runtime/node/index.js';
import { openMemoryStore } from '../adapters/store/memory/index.js';
import { parseConfig, type RelayConfigInput } from '../config/index.js';
import type { PeerSocket, RelayStore, SocketListener } from '../ports/index.js';
import { Relay } from './relay.js';

type Keys = ReturnType<typeof newKeys>;

/** Lets everything run that waits for no answer of the store. The login's hash needs turns of the event loop. */
export async function calm(): Promise<void> {
  for (let i = 0; i < 3; i++) await new Promise(setImmediate);
}

/** Answers that are held back. */
export class Held {
  isHolding = false;
  readonly #waiting: { name: string; go: () => void }[] = [];

  store(target: RelayStore): RelayStore {
    return new Proxy(target, {
      get: (_, name) => {
        const method = Reflect.get(target, name) as (...args: unknown[]) => unknown;
        return (...args: unknown[]) => this.#hold(String(name), method.apply(target, args));
      },
    });
  }

  get count(): number {
    return this.#waiting.length;
  }

  /** Gives the answer at `index` of those waiting, or the oldest to a call of that name. */
  async give(which: number | keyof RelayStore): Promise<void> {
    const index = typeof which === 'number' ? which : this.#waiting.findIndex(({ name }) => name === which);
    const [answer] = this.#waiting.splice(index, index < 0 ? 0 : 1);
    if (answer === undefined) throw new CountersignError('unavailable', `nobody waits for ${which}`);
    answer.go();
    await calm();
  }

  /** Gives all, and holds nothing back any more. */
  async giveAll(): Promise<void> {
    this.isHolding = false;
    for (const { go } of this.#waiting.splice(0)) go();
    await calm();
  }

  #hold(name: string, result: unknown): unknown {
    if (!this.isHolding || !(result instanceof Promise)) return result;
    const held = new Promise<void>((go) => this.#waiting.push({ name, go }));
    return held.then(() => result);
  }
}

export class FakePeer implements PeerSocket {
  readonly frames: RelayFrame[] = [];
  closed: number | undefined;
  bufferedBytes = 0;
  /** Answers each ping at once, as a runtime does. */
  answersPings = true;
  readonly #listener: () => SocketListener;

  constructor(listener: () => SocketListener) {
    this.#listener = listener;
  }

  send(frame: Uint8Array): void {
    const decoded = decodeFrame(frame.slice());
    if (decoded && this.closed === undefined) this.frames.push(decoded);
  }
  ping(payload: Uint8Array): void {
    const copy = payload.slice();
    queueMicrotask(() => {
      if (this.answersPings && this.closed === undefined) this.#listener().onPong(copy);
    });
  }
  pong(): void {}
  close(code: number): void {
    if (this.closed !== undefined) return;
    this.closed = code;
    queueMicrotask(() => this.#listener().onClosed(code));
  }
  terminate(): void {
    this.drop();
  }
  pause(): void {}
  resume(): void {}

  /** The connection is cut, from outside. */
  drop(): void {
    if (this.closed !== undefined) return;
    this.closed = 1006;
    this.#listener().onClosed(1006);
  }

  hear(frame: RelayFrame): void {
    if (this.closed === undefined) this.#listener().onMessage(encodeFrame(frame), true);
  }

  all<T extends RelayFrame['type']>(type: T): FrameOf<T>[] {
    return this.frames.filter((frame): frame is FrameOf<T> => frame.type === type);
  }
}

export async function heldScene(input: RelayConfigInput = {}) {
  const clock = new RelayClock();
  const held = new Held();
  const store = await openMemoryStore();
  const unproven: number[][] = [];
  const bus = openLocalBus();
  const relay = new Relay(
    { ...parseConfig({ bucketMessages: 1e6, ...input }), allowedAgents: [] },
    {
      clock,
      bus,
      store: held.store(store),
      random: nodeRandom,
      hash: nodeHash,
      events: { emit: () => undefined },
      unproven: { unproven: (_namespace, _recipient, seqs) => unproven.push([...seqs]) },
    },
  );
  const agentKeys = newKeys();
  const deviceKeys = newKeys();
  const namespaceId = await namespaceIdOf(agentKeys.publicKey);
  const peers: FakePeer[] = [];

  const connect = () => {
    const admitted = relay.admit('192.0.2.1');
    if ('refused' in admitted) throw new CountersignError('unavailable', admitted.refused);
    let listener: SocketListener | undefined;
    const peer = new FakePeer(() => listener as SocketListener);
    listener = relay.accept({ socket: peer, ticket: admitted.ticket, authority: 'relay.example' });
    peers.push(peer);
    return peer;
  };
  const login = async (keys: Keys, role: FrameOf<'auth'>['role'], capabilities: readonly string[]) => {
    const peer = connect();
    while (peer.all('challenge').length === 0) await calm();
    const nonce = peer.all('challenge')[0]?.nonce as Uint8Array;
    const signature = signEd25519(challengeText(nonce), keys.secretKey);
    peer.hear({ type: 'auth', role, signature, capabilities });
    await calm();
    return peer;
  };

  return {
    clock,
    held,
    store,
    bus,
    unproven,
    namespaceId,
    agentKey: agentKeys.publicKey,
    deviceKey: deviceKeys.publicKey,
    agent: (capabilities: readonly string[] = ['ref']) =>
      login(agentKeys, { kind: 'agent', agentEd25519Pub: agentKeys.publicKey }, capabilities),
    device: (capabilities: readonly string[] = ['received']) =>
      login(
        deviceKeys,
        {
          kind: 'client',
          namespaceId,
          clientEd25519Pub: deviceKeys.publicKey,
          deviceToken: '',
          platform: 3,
        },
        capabilities,
      ),
    /** The device is paired and authorized; nothing of that goes over the wire. */
    pair: () =>
      pairInStore(store, {
        namespaceId,
        agent: agentKeys.publicKey,
        device: deviceKeys.publicKey,
        now: clock.now(),
      }),
    close: async () => {
      await held.giveAll();
      const stopped = relay.stop();
      for (const peer of peers) peer.drop();
      await stopped;
    },
  };
}

export type HeldScene = Awaited<ReturnType<typeof heldScene>>;

async function pairInStore(
  store: RelayStore,
  {
    namespaceId,
    agent,
    device,
    now,
  }: Record<'namespaceId' | 'agent' | 'device', Uint8Array> & { now: number },
): Promise<void> {
  const tokenHash = new Uint8Array(32);
  await store.touchNamespace(namespaceId, agent, now, true);
  await store.openPairingWindow(namespaceId, tokenHash, now + 1000);
  const keys = { ed25519: device, x25519: device, platform: 3, deviceToken: '', window: new Uint8Array(16) };
  await store.consumePairingToken(
    { namespaceId, tokenHash, ...keys, now },
    { authorizedDevices: 32, pendingDevices: 16 },
  );
  await store.applyAuthorize(namespaceId, [device], now);
}

/** A message whose number is in its nonce and its ref. */
export function numbered(peer: Uint8Array, number: number, live = false): FrameOf<'message'> {
  const nonce = new Uint8Array(12);
  new DataView(nonce.buffer).setUint32(8, number);
  return { type: 'message', ciphertext: new Uint8Array(16), nonce, peer, live, ref: BigInt(number) };
}

export function numberOf({ nonce }: FrameOf<'message'>): number {
  return new DataView(nonce.buffer, nonce.byteOffset).getUint32(8);
}

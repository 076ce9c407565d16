/** The rules as a whole, with a store that fails and sockets that misbehave. Peers over real sockets: test/server. */
import { randomBytes } from 'node:crypto';
import { CountersignError, decodeFrame, encodeFrame, type RelayFrame } from '@countersign/protocol';
import { challengeText, cryptoReady, signEd25519 } from '@countersign/protocol/auth';
import { afterEach, beforeAll, describe, expect, it } from 'vitest';
import { newKeys } from '../../../test/support/relay/raw-peer.js';
import { RelayClock } from '../../../test/support/relay/relay-clock.js';
import { openLocalBus } from '../adapters/bus/local/index.js';
import { nodeHash, nodeRandom } from '../adapters/runtime/node/index.js';
import { openMemoryStore } from '../adapters/store/memory/index.js';
import { parseConfig } from '../config/index.js';
import type { PeerSocket, RelayEvent, RelayStore, SocketListener } from '../ports/index.js';
import { Relay } from './relay.js';
import { MAX_READS_BEFORE_LOGIN } from './session/connection.js';

beforeAll(() => cryptoReady);

class FakeSocket implements PeerSocket {
  readonly frames: RelayFrame[] = [];
  readonly pings: Uint8Array[] = [];
  closed: number | undefined;
  terminated = false;
  paused = false;
  bufferedBytes = 0;
  listener: SocketListener | undefined;

  send(frame: Uint8Array): void {
    const decoded = decodeFrame(frame);
    if (decoded && this.closed === undefined) this.frames.push(decoded);
  }
  ping(payload: Uint8Array): void {
    this.pings.push(payload);
  }
  pong(): void {}
  close(code: number): void {
    this.closed ??= code;
  }
  terminate(): void {
    this.terminated = true;
    this.listener?.onClosed(1006);
  }
  pause(): void {
    this.paused = true;
  }
  resume(): void {
    this.paused = false;
  }

  hear(frame: RelayFrame): void {
    this.listener?.onMessage(encodeFrame(frame), true);
  }

  async next<T extends RelayFrame['type']>(type: T): Promise<Extract<RelayFrame, { type: T }>> {
    for (let i = 0; i < 1000; i++) {
      const frame = this.frames.find((candidate) => candidate.type === type);
      if (frame) {
        this.frames.splice(this.frames.indexOf(frame), 1);
        return frame as Extract<RelayFrame, { type: T }>;
      }
      await new Promise(setImmediate);
    }
    throw new Error(`no ${type}: ${JSON.stringify(this.frames)} ${this.closed}`);
  }
}

/** A store of which any method can be made to fail. */
function breakable(store: RelayStore): RelayStore & { broken: Set<string> } {
  const broken = new Set<string>();
  return new Proxy(store, {
    get(target, name) {
      if (name === 'broken') return broken;
      const method = Reflect.get(target, name) as (...args: unknown[]) => unknown;
      return (...args: unknown[]) => {
        if (broken.has(String(name))) return Promise.reject(new CountersignError('unavailable', 'no'));
        return method.apply(target, args);
      };
    },
  }) as RelayStore & { broken: Set<string> };
}

let relay: Relay;
afterEach(async () => {
  // Fakes go only when they are dropped.
  const stopped = relay.stop();
  for (const socket of sockets.splice(0)) if (!socket.terminated) socket.terminate();
  await stopped;
});
const sockets: FakeSocket[] = [];

async function scene() {
  const clock = new RelayClock();
  const events: RelayEvent[] = [];
  const store = breakable(await openMemoryStore());
  relay = new Relay(
    { ...parseConfig({}), allowedAgents: [] },
    {
      clock,
      store,
      random: nodeRandom,
      hash: nodeHash,
      bus: openLocalBus(),
      events: { emit: (event) => events.push(event) },
      unproven: { unproven: () => undefined },
    },
  );
  const connect = () => {
    const admitted = relay.admit('192.0.2.1');
    if ('refused' in admitted) throw new Error(admitted.refused);
    const socket = new FakeSocket();
    socket.listener = relay.accept({ socket, ticket: admitted.ticket, authority: 'relay.example' });
    sockets.push(socket);
    return socket;
  };
  const agent = async (keys = newKeys()) => {
    const socket = connect();
    const { nonce } = await socket.next('challenge');
    const signature = signEd25519(challengeText(nonce), keys.secretKey);
    const role = { kind: 'agent' as const, agentEd25519Pub: keys.publicKey };
    socket.hear({ type: 'auth', role, signature, capabilities: ['window'] });
    return socket;
  };
  const client = async ({ keys, namespaceId }: KnownDevice) => {
    const socket = connect();
    const { nonce } = await socket.next('challenge');
    const clientEd25519Pub = keys.publicKey;
    socket.hear({
      type: 'auth',
      role: { kind: 'client', namespaceId, clientEd25519Pub, deviceToken: '', platform: 3 },
      signature: signEd25519(challengeText(nonce), keys.secretKey),
      capabilities: ['window'],
    });
    return socket;
  };
  return { clock, events, store, connect, agent, client };
}

interface KnownDevice {
  readonly keys: ReturnType<typeof newKeys>;
  readonly namespaceId: Uint8Array;
}

/** An agent and a device it authorized, which never connected. */
async function agentWithDevice(parts: Awaited<ReturnType<typeof scene>>, agentKeys = newKeys()) {
  const agent = await parts.agent(agentKeys);
  const { namespaceId } = await agent.next('auth_ok');
  const device = newKeys();
  const pairingToken = new Uint8Array(randomBytes(32));
  agent.hear({ type: 'pairing_start', pairingToken, ttl: 0 });
  await agent.next('pairing_ready');
  const socket = parts.connect();
  const { nonce } = await socket.next('challenge');
  socket.hear({
    type: 'auth',
    role: {
      kind: 'pairing',
      namespaceId,
      clientEd25519Pub: device.publicKey,
      clientX25519Pub: device.publicKey,
      pairingToken,
      deviceToken: '',
      platform: 3,
    },
    signature: signEd25519(challengeText(nonce), device.secretKey),
    capabilities: [],
  });
  await socket.next('auth_ok');
  agent.hear({ type: 'authorize', clients: [device.publicKey] });
  await agent.next('authorize_ok');
  return { agent, device: { keys: device, namespaceId } };
}

describe('a store that cannot do its work', () => {
  it('ends a login with unavailable and 1013', async () => {
    const parts = await scene();
    for (const method of ['touchNamespace', 'agentOf']) parts.store.broken.add(method);
    const agent = await parts.agent();
    expect((await agent.next('auth_error')).code).toBe('unavailable');
    expect(agent.closed).toBe(1013);
    expect(parts.events).toContainEqual({ event: 'store_failed', operation: 'login', code: 'unavailable' });
  });

  it('that can be read but not written lets in whom it knows, to fetch what waits', async () => {
    const parts = await scene();
    const keys = newKeys();
    const { agent, device } = await agentWithDevice(parts, keys);
    const ciphertext = new Uint8Array(32);
    agent.hear({
      type: 'message',
      ciphertext,
      nonce: new Uint8Array(12),
      live: false,
      peer: device.keys.publicKey,
    });
    agent.hear({ type: 'presence_request' });
    await agent.next('presence_list');
    for (const method of ['touchNamespace', 'touchDevice', 'enqueueWithinLimits']) {
      parts.store.broken.add(method);
    }
    const again = await parts.agent(keys);
    await again.next('auth_ok');
    const socket = await parts.client(device);
    await socket.next('auth_ok');
    expect((await socket.next('message')).ciphertext).toEqual(ciphertext);
    expect(parts.events).toContainEqual({ event: 'store_failed', operation: 'touch', code: 'unavailable' });
    const stranger = await parts.agent();
    expect((await stranger.next('auth_error')).code).toBe('unavailable');
  });

  it('refuses a queued message with unavailable; the connection stays and later ones are taken', async () => {
    const parts = await scene();
    const { agent, device } = await agentWithDevice(parts);
    const ciphertext = new Uint8Array(32);
    const message = { type: 'message' as const, ciphertext, nonce: new Uint8Array(12), live: false };
    parts.store.broken.add('enqueueWithinLimits');
    agent.hear({ ...message, peer: device.keys.publicKey });
    expect((await agent.next('error')).code).toBe('unavailable');
    parts.store.broken.clear();
    agent.hear({ ...message, peer: device.keys.publicKey });
    agent.hear({ type: 'presence_request' });
    await agent.next('presence_list');
    expect((await parts.store.stats()).messages).toBe(1);
    expect(agent.closed).toBeUndefined();
  });

  it.each(['applyAuthorize', 'openPairingWindow', 'closePairingWindow'])(
    'in %s is answered with unavailable, and the connection stays',
    async (method) => {
      const parts = await scene();
      const agent = await parts.agent();
      await agent.next('auth_ok');
      parts.store.broken.add(method);
      const frames: Record<string, RelayFrame> = {
        applyAuthorize: { type: 'authorize', clients: [] },
        openPairingWindow: { type: 'pairing_start', pairingToken: new Uint8Array(32), ttl: 0 },
        closePairingWindow: { type: 'pairing_stop' },
      };
      agent.hear(frames[method] as RelayFrame);
      expect((await agent.next('error')).code).toBe('unavailable');
      expect(agent.closed).toBeUndefined();
    },
  );

  it('ends a connection whose queue cannot be read, so that the peer comes again', async () => {
    const parts = await scene();
    parts.store.broken.add('takeUnproven');
    const agent = await parts.agent();
    await agent.next('auth_ok');
    expect((await agent.next('error')).code).toBe('unavailable');
    expect(agent.closed).toBe(1013);
  });
});

describe('a connection before its login', () => {
  it('may not come in more than so many pieces', async () => {
    const parts = await scene();
    const socket = parts.connect();
    await socket.next('challenge');
    for (let i = 0; i < MAX_READS_BEFORE_LOGIN; i++) socket.listener?.onRead(1);
    expect(socket.closed).toBeUndefined();
    socket.listener?.onRead(1);
    expect((await socket.next('auth_error').catch(() => undefined))?.code).toBe('bad_request');
    expect(socket.closed).toBe(1008);
  });

  it('is read no more once it sent too much, and dropped a moment later', async () => {
    const parts = await scene();
    const socket = parts.connect();
    await socket.next('challenge');
    socket.listener?.onRead(70_000);
    expect(socket.closed).toBe(1008);
    expect(socket.paused).toBe(true);
    parts.clock.advance(1_000);
    expect(socket.terminated).toBe(true);
  });
});

describe('a peer that asks and does not read', () => {
  it('is closed with 4004 once its answers fill the buffer', async () => {
    const parts = await scene();
    const agent = await parts.agent();
    await agent.next('auth_ok');
    agent.bufferedBytes = 1024 * 1024 + 64 * 1024 + 1;
    agent.hear({ type: 'presence_request' });
    await agent.next('presence_list');
    expect(agent.closed).toBe(4004);
  });

  it('may not pile up pongs either', async () => {
    const parts = await scene();
    const agent = await parts.agent();
    await agent.next('auth_ok');
    agent.bufferedBytes = 1024 * 1024 + 64 * 1024;
    agent.listener?.onPing(new Uint8Array(8));
    expect(agent.closed).toBeUndefined();
    agent.bufferedBytes++;
    agent.listener?.onPing(new Uint8Array(8));
    expect(agent.closed).toBe(4004);
  });
});

describe('stopping', () => {
  it('drops who does not say goodbye within 5 s', async () => {
    const parts = await scene();
    const agent = await parts.agent();
    await agent.next('auth_ok');
    let isStopped = false;
    const stopped = relay.stop().then(() => {
      isStopped = true;
    });
    expect(agent.closed).toBe(1001);
    parts.clock.advance(4_999);
    await new Promise(setImmediate);
    expect(isStopped).toBe(false);
    parts.clock.advance(1);
    await stopped;
    expect(agent.terminated).toBe(true);
  });

  it('lets nobody in any more', async () => {
    await scene();
    await relay.stop();
    expect(relay.admit('192.0.2.1')).toEqual({ refused: 'stopping', retryAfterSeconds: 1 });
  });
});

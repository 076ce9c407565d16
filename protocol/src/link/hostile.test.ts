import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { MemoryPeerStore, type MemoryTx } from '../../../test/support/link/memory-peer-store.js';
import { makePeers } from '../../../test/support/link/peers.js';
import { VirtualTime } from '../../../test/support/link/virtual-time.js';
import { encodeFrame, type RelayFrame } from '../frames/index.js';
import type { SocketEvents } from '../platform/platform.js';
import { openLinkIn } from './link.js';
import type { LinkOptions } from './link.types.js';
import { LINK } from './link-limits.js';
import { platformRuntime } from './runtime.js';

const peers = await makePeers();

/** A link whose relay is this test: it feeds events into the socket and sees nothing of what is sent. */
async function linkToNowhere() {
  const time = new VirtualTime();
  let events: SocketEvents | undefined;
  const sent: Uint8Array[] = [];
  const seen = { bufferedBytes: 0, pongs: 0 };
  const options: LinkOptions<MemoryTx> = {
    relayUrl: 'wss://relay.example',
    identity: peers.agent.identity,
    store: new MemoryPeerStore(),
    binding: 'original',
    handler: { channelsOf: () => [peers.atAgent], onPayload: () => undefined },
  };
  const link = openLinkIn(options, {
    ...platformRuntime,
    now: time.now,
    setTimer: time.setTimer,
    openSocket: (_, listener) => {
      events = listener;
      return {
        canPing: true,
        get bufferedBytes() {
          return seen.bufferedBytes;
        },
        send: (data) => void sent.push(data),
        ping: () => undefined,
        pong: () => void seen.pongs++,
        close: () => undefined,
        terminate: () => undefined,
      };
    },
  });
  link.start();
  if (!events) throw new Error('nothing was dialled');
  return { link, time, sent, seen, events };
}

const settled = () => new Promise<void>((resolve) => setImmediate(resolve));

async function loggedIn() {
  const test = await linkToNowhere();
  test.events.onOpen();
  test.events.onMessage(encodeFrame({ type: 'challenge', nonce: new Uint8Array(32) }));
  while (test.sent.length === 0) await settled();
  test.events.onMessage(
    encodeFrame({ type: 'auth_ok', namespaceId: peers.namespaceId, capabilities: ['window'] }),
  );
  expect(test.link.state.phase).toBe('online');
  return test;
}

const bytes = fc.uint8Array({ maxLength: 64 });
const text = fc.oneof(
  fc.constantFrom('bad_request', 'unavailable', '__proto__', 'constructor', ''),
  fc.string(),
);
const frame: fc.Arbitrary<RelayFrame> = fc.oneof(
  fc.record({ type: fc.constant('challenge' as const), nonce: bytes }),
  fc.record({ type: fc.constant('auth_ok' as const), namespaceId: bytes, capabilities: fc.array(text) }),
  fc.record({ type: fc.constant('auth_error' as const), code: text, message: text }),
  fc.record({ type: fc.constant('error' as const), code: text, message: text }),
  fc.record({ type: fc.constant('authorize_ok' as const), authorized: fc.nat() }),
  fc.record({ type: fc.constant('presence_list' as const), online: fc.array(bytes) }),
  fc.record({ type: fc.constant('presence_event' as const), pubkey: bytes, status: fc.nat(9) }),
  fc.record({ type: fc.constant('peer_offline' as const), peer: bytes }),
  fc.record({
    type: fc.constant('client_paired' as const),
    clientEd25519Pub: bytes,
    clientX25519Pub: bytes,
    platform: fc.nat(9),
    window: bytes,
  }),
  fc.record({
    type: fc.constant('message' as const),
    ciphertext: bytes,
    nonce: fc.uint8Array({ minLength: 12, maxLength: 12 }),
    peer: fc.uint8Array({ minLength: 32, maxLength: 32 }),
    live: fc.boolean(),
  }),
);

const event = fc.oneof(
  { weight: 6, arbitrary: frame.map((f) => (e: SocketEvents) => e.onMessage(encodeFrame(f))) },
  { weight: 2, arbitrary: bytes.map((b) => (e: SocketEvents) => e.onMessage(b)) },
  { weight: 1, arbitrary: fc.constant((e: SocketEvents) => e.onMessage(undefined)) },
  { weight: 1, arbitrary: bytes.map((b) => (e: SocketEvents) => e.onPing(b)) },
  { weight: 1, arbitrary: bytes.map((b) => (e: SocketEvents) => e.onPong(b)) },
);

describe('a hostile relay', () => {
  it.each([
    ['before the login', linkToNowhere],
    ['after it', loggedIn],
  ])('crashes nobody and gets nothing out of a peer, %s', async (_, start) => {
    await fc.assert(
      fc.asyncProperty(fc.array(event, { maxLength: 20 }), async (script) => {
        const { link, events, sent } = await start();
        const before = sent.length;
        for (const act of script) act(events);
        await settled();
        // At most the one answer to a challenge.
        expect(sent.length - before).toBeLessThanOrEqual(1);
        expect(['connecting', 'online', 'waiting']).toContain(link.state.phase);
        const closing = link.close();
        events.onClose({ code: 1006, reason: '' });
        await closing;
        expect(link.state.phase).toBe('closed');
      }),
      { numRuns: 60 },
    );
  });

  it('that pings without end has its pings bounded', async () => {
    const { link, events } = await loggedIn();
    for (let i = 0; i < 2000; i++) events.onPing(new Uint8Array(125));
    expect(link.state).toMatchObject({ phase: 'waiting', problem: { code: 'too_slow' } });
  });

  it('that pings now and then and never reads is given up', async () => {
    const { link, events, seen } = await loggedIn();
    const ping = async (times: number) => {
      for (let i = 0; i < times; i++) {
        events.onPing(new Uint8Array(0));
        if (i % 100 === 0) await settled();
      }
      await settled();
    };
    await ping(LINK.maxWaitingPongs + 1);
    expect(link.state.phase).toBe('online');
    seen.bufferedBytes = 6;
    await ping(LINK.maxWaitingPongs - 1);
    expect(link.state.phase).toBe('online');
    const { pongs } = seen;
    await ping(1);
    expect(link.state).toMatchObject({ phase: 'waiting', problem: { code: 'too_slow' } });
    expect(seen.pongs).toBe(pongs);
  });

  it('leaves no timer behind when the link is closed', async () => {
    const { link, time, events } = await loggedIn();
    await link.close();
    events.onClose({ code: 1000, reason: '' });
    expect(time.due).toEqual([]);
  });
});

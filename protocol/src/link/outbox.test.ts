import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { again, closeLinksAfterEach, made, online, opened } from '../../../test/support/link/online-links.js';
import { CLOSE, WIRE } from '../frames/index.js';
import { LINK, OUTBOX_LIMIT } from './link-limits.js';

closeLinksAfterEach();

describe('a queued message', () => {
  it('is sealed, padded and stored at once, with or without a connection', async () => {
    const { link, peers, store, time } = await made();
    const id = await link.queue(peers.atAgent, { n: 1 }, { push: Uint8Array.of(1), ttlMs: 5000 });
    const [row] = store.rows;
    expect(row).toMatchObject({
      id,
      peer: peers.device.hex,
      push: Uint8Array.of(1),
      expiresAt: time.now() + 5000,
    });
    expect(row?.ciphertext.length).toBe(512 + 16);
  });

  it('is kept seven days unless it says otherwise', async () => {
    const { link, peers, store, time } = await made();
    await link.queue(peers.atAgent, {});
    expect(store.rows[0]?.expiresAt).toBe(time.now() + 7 * 86_400_000);
  });

  it('goes out in order behind onOnline, live false, with neither ref nor push, and leaves once a ping proved it', async () => {
    const order: string[] = [];
    const test = await made({
      handler: { onOnline: async () => void order.push(`authorized ${await test.link.authorize([])}`) },
    });
    const { link, peers, store, relay } = test;
    await link.queue(peers.atAgent, { n: 1 }, { push: Uint8Array.of(1) });
    await link.queue(peers.atAgent, { n: 2 });
    link.start();
    const side = await relay.loggedIn();
    await side.take('authorize');
    side.send({ type: 'authorize_ok', authorized: 1 });
    const first = await side.take('message');
    order.push('first');
    expect(first).toMatchObject({ live: false, peer: peers.device.keys.ed25519Public });
    expect(first.ref ?? first.push).toBeUndefined();
    expect(await opened(peers, first)).toEqual({ n: 1 });
    expect(await opened(peers, await side.take('message'))).toEqual({ n: 2 });
    await link.flushed();
    expect(store.rows).toEqual([]);
    expect(order).toEqual(['authorized 1', 'first']);
  });

  it('lost with its connection goes again, byte for byte, before anything new', async () => {
    const test = await online();
    const { link, peers } = test;
    test.side.answersPings = false;
    await link.queue(peers.atAgent, { n: 1 });
    const lost = await test.side.take('message');
    await link.queue(peers.atAgent, { n: 2 });
    test.side.close();
    const side = await again(test);
    expect(await side.take('message')).toEqual(lost);
    expect(await opened(peers, await side.take('message'))).toEqual({ n: 2 });
  });

  it('left by an earlier process goes too, and flushed waits for it', async () => {
    const test = await made();
    const { nonce, ciphertext } = await test.peers.atAgent.sealed.seal(1, new Uint8Array(16));
    await test.store.enqueue({
      peer: test.peers.device.hex,
      nonce,
      ciphertext,
      expiresAt: test.time.now() + 1,
    });
    const flushed = test.link.flushed();
    test.link.start();
    const side = await test.relay.loggedIn();
    await side.take('message');
    await flushed;
    expect(test.store.rows).toEqual([]);
  });

  it('more than a page of them left by an earlier process go all the same', async () => {
    const test = await made();
    const { nonce, ciphertext } = await test.peers.atAgent.sealed.seal(1, new Uint8Array(16));
    for (let i = 0; i <= LINK.outboxPageRows; i++) {
      await test.store.enqueue({
        peer: test.peers.device.hex,
        nonce,
        ciphertext,
        expiresAt: test.time.now() + 1,
      });
    }
    test.link.start();
    await test.relay.loggedIn();
    await test.link.flushed();
    expect(test.store.rows).toEqual([]);
  });

  it('that expired is dropped unsent, as is one for no peer at all', async () => {
    const { link, peers, store, time, relay } = await made();
    const { nonce, ciphertext } = await peers.atAgent.sealed.seal(1, new Uint8Array(16));
    await store.enqueue({ peer: 'nobody', nonce, ciphertext, expiresAt: time.now() + 5000 });
    await link.queue(peers.atAgent, { n: 1 }, { ttlMs: 1000 });
    time.advance(1000);
    await link.queue(peers.atAgent, { n: 2 });
    link.start();
    const side = await relay.loggedIn();
    expect(await opened(peers, await side.take('message'))).toEqual({ n: 2 });
    await link.flushed();
    expect(side.untaken).toEqual([]);
    expect(store.rows).toEqual([]);
  });

  it('removed from the store by its owner is not sent', async () => {
    const { link, peers, store, relay } = await made();
    const id = await link.queue(peers.atAgent, { n: 1 });
    await link.queue(peers.atAgent, { n: 2 });
    await store.outboxRemove([id]);
    link.start();
    const side = await relay.loggedIn();
    expect(await opened(peers, await side.take('message'))).toEqual({ n: 2 });
  });

  it('too large is refused before a counter is spent', async () => {
    const { link, peers, store } = await made();
    const text = 'x'.repeat(WIRE.maxQueuedCiphertextBytes);
    await expect(link.queue(peers.atAgent, { text })).rejects.toMatchObject({ code: 'payload_too_large' });
    expect(store.reservations).toEqual([]);
    await link.queue(peers.atAgent, { text: 'x'.repeat(61_440 - 2 - '{"text":""}'.length) });
    expect(store.rows[0]?.ciphertext.length).toBe(WIRE.maxQueuedCiphertextBytes);
  });

  it('beyond what the outbox may hold is refused', async () => {
    const { link, peers, store } = await made();
    const { nonce, ciphertext } = await peers.atAgent.sealed.seal(1, new Uint8Array(16));
    store.rows = Array.from({ length: OUTBOX_LIMIT }, (_, id) => ({
      id,
      peer: '',
      nonce,
      ciphertext,
      expiresAt: 0,
    }));
    await expect(link.queue(peers.atAgent, {})).rejects.toMatchObject({ code: 'queue_full' });
  });

  it('that is no JSON, or for no peer, is a bug of the host', async () => {
    const { link, peers } = await made();
    await expect(link.queue(peers.atAgent, { n: 1n })).rejects.toMatchObject({ code: 'invalid_request' });
    await expect(link.queue({ ...peers.atAgent, peer: 'x' }, {})).rejects.toMatchObject({
      code: 'invalid_request',
    });
  });
});

describe('whatever the relay does', () => {
  it('every queued message arrives, in order for its peer', async () => {
    const step = fc.constantFrom('take', 'refuse', 'lose');
    await fc.assert(
      fc.asyncProperty(fc.array(step, { maxLength: 12 }), async (script) => {
        const test = await made();
        const { link, peers, relay, time, store } = test;
        for (let n = 0; n < 4; n++) await link.queue(peers.atAgent, { n });
        const stored: unknown[] = [];
        const ticking = setInterval(() => time.advance(1000), 1);
        link.start();
        const serve = async () => {
          for (;;) {
            const side = await relay.loggedIn();
            for (;;) {
              const message = await Promise.race([side.take('message'), side.closed]);
              if ('code' in message) break;
              const next = script.shift() ?? 'take';
              if (next === 'refuse') side.send({ type: 'error', code: 'queue_full', message: '' });
              else stored.push(await opened(peers, message));
              if (next === 'lose') side.close(CLOSE.goingAway);
            }
          }
        };
        void serve();
        await link.flushed();
        clearInterval(ticking);
        const first = [...new Map(stored.map((value) => [JSON.stringify(value), value])).values()];
        expect(first).toEqual([0, 1, 2, 3].map((n) => ({ n })));
        expect(store.rows).toEqual([]);
      }),
      { numRuns: 15 },
    );
  });
});

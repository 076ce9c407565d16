import { describe, expect, it } from 'vitest';
import {
  again,
  anotherChannel,
  closeLinksAfterEach,
  made,
  online,
  opened,
} from '../../../test/support/link/online-links.js';
import { toHex, WIRE } from '../frames/index.js';
import { deferred } from './async-tools.js';
import { LINK } from './link-limits.js';
import { type LinkRuntime, platformRuntime } from './runtime.js';

closeLinksAfterEach();

/** Sockets that say their buffer is full. */
function stuckSockets(): Pick<LinkRuntime, 'openSocket'> {
  return {
    openSocket: (...args) => {
      const socket = platformRuntime.openSocket(...args);
      return {
        canPing: true,
        bufferedBytes: LINK.maxSocketBufferBytes + 1,
        send: (data) => socket.send(data),
        ping: (data) => socket.ping(data),
        pong: (data) => socket.pong(data),
        close: (code, reason) => socket.close(code, reason),
        terminate: () => socket.terminate(),
      };
    },
  };
}

describe('a live message behind queued ones', () => {
  it('goes to the same peer only after them, and to another at once', async () => {
    const { link, peers, side } = await online();
    await side.pings.take();
    side.answersPings = false;
    const second = await anotherChannel();
    await link.queue(peers.atAgent, { n: 1 });
    await link.queue(peers.atAgent, { n: 2 });
    await side.take('message');
    const behind = link.sendLive(peers.atAgent, { live: true });
    expect(await link.sendLive(second, { live: true })).toBe('written');
    expect(toHex((await side.take('message')).peer)).toBe(second.peer);
    side.socket.pong(await side.pings.take());
    expect((await side.take('message')).live).toBe(false);
    expect(await behind).toBe('written');
    expect((await side.take('message')).live).toBe(true);
  });

  it('waits 2 s for them and no longer', async () => {
    const { link, peers, side, time } = await online();
    await side.pings.take();
    side.answersPings = false;
    await link.queue(peers.atAgent, { n: 1 });
    await link.queue(peers.atAgent, { n: 2 });
    await side.take('message');
    const behind = link.sendLive(peers.atAgent, { live: true });
    await time.untilDueIn(2000);
    time.advance(2000);
    expect(await behind).toBe('written');
  });

  it('waits for them also when the onOnline of an earlier connection ends late', async () => {
    const late = deferred();
    const ends = [late.promise];
    const test = await online({ handler: { onOnline: () => ends.shift() ?? Promise.resolve() } });
    const { link, peers } = test;
    test.side.close();
    const side = await again(test);
    await side.pings.take();
    side.answersPings = false;
    await link.queue(peers.atAgent, { n: 1 });
    await link.queue(peers.atAgent, { n: 2 });
    await side.take('message');
    late.resolve();
    await late.promise;
    const behind = link.sendLive(peers.atAgent, { live: true });
    side.socket.pong(await side.pings.take());
    expect((await side.take('message')).live).toBe(false);
    expect(await behind).toBe('written');
    expect((await side.take('message')).live).toBe(true);
  });

  it('does not wait in onOnline, before the queue is sent at all', async () => {
    const test = await made({
      handler: { onOnline: async () => void (await test.link.sendLive(test.peers.atAgent, { live: true })) },
    });
    await test.link.queue(test.peers.atAgent, { n: 1 });
    test.link.start();
    const side = await test.relay.loggedIn();
    expect((await side.take('message')).live).toBe(true);
    expect((await side.take('message')).live).toBe(false);
  });
});

describe('a live message', () => {
  it('is sealed without padding and written now', async () => {
    const { link, peers, side } = await online();
    expect(await link.sendLive(peers.atAgent, { n: 1 })).toBe('written');
    const message = await side.take('message');
    expect(message).toMatchObject({ live: true, peer: peers.device.keys.ed25519Public });
    expect(message.ciphertext.length).toBe(2 + '{"n":1}'.length + 16);
    expect(await opened(peers, message)).toEqual({ n: 1 });
  });

  it('without a connection spends no counter', async () => {
    const { link, peers, store } = await made();
    expect(await link.sendLive(peers.atAgent, {})).toBe('offline');
    expect(store.reservations).toEqual([]);
  });

  it('fits to the byte, or is too large', async () => {
    const { link, peers, side } = await online();
    const room = WIRE.maxLiveCiphertextBytes - 16 - 2 - '{"t":""}'.length;
    expect(await link.sendLive(peers.atAgent, { t: 'x'.repeat(room + 1) })).toBe('too_large');
    expect(await link.sendLive(peers.atAgent, { t: 'x'.repeat(room) })).toBe('written');
    expect((await side.take('message')).ciphertext.length).toBe(WIRE.maxLiveCiphertextBytes);
  });

  it('no more than 64 wait for room', async () => {
    const { link, peers } = await online({}, []);
    const sent = Array.from({ length: 10 + LINK.maxWaitingLive + 1 }, (_, i) =>
      link.sendLive(peers.atAgent, { i }),
    );
    expect(await sent.at(-1)).toBe('offline');
    await link.close();
    expect((await Promise.all(sent)).filter((result) => result === 'offline').length).toBeGreaterThan(0);
  });

  it('does not pile up behind a socket that takes nothing', async () => {
    const { link, peers, time } = await online({
      runtime: stuckSockets(),
    });
    const sent = link.sendLive(peers.atAgent, {});
    for (let waited = 0; waited < LINK.liveWaitMs; waited += LINK.socketBufferPollMs) {
      await time.untilDueIn(LINK.socketBufferPollMs);
      time.advance(LINK.socketBufferPollMs);
      await Promise.resolve();
    }
    expect(await sent).toBe('offline');
  });
});

describe('a live message towards a relay that names it', () => {
  const NAMES = ['ref', 'window'];

  it('carries a ref no outbox id can be, and its refusal finds it, once', async () => {
    const heard: string[] = [];
    const { link, peers, side } = await online(
      { handler: { onPeerOffline: () => void heard.push('peer') } },
      NAMES,
    );
    const undelivered = (name: string) => ({ undelivered: () => void heard.push(name) });
    await link.sendLive(peers.atAgent, { n: 1 }, undelivered('first'));
    await link.sendLive(peers.atAgent, { n: 2 }, undelivered('second'));
    const [first, second] = [await side.take('message'), await side.take('message')];
    expect(first.ref).toBeGreaterThanOrEqual(2n ** 63n);
    expect(second.ref).not.toBe(first.ref);
    const peer = peers.device.keys.ed25519Public;
    for (let n = 0; n < 2; n++) side.send({ type: 'peer_offline', peer, ref: first.ref });
    side.send({ type: 'error', code: 'not_found', message: '', ref: second.ref });
    await side.proof();
    expect(heard.sort()).toEqual(['first', 'peer', 'peer', 'second']);
  });

  it('a ref of another peer, or of none, finds nothing', async () => {
    const heard: string[] = [];
    const { link, peers, side } = await online({}, NAMES);
    await link.sendLive(peers.atAgent, {}, { undelivered: () => void heard.push('mine') });
    const { ref } = await side.take('message');
    side.send({ type: 'peer_offline', peer: new Uint8Array(32), ref });
    side.send({ type: 'peer_offline', peer: peers.device.keys.ed25519Public, ref: 1n });
    side.send({ type: 'peer_offline', peer: peers.device.keys.ed25519Public });
    await side.proof();
    expect(heard).toEqual([]);
  });

  it('is remembered for the newest 256, and one whose owner fails costs nothing', async () => {
    let heard = 0;
    const test = await online({}, NAMES);
    const undelivered = () => {
      heard++;
      throw new Error('the owner failed');
    };
    const refs: Array<bigint | undefined> = [];
    for (let n = 0; n <= LINK.maxRememberedLive; n++) {
      await test.link.sendLive(test.peers.atAgent, {}, { undelivered });
      refs.push((await test.side.take('message')).ref);
    }
    const peer = test.peers.device.keys.ed25519Public;
    for (const ref of refs) test.side.send({ type: 'peer_offline', peer, ref });
    await test.side.proof();
    expect(heard).toBe(LINK.maxRememberedLive);
    expect(test.link.state.phase).toBe('online');
  });

  it('a refusal of one is never taken for the answer to a request', async () => {
    const { link, peers, side } = await online({}, NAMES);
    await link.sendLive(peers.atAgent, {});
    const { ref } = await side.take('message');
    const asked = link.authorize([]);
    await side.take('authorize');
    side.send({ type: 'error', code: 'bad_request', message: '', ref });
    side.send({ type: 'authorize_ok', authorized: 0 });
    expect(await asked).toBe(0);
  });
});

import { describe, expect, it } from 'vitest';
import { again, closeLinksAfterEach, online } from '../../../test/support/link/online-links.js';
import { sealedBy, type TestPeers } from '../../../test/support/link/peers.js';
import { deferred } from './async-tools.js';
import { LINK } from './link-limits.js';

closeLinksAfterEach();

const fromDevice = ({ atDevice, device }: TestPeers, counter: number, payload: unknown, live = false) =>
  sealedBy(atDevice, device, counter, payload, live);

describe('what waits', () => {
  it('is bounded: a flood ends the connection instead of filling memory', async () => {
    const stuck = deferred();
    const test = await online({ handler: { channelsOf: () => stuck.promise.then(() => []) } });
    const message = await fromDevice(test.peers, 1, {});
    for (let i = 0; i < LINK.maxInboundItems + 2; i++) test.side.send(message);
    expect((await test.phase('waiting')).problem.code).toBe('too_slow');
    stuck.resolve();
  });

  it('is bounded in bytes too', async () => {
    const stuck = deferred();
    const test = await online({ handler: { channelsOf: () => stuck.promise.then(() => []) } });
    const message = { ...(await fromDevice(test.peers, 1, {}, true)), ciphertext: new Uint8Array(523_264) };
    const fits = Math.floor(LINK.maxInboundBytes / 523_264);
    for (let i = 0; i < fits + 2; i++) test.side.send(message);
    expect((await test.phase('waiting')).problem.code).toBe('too_slow');
    stuck.resolve();
  });

  it('a message above the size of a live frame ends the connection', async () => {
    const test = await online();
    test.side.sendBytes(new Uint8Array(512 * 1024 + LINK.inboundFrameSlackBytes + 1));
    expect((await test.phase('waiting')).problem.code).toBe('payload_too_large');
  });
});

describe('news of the relay', () => {
  it('pairings and presence reach the handler in order, with only what is well-formed', async () => {
    const news: unknown[] = [];
    const key = new Uint8Array(32).fill(5);
    const { side } = await online({
      handler: {
        onClientPaired: (paired) => void news.push(paired),
        onPresence: (peer, isOnline) => void news.push([peer, isOnline]),
        onPeerOffline: (peer) => void news.push(peer),
      },
    });
    const paired = {
      type: 'client_paired',
      clientEd25519Pub: key,
      clientX25519Pub: key,
      platform: 3,
    } as const;
    side.send({ ...paired, window: new Uint8Array(16) });
    side.send({ ...paired, window: new Uint8Array(15) });
    side.send({ ...paired, clientX25519Pub: new Uint8Array(31) });
    side.send({ type: 'presence_event', pubkey: key, status: 1 });
    side.send({ type: 'presence_event', pubkey: key, status: 2 });
    side.send({ type: 'presence_event', pubkey: key, status: 9 });
    side.send({ type: 'peer_offline', peer: key });
    side.send({ type: 'peer_offline', peer: new Uint8Array(3) });
    await side.proof();
    const device = { deviceEd25519: key, deviceX25519: key, platform: 3 };
    expect(news).toEqual([
      { ...device, window: new Uint8Array(16) },
      { ...device, window: undefined },
      ['05'.repeat(32), true],
      ['05'.repeat(32), false],
      '05'.repeat(32),
    ]);
  });

  it('a pairing that could not be stored comes again; one that never can is given up', async () => {
    const test = await online({ handler: { onClientPaired: () => Promise.reject(new Error('bug')) } });
    const key = new Uint8Array(32).fill(5);
    const paired = {
      type: 'client_paired',
      clientEd25519Pub: key,
      clientX25519Pub: key,
      platform: 3,
    } as const;
    let { side } = test;
    for (let attempt = 1; attempt < LINK.maxHandlerAttempts; attempt++) {
      side.send(paired);
      side = await again(test);
    }
    side.send(paired);
    await side.proof();
    expect(test.warnings).toContain('pairing_given_up');
  });

  it('a handler of presence that throws costs nothing', async () => {
    const { side, link } = await online({
      handler: {
        onPresence: () => {
          throw new Error('bug');
        },
      },
    });
    side.send({ type: 'presence_event', pubkey: new Uint8Array(32), status: 1 });
    await side.proof();
    expect(link.state.phase).toBe('online');
  });

  it('frames a peer has no use for are ignored, garbage ends the connection', async () => {
    const { side, link, phase } = await online();
    side.send({ type: 'empty' });
    side.send({ type: 'accepted', ref: 1n });
    side.send({ type: 'received', seq: 1n });
    side.send({ type: 'authorize_ok', authorized: 3 });
    side.send({ type: 'auth_ok', namespaceId: new Uint8Array(32), capabilities: ['ref'] });
    side.send({ type: 'challenge', nonce: new Uint8Array(32) });
    side.sendBytes('a text');
    await side.proof();
    expect(link.state.phase).toBe('online');
    expect([...link.capabilities]).toEqual(['window']);
    side.sendBytes(Uint8Array.of(0xff));
    expect((await phase('waiting')).problem.code).toBe('protocol');
  });
});

import { describe, expect, it } from 'vitest';
import { closeLinksAfterEach, online } from '../../../test/support/link/online-links.js';
import { sealedBy, type TestPeers } from '../../../test/support/link/peers.js';
import { counterFloor, frameBody } from '../e2e/index.js';
import { utf8 } from '../frames/index.js';
import { deferred } from './async-tools.js';

closeLinksAfterEach();

const fromDevice = ({ atDevice, device }: TestPeers, counter: number, payload: unknown, live = false) =>
  sealedBy(atDevice, device, counter, payload, live);

/** A message whose framed plaintext is exactly this. */
async function sealedRaw({ atDevice, device }: TestPeers, counter: number, framed: Uint8Array) {
  const { nonce, ciphertext } = await atDevice.sealed.seal(counter, framed);
  return { type: 'message', nonce, ciphertext, peer: device.keys.ed25519Public, live: false } as const;
}

describe('what arrives', () => {
  it('is opened, parsed and applied in order, with where it came from', async () => {
    const { side, peers, received, store } = await online();
    side.send(await fromDevice(peers, 7, { n: 1 }));
    side.send(await fromDevice(peers, 8, { n: 2 }, true));
    await side.proof();
    expect(store.applied).toEqual([{ n: 1 }, { n: 2 }]);
    expect(received.map(({ counter, live, channel }) => [counter, live, channel.id])).toEqual([
      [7, false, peers.atAgent.id],
      [8, true, peers.atAgent.id],
    ]);
  });

  it('goes to the first channel that opens it', async () => {
    const other = await import('../../../test/support/link/peers.js').then(({ makePeers }) => makePeers(3));
    const { side, peers, received } = await online({
      handler: { channelsOf: (): TestPeers['atAgent'][] => [other.atAgent, channels.right] },
    });
    const channels = { right: peers.atAgent };
    side.send(await fromDevice(peers, 1, { n: 1 }));
    await side.proof();
    expect(received[0]?.channel).toBe(peers.atAgent);
  });

  it('is confirmed only when durable: the pong waits behind the transaction and what follows it', async () => {
    const steps: string[] = [];
    const durable = deferred();
    const shown = deferred();
    const test = await online({
      handler: {
        onPayload: () => ({
          apply: () => void steps.push('applied'),
          after: async (verdict) => {
            steps.push(`after ${verdict}`);
            await shown.promise;
          },
        }),
      },
    });
    test.store.before = (operation) => (operation === 'receive' ? durable.promise : undefined);
    test.side.send(await fromDevice(test.peers, 1, {}));
    const proof = test.side.proof().then(() => steps.push('pong'));
    test.side.send({ type: 'presence_list', online: [] });
    await test.side.pings.take();
    expect(steps).toEqual([]);
    durable.resolve();
    await new Promise<void>((resolve) => setImmediate(resolve));
    shown.resolve();
    await proof;
    expect(steps).toEqual(['applied', 'after new', 'pong']);
  });

  it('twice applies once, and tells the effect so', async () => {
    const verdicts: string[] = [];
    const { side, peers, link } = await online({
      handler: {
        onPayload: () => ({ apply: (_, v) => void verdicts.push(v), after: (v) => void verdicts.push(v) }),
      },
    });
    const message = await fromDevice(peers, 5, {});
    side.send(message);
    side.send(message);
    await side.proof();
    expect(verdicts).toEqual(['new', 'new', 'duplicate', 'duplicate']);
    expect(link.dropped).toEqual({ duplicate: 1 });
  });

  it('is marked as seen even when the handler wants nothing of it', async () => {
    const { side, peers, link } = await online({ handler: { onPayload: () => undefined } });
    const message = await fromDevice(peers, 5, {});
    side.send(message);
    side.send(message);
    await side.proof();
    expect(link.dropped).toEqual({ duplicate: 1 });
  });
});

describe('what has no effect is counted and confirmed', () => {
  it.each([
    ['no JSON', utf8('\u0001\u0000{nonsense'), 'malformed'],
    ['JSON that is no object', frameBody('[1]', 'none'), 'malformed'],
    ['a duplicate key', frameBody('{"a":1,"a":2}', 'none'), 'malformed'],
    ['a __proto__ key', frameBody('{"__proto__":{}}', 'none'), 'malformed'],
    ['nothing at all', new Uint8Array(), 'malformed'],
    ['another version', Uint8Array.of(2, 0, 123, 125), 'version'],
    ['another compression', Uint8Array.of(1, 9, 123, 125), 'compression'],
    ['a broken stream', Uint8Array.of(1, 1, 0xff, 0xff), 'malformed'],
  ])('%s', async (_, framed, reason) => {
    const { side, peers, link, received } = await online();
    side.send(await sealedRaw(peers, 1, framed));
    await side.proof();
    expect(link.dropped).toEqual({ [reason]: 1 });
    expect(received).toEqual([]);
  });

  it('a changed byte, a nonce of the wrong direction, a stranger, wrong lengths', async () => {
    const { side, peers, link, received } = await online();
    const message = await fromDevice(peers, 1, {});
    const changed = message.ciphertext.slice();
    changed[0] = (changed[0] ?? 0) ^ 1;
    side.send({ ...message, ciphertext: changed });
    const own = await peers.atAgent.sealed.seal(1, frameBody('{}', 'none'));
    side.send({ ...message, ...own });
    side.send({ ...message, peer: new Uint8Array(32).fill(7) });
    side.send({ ...message, peer: new Uint8Array(31) });
    side.send({ ...message, nonce: new Uint8Array(11) });
    side.send({ ...message, ciphertext: new Uint8Array(15) });
    await side.proof();
    expect(link.dropped).toEqual({ undecryptable: 2, unknown_peer: 1, malformed: 3 });
    expect(received).toEqual([]);
  });

  it('a counter that fell out of the window, and its effect does not run', async () => {
    const { side, peers, link, received } = await online();
    const epoch = counterFloor(1_800_000_000_000);
    side.send(await fromDevice(peers, epoch + 5000, {}));
    side.send(await fromDevice(peers, epoch + 1, {}));
    await side.proof();
    expect(received.map(({ counter }) => counter)).toEqual([epoch + 5000]);
    expect(link.dropped).toEqual({ outside_window: 1 });
  });
});

/** Messages that are named and confirmed (`ref`, `received`), between links and the real relay. */
import type { LinkHandler } from '@countersign/protocol/link';
import { describe, expect, it } from 'vitest';
import { cuttingProxy } from '../support/link/cutting-proxy.js';
import type { MemoryTx } from '../support/link/memory-peer-store.js';
import { cleanUpAfterEach, cleanups, pairedSides, relayWith, sideOf } from '../support/link/relay-sides.js';

cleanUpAfterEach();

/** Numerical Recipes' linear congruential generator: the same numbers for the same seed. */
function numbers(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state / 2 ** 32;
  };
}

describe('connections cut anywhere', () => {
  it.each([1, 2])('lose nothing, double nothing and keep the order (seed %i)', async (seed) => {
    const relay = await relayWith();
    const { peers, agent, device } = await pairedSides(relay);
    await agent.link.close();
    await device.link.close();
    const random = numbers(seed);
    // To the relay a login takes about 500 bytes; a message in its smallest class about 600 bytes.
    const proxy = await cuttingProxy(relay.port, () => 1000 + Math.floor(random() * 12_000));
    cleanups.push(() => proxy.close());
    const through = { relayUrl: proxy.url, binding: 'original' as const };
    const sender = sideOf(relay, peers.agent, peers.atAgent, { ...through, store: agent.store });
    const receiver = sideOf(relay, peers.device, peers.atDevice, { ...through, store: device.store });
    const impatient = setInterval(() => {
      sender.link.retryNow();
      receiver.link.retryNow();
    }, 20);
    cleanups.push(() => clearInterval(impatient));
    const count = 80;
    for (let n = 0; n < count; n++) await sender.link.queue(peers.atAgent, { n });
    for (let n = 0; n < count / 4; n++) await receiver.link.queue(peers.atDevice, { n });
    for (let n = 0; n < count; n++) expect(await receiver.received()).toEqual({ n });
    for (let n = 0; n < count / 4; n++) expect(await sender.received()).toEqual({ n });
    await Promise.all([sender.link.flushed(), receiver.link.flushed()]);
    expect(proxy.cuts).toBeGreaterThan(3);
    expect(sender.store.rows).toEqual([]);
    expect(receiver.store.rows).toEqual([]);
  });
});

describe('a device that withholds', () => {
  it('gets that message and those behind it again at its next login, and none that it confirmed', async () => {
    const relay = await relayWith();
    const { peers, agent, device } = await pairedSides(relay);
    await device.link.close();
    await agent.heard('offline');
    const seen: unknown[] = [];
    let arrived: () => void = () => undefined;
    const on: Partial<LinkHandler<MemoryTx>> = {
      onPayload: ({ payload: { n } }) => ({
        apply: (_, verdict) => void seen.push([n, verdict]),
        after: () => arrived(),
        withheld: () => (n === 2 ? { until: new Promise(() => undefined) } : undefined),
      }),
    };
    const untilSeen = async (count: number) => {
      while (seen.length < count) await new Promise<void>((resolve) => (arrived = resolve));
    };
    const first = sideOf(relay, peers.device, peers.atDevice, { store: device.store, on });
    await agent.link.queue(peers.atAgent, { n: 1 });
    await untilSeen(1);
    await first.link.presence();
    for (const n of [2, 3]) await agent.link.queue(peers.atAgent, { n });
    await untilSeen(3);
    await first.link.close();
    sideOf(relay, peers.device, peers.atDevice, { store: device.store, on });
    await untilSeen(5);
    expect(seen).toEqual([
      [1, 'new'],
      [2, 'new'],
      [3, 'new'],
      [2, 'duplicate'],
      [3, 'duplicate'],
    ]);
  });
});

describe('a live message to a device that is away', () => {
  it('is told to be undelivered itself, and no other', async () => {
    const { peers, agent, device } = await pairedSides(await relayWith());
    const undelivered: number[] = [];
    const send = (n: number) =>
      agent.link.sendLive(peers.atAgent, { n }, { undelivered: () => void undelivered.push(n) });
    await send(1);
    expect(await device.received()).toEqual({ n: 1 });
    await device.link.close();
    await agent.heard('offline');
    await send(2);
    await agent.heard('peer_offline');
    await agent.link.presence();
    expect(undelivered).toEqual([2]);
  });
});

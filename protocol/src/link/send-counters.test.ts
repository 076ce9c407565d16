import { describe, expect, it } from 'vitest';
import { closeLinksAfterEach, made, online } from '../../../test/support/link/online-links.js';
import { counterFloor } from '../e2e/index.js';

closeLinksAfterEach();

const counterOf = ({ nonce }: { nonce: Uint8Array }) =>
  Number(new DataView(nonce.buffer, nonce.byteOffset).getBigUint64(4));

describe('send counters', () => {
  it('begin at the clock, come in blocks of 64, and are never used twice, live and queued together', async () => {
    const { link, peers, side, store, time } = await online();
    const work = Array.from({ length: 70 }, (_, i) =>
      i % 2 ? link.sendLive(peers.atAgent, { i }) : link.queue(peers.atAgent, { i }),
    );
    await Promise.all(work);
    await link.flushed();
    const counters = new Set<number>();
    for (let i = 0; i < 70; i++) counters.add(counterOf(await side.take('message')));
    expect(counters.size).toBe(70);
    expect(Math.min(...counters)).toBe(counterFloor(time.now()));
    expect(store.reservations.map(({ count }) => count)).toEqual([64, 64]);
  });

  it('reserved and unused before a crash are skipped, and the clock counts at process start only', async () => {
    const { link, peers, store, time } = await made();
    const floor = counterFloor(time.now());
    store.highWater.set(peers.atAgent.id, floor + 99);
    for (let i = 0; i < 65; i++) {
      time.sleep(60_000);
      await link.queue(peers.atAgent, {});
    }
    const later = counterFloor(time.now() - 64 * 60_000);
    expect(store.reservations.map(({ first }) => first)).toEqual([later, later + 64]);
  });

  it('are high-water plus one when the clock is behind', async () => {
    const { link, peers, store } = await made();
    store.highWater.set(peers.atAgent.id, 2 ** 52);
    await link.queue(peers.atAgent, {});
    expect(counterOf(store.rows[0] as never)).toBe(2 ** 52 + 1);
  });

  it('a store that gives them out below their floor is corrupt, and nothing is sealed', async () => {
    const { link, peers, store } = await made();
    store.reserveCounters = async () => 5;
    await expect(link.queue(peers.atAgent, {})).rejects.toMatchObject({ code: 'state_corrupt' });
    expect(store.rows).toEqual([]);
  });

  it('a failed enqueue loses one counter and nothing else', async () => {
    const { link, peers, store } = await made();
    let failures = 1;
    store.before = (operation) => {
      if (operation === 'enqueue' && failures-- > 0) throw new Error('disk');
    };
    await expect(link.queue(peers.atAgent, { n: 1 })).rejects.toThrow('disk');
    await link.queue(peers.atAgent, { n: 2 });
    expect(store.rows).toHaveLength(1);
    expect(counterOf(store.rows[0] as never)).toBe((store.reservations[0]?.first ?? 0) + 1);
  });
});

import { describe, expect, it } from 'vitest';
import { again, closeLinksAfterEach, online } from '../../../test/support/link/online-links.js';
import { sealedBy, type TestPeers } from '../../../test/support/link/peers.js';
import { CountersignError } from '../frames/index.js';
import { deferred } from './async-tools.js';
import { LINK } from './link-limits.js';

closeLinksAfterEach();

const fromDevice = ({ atDevice, device }: TestPeers, counter: number, payload: unknown, live = false) =>
  sealedBy(atDevice, device, counter, payload, live);

describe('a handler that fails', () => {
  it('leaves the message unconfirmed: the connection ends and it comes again', async () => {
    let failures = 1;
    const test = await online({
      handler: {
        onPayload: (incoming) => ({
          apply(tx) {
            tx.applied.push(incoming.payload);
            if (failures-- > 0) throw new Error('bug');
          },
        }),
      },
    });
    const message = await fromDevice(test.peers, 1, { n: 1 });
    test.side.send(message);
    test.side.send(await fromDevice(test.peers, 2, { n: 2 }));
    expect((await test.phase('waiting')).problem.code).toBe('local_failure');
    expect(test.store.applied).toEqual([]);
    const side = await again(test);
    side.send(message);
    await side.proof();
    expect(test.store.applied).toEqual([{ n: 1 }]);
    expect(test.warnings).toEqual(['handler_failed']);
  });

  it('drops a poisonous message after five attempts and goes on', async () => {
    const test = await online({
      handler: {
        onPayload: ({ payload }) => {
          if (payload.poison) throw new Error('bug');
          return { apply: (tx) => void tx.applied.push(payload) };
        },
      },
    });
    const message = await fromDevice(test.peers, 1, { poison: true });
    let { side } = test;
    for (let attempt = 1; attempt < LINK.maxHandlerAttempts; attempt++) {
      side.send(message);
      side = await again(test);
    }
    side.send(message);
    side.send(await fromDevice(test.peers, 2, { n: 2 }));
    await side.proof();
    expect(test.store.applied).toEqual([{ n: 2 }]);
    expect(test.link.dropped).toEqual({ handler_failed: 1 });
    expect(test.warnings).toContain('message_given_up');
  });

  it.each([
    ['a store that throws anything', new Error('anything'), 'store'],
    ['a full disk', new CountersignError('storage_full', 'full'), 'handler'],
    ['a busy database', Object.assign(new Error('busy'), { code: 'SQLITE_BUSY' }), 'handler'],
    ['a quota', Object.assign(new Error('quota'), { name: 'QuotaExceededError' }), 'handler'],
  ])('never costs a message for %s', async (_, error, where) => {
    let broken = true;
    const failing = () => {
      if (broken) throw error;
      return undefined;
    };
    const test = await online(where === 'handler' ? { handler: { onPayload: failing } } : {});
    if (where === 'store')
      test.store.before = (operation) => (operation === 'receive' ? failing() : undefined);
    const message = await fromDevice(test.peers, 1, { n: 1 });
    let { side } = test;
    for (let attempt = 0; attempt < LINK.maxHandlerAttempts + 2; attempt++) {
      side.send(message);
      side = await again(test);
    }
    broken = false;
    side.send(message);
    await side.proof();
    expect(test.link.dropped).toEqual({});
  });

  it('costs a live message at once, which nobody would deliver again, and no connection', async () => {
    const { side, peers, link } = await online({
      handler: {
        onPayload: () => {
          throw new Error('bug');
        },
      },
    });
    side.send(await fromDevice(peers, 1, {}, true));
    await side.proof();
    expect(link.state.phase).toBe('online');
    expect(link.dropped).toEqual({ handler_failed: 1 });
  });

  it('where pongs go out by themselves, what arrived behind the failure is still dealt with', async () => {
    const test = await online({
      cannotPing: true,
      handler: {
        onPayload: ({ payload }) => {
          if (payload.n === 1) throw new Error('bug');
          return { apply: (tx) => void tx.applied.push(payload) };
        },
      },
    });
    const first = deferred();
    test.store.before = (operation) => (operation === 'receive' ? first.resolve() : undefined);
    test.side.send(await fromDevice(test.peers, 1, { n: 1 }));
    test.side.send(await fromDevice(test.peers, 2, { n: 2 }));
    await first.promise;
    await test.phase('waiting');
    await new Promise<void>((resolve) => setImmediate(resolve));
    expect(test.store.applied).toEqual([{ n: 2 }]);
  });
});

import { afterEach, describe, expect, it } from 'vitest';
import type { RelaySide } from '../../../test/support/link/fake-relay.js';
import { type TestLink, type TestLinkOptions, testLink } from '../../../test/support/link/test-link.js';
import { CountersignError } from '../frames/index.js';
import { LINK } from './link-limits.js';

const open: TestLink[] = [];

async function online(options: TestLinkOptions = {}): Promise<TestLink & { side: RelaySide }> {
  const test = await testLink(options);
  open.push(test);
  test.link.start();
  const side = await test.relay.loggedIn();
  await test.phase('online');
  return { ...test, side };
}

afterEach(async () => {
  await Promise.all(open.splice(0).map((test) => test.stop()));
});

describe('what an agent asks its relay', () => {
  it('is answered: how many were authorized, the window and its end, who is there', async () => {
    const { link, side } = await online();
    const keys = [new Uint8Array(32).fill(1), new Uint8Array(32).fill(2)];
    const authorized = link.authorize(keys);
    expect((await side.take('authorize')).clients).toEqual(keys);
    side.send({ type: 'authorize_ok', authorized: 2 });
    expect(await authorized).toBe(2);

    const token = new Uint8Array(32).fill(3);
    const ready = link.pairingStart(token, 0);
    expect(await side.take('pairing_start')).toMatchObject({ pairingToken: token, ttl: 0 });
    side.send({ type: 'pairing_ready', ttl: 300 });
    expect(await ready).toBe(300);

    const stopped = link.pairingStop();
    await side.take('pairing_stop');
    side.send({ type: 'pairing_stop_ok' });
    await stopped;

    const present = link.presence();
    await side.take('presence_request');
    side.send({ type: 'presence_list', online: [new Uint8Array(32), new Uint8Array(5)] });
    expect(await present).toEqual(['00'.repeat(32)]);
  });

  it('goes out one at a time, in order', async () => {
    const { link, side } = await online();
    const first = link.authorize([]);
    const second = link.authorize([]);
    await side.take('authorize');
    await side.proof();
    expect(side.untaken).toEqual([]);
    side.send({ type: 'authorize_ok', authorized: 1 });
    expect(await first).toBe(1);
    await side.take('authorize');
    side.send({ type: 'authorize_ok', authorized: 2 });
    expect(await second).toBe(2);
  });

  it('rejects with the code of the relay, and the next is answered all the same', async () => {
    const { link, side } = await online();
    const refused = link.authorize([]);
    await side.take('authorize');
    side.send({ type: 'error', code: 'bad_request', message: 'from outside' });
    await expect(refused).rejects.toMatchObject({ name: 'CountersignError', code: 'bad_request' });
    await expect(refused).rejects.not.toThrow(/from outside/);
    const next = link.authorize([]);
    await side.take('authorize');
    side.send({ type: 'authorize_ok', authorized: 0 });
    expect(await next).toBe(0);
  });

  it('an error only a live message can have caused is not its answer', async () => {
    const { link, side } = await online();
    const asked = link.authorize([]);
    await side.take('authorize');
    side.send({ type: 'error', code: 'not_found', message: '' });
    side.send({ type: 'authorize_ok', authorized: 4 });
    expect(await asked).toBe(4);
  });

  it('a late answer to a refused request does not meet the next one', async () => {
    const { link, side } = await online();
    const refused = link.authorize([]);
    await side.take('authorize');
    side.send({ type: 'error', code: 'unavailable', message: '' });
    side.send({ type: 'authorize_ok', authorized: 1 });
    await expect(refused).rejects.toMatchObject({ code: 'unavailable' });
    const next = link.authorize([]);
    await side.take('authorize');
    side.send({ type: 'authorize_ok', authorized: 2 });
    expect(await next).toBe(2);
  });

  it('without an answer for 15 s fails, and the connection with it', async () => {
    const { link, side, time, phase } = await online();
    const asked = link.authorize([]);
    await side.take('authorize');
    time.advance(LINK.requestTimeoutMs);
    await expect(asked).rejects.toMatchObject({ code: 'timeout' });
    expect((await phase('waiting')).problem.code).toBe('unavailable');
  });

  it('fails when the connection ends, those that wait included', async () => {
    const { link, side } = await online();
    const asked = [link.authorize([]), link.pairingStop()];
    await side.take('authorize');
    side.close();
    for (const request of asked) await expect(request).rejects.toMatchObject({ code: 'unavailable' });
  });

  it('fails at once when offline, or when too many wait', async () => {
    const test = await testLink();
    open.push(test);
    await expect(test.link.authorize([])).rejects.toMatchObject({ code: 'unavailable' });
    const { link } = await online();
    const asked = Array.from({ length: LINK.maxWaitingRequests + 1 }, () => link.authorize([]));
    await expect(asked.at(-1)).rejects.toMatchObject({ code: 'unavailable' });
    await link.close();
    await Promise.allSettled(asked);
  });

  it('may be asked from within a handler: answers do not queue behind what arrived', async () => {
    const test: TestLink & { side: RelaySide } = await online({
      handler: { onClientPaired: async () => void (await test.link.pairingStop()) },
    });
    const key = new Uint8Array(32).fill(1);
    test.side.send({ type: 'client_paired', clientEd25519Pub: key, clientX25519Pub: key, platform: 3 });
    await test.side.take('pairing_stop');
    test.side.send({ type: 'pairing_stop_ok' });
    await test.side.proof();
  });
});

describe('an onOnline that fails', () => {
  it.each([
    [
      'for a while ends the connection, so that it runs again',
      new CountersignError('unavailable', ''),
      'unavailable',
    ],
    ['for the disk ends it too', new CountersignError('storage_full', ''), 'local_failure'],
  ])('%s', async (_, error, code) => {
    const { phase } = await online({ handler: { onOnline: () => Promise.reject(error) } });
    expect((await phase('waiting')).problem.code).toBe(code);
  });

  it('for good leaves the link online, and what is queued goes', async () => {
    const { link, peers, side, warnings } = await online({
      handler: { onOnline: () => Promise.reject(new CountersignError('bad_request', '')) },
    });
    await link.queue(peers.atAgent, {});
    await side.take('message');
    await link.flushed();
    expect(warnings).toEqual(['on_online_failed']);
  });
});

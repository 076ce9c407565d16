import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, describe, expect, it } from 'vitest';
import { type TestLink, type TestLinkOptions, testLink } from '../../../test/support/link/test-link.js';
import { CLOSE } from '../frames/index.js';

const open: TestLink[] = [];

async function started(options: TestLinkOptions = {}): Promise<TestLink> {
  const test = await testLink(options);
  open.push(test);
  test.link.start();
  return test;
}

afterEach(async () => {
  await Promise.all(open.splice(0).map((test) => test.stop()));
});

describe('a connection that ends', () => {
  it.each([
    [CLOSE.goingAway, 'going_away'],
    [CLOSE.displaced, 'displaced'],
    [CLOSE.revoked, 'revoked'],
    [CLOSE.idle, 'idle'],
    [CLOSE.tooSlow, 'too_slow'],
    [CLOSE.tryLater, 'unavailable'],
    [CLOSE.tooBig, 'payload_too_large'],
    [CLOSE.policy, 'protocol'],
    [CLOSE.pairingDone, 'unreachable'],
  ])('close code %i is told as %s', async (code, expected) => {
    const { relay, phase } = await started();
    const side = await relay.loggedIn();
    await phase('online');
    side.close(code);
    expect((await phase('waiting')).problem.code).toBe(expected);
  });

  it('an error frame before close 1013 says why', async () => {
    const { relay, phase } = await started();
    const side = await relay.loggedIn();
    await phase('online');
    side.send({ type: 'error', code: 'rate_limited', message: '' });
    side.close(CLOSE.tryLater);
    expect((await phase('waiting')).problem.code).toBe('rate_limited');
  });

  it('the link dials again when the time has come, and not before', async () => {
    const { relay, phase, time, states } = await started();
    (await relay.loggedIn()).close(CLOSE.revoked);
    await phase('online');
    const waiting = await phase('waiting');
    expect(waiting.retryAt - time.now()).toBe(500);
    time.advance(499);
    expect(states.at(-1)?.phase).toBe('waiting');
    time.advance(1);
    await relay.loggedIn();
    await phase('online');
    expect(states.map(({ phase: p }) => p)).toEqual([
      'connecting',
      'online',
      'waiting',
      'connecting',
      'online',
    ]);
  });

  it('displaced, it says "signed in elsewhere" and waits 60 s, or until told', async () => {
    const { relay, phase, time, link } = await started();
    (await relay.loggedIn()).close(CLOSE.displaced);
    await phase('online');
    const waiting = await phase('waiting');
    expect(waiting.retryAt - time.now()).toBe(60_000);
    expect(waiting.problem.message).toMatch(/signed in elsewhere/);
    link.retryNow();
    await relay.loggedIn();
    await phase('online');
  });

  it.each([
    [403, 'origin_refused'],
    [429, 'rate_limited'],
    [404, 'protocol'],
    [503, 'unavailable'],
  ])('an upgrade refused with %i is told as %s, and Retry-After is kept to', async (status, expected) => {
    const server = createServer().on('upgrade', (_, socket) => {
      socket.end(`HTTP/1.1 ${status} No\r\nRetry-After: 42\r\nConnection: close\r\n\r\n`);
    });
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    const { phase, time } = await started({
      relayUrl: `ws://127.0.0.1:${(server.address() as AddressInfo).port}`,
    });
    const waiting = await phase('waiting');
    expect(waiting.problem.code).toBe(expected);
    expect(waiting.retryAt - time.now()).toBe(42_000);
    server.close();
  });
});

describe('waiting to be online', () => {
  it('resolves at login, at once when online, and rejects when it takes too long or nobody wants it', async () => {
    const { relay, link, time } = await started();
    const abort = new AbortController();
    const [login, late, unwanted] = [
      link.whenOnline(),
      link.whenOnline({ timeoutMs: 1000 }),
      link.whenOnline({ signal: abort.signal }),
    ];
    time.advance(1000);
    await expect(late).rejects.toMatchObject({ code: 'timeout' });
    abort.abort(new Error('gone'));
    await expect(unwanted).rejects.toThrow('gone');
    await relay.loggedIn();
    await login;
    await link.whenOnline({ timeoutMs: 0 });
  });

  it('ends when the link is closed, and is refused afterwards', async () => {
    const { link, time } = await started();
    const waiting = link.whenOnline();
    const closing = link.close();
    await expect(waiting).rejects.toMatchObject({ code: 'closed' });
    time.advance(2000);
    await closing;
    await expect(link.whenOnline()).rejects.toMatchObject({ code: 'closed' });
  });
});

describe('closing', () => {
  it('closes with 1000 and never dials again', async () => {
    const { relay, link, phase, time } = await started();
    const side = await relay.loggedIn();
    await phase('online');
    await link.close();
    expect((await side.closed).code).toBe(1000);
    expect(link.state).toEqual({ phase: 'closed' });
    link.start();
    link.retryNow();
    time.advance(600_000);
    expect(link.state).toEqual({ phase: 'closed' });
  });

  it('writes what is queued first', async () => {
    const { relay, link, phase, peers, store } = await started();
    await link.queue(peers.atAgent, { n: 1 });
    await link.queue(peers.atAgent, { n: 2 });
    const side = await relay.loggedIn();
    await phase('online');
    await link.close();
    expect(side.untaken).toEqual(['message', 'message']);
    expect(store.rows).toEqual([]);
  });

  it('waits for a relay that proves nothing, but 2 s at most', async () => {
    const { relay, link, phase, peers, store, time } = await started();
    await link.queue(peers.atAgent, { n: 1 });
    const side = await relay.loggedIn();
    side.answersPings = false;
    await phase('online');
    await side.take('message');
    const closing = link.close();
    time.advance(1999);
    expect(link.state.phase).toBe('online');
    time.advance(1);
    await closing;
    expect(store.rows).toHaveLength(1);
  });

  it('drops a relay that does not take leave within 2 s', async () => {
    const { relay, link, phase, time } = await started();
    const side = await relay.loggedIn();
    await phase('online');
    side.socket.pause();
    await link.close();
    await time.untilDueIn(2000);
    time.advance(2000);
    side.socket.resume();
    expect((await side.closed).code).toBe(1000);
    expect(time.due).toEqual([]);
  });

  it('takes nothing more', async () => {
    const { link, peers } = await started();
    const closing = link.close();
    await expect(link.queue(peers.atAgent, {})).rejects.toMatchObject({ code: 'closed' });
    expect(await link.sendLive(peers.atAgent, {})).toBe('offline');
    await expect(link.flushed()).rejects.toMatchObject({ code: 'closed' });
    await closing;
    await expect(link.presence()).rejects.toMatchObject({ code: 'unavailable' });
  });

  it('an owner whose onState throws keeps its link', async () => {
    const { relay, phase, warnings } = await started({
      handler: {
        onState: () => {
          throw new Error('owner');
        },
      },
    });
    await relay.loggedIn();
    await phase('online');
    expect(warnings).toContain('handler_failed');
  });
});

describe('keepalive', () => {
  it('pings right after login and every 30 s', async () => {
    const { relay, time } = await started();
    const side = await relay.loggedIn();
    const first = await side.pings.take();
    expect(first.length).toBe(8);
    await side.proof();
    time.advance(30_000);
    await side.pings.take();
  });

  it('30 s without a byte after a ping end the connection', async () => {
    const { relay, link, phase, time } = await started();
    const side = await relay.loggedIn();
    await phase('online');
    side.answersPings = false;
    await side.pings.take();
    time.advance(29_999);
    expect(link.state.phase).toBe('online');
    time.advance(1);
    expect((await phase('waiting')).problem.code).toBe('idle');
  });

  it('any byte is a sign of life', async () => {
    const { relay, link, phase, time } = await started();
    const side = await relay.loggedIn();
    await phase('online');
    side.answersPings = false;
    await side.pings.take();
    await side.proof();
    time.advance(30_000);
    expect(link.state.phase).toBe('online');
  });

  it('a machine that slept for two minutes dials at once when it wakes', async () => {
    const { relay, phase, time } = await started();
    const side = await relay.loggedIn();
    await side.pings.take();
    await side.proof();
    time.sleep(120_000);
    time.advance(0);
    expect((await phase('waiting')).problem.code).toBe('idle');
  });

  it('where pings are hidden it asks for presence instead', async () => {
    const { relay, phase, time } = await started({ cannotPing: true, role: 'client' });
    const side = await relay.loggedIn();
    await side.take('presence_request');
    side.send({ type: 'presence_list', online: [] });
    await side.proof();
    time.advance(30_000);
    await side.take('presence_request');
    time.advance(30_000);
    expect((await phase('waiting')).problem.code).toBe('idle');
  });
});

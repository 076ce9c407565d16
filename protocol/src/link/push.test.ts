/** What a link says and hears of pushes: hints with messages, reports, handles, and logging in anew (01 §2, 04 §1). */
import { describe, expect, it } from 'vitest';
import { again, closeLinksAfterEach, online } from '../../../test/support/link/online-links.js';
import { decodePushHints, encodePushHints, type RelayFrame } from '../frames/index.js';
import type { PushReport } from './ports.js';

closeLinksAfterEach();

const collapse = new Uint8Array(16).fill(7);
const alert = encodePushHints({ intent: 'alert', collapse });

describe('hints', () => {
  it('go with a queued message to a relay that asks for them, with the life that is left', async () => {
    const test = await online({}, ['ref', 'push-hints']);
    await test.link.queue(test.peers.atAgent, { a: 1 }, { push: alert, ttlMs: 60_000 });
    const { push, ref } = await test.side.take('message');
    expect(decodePushHints(push ?? collapse)).toEqual({ intent: 'alert', collapse, ttlMs: 60_000n });
    test.time.advance(20_000);
    test.side.close();
    const second = await again(test, ['ref', 'push-hints']);
    const resent = await second.take('message');
    expect(resent.ref).toBe(ref);
    expect(decodePushHints(resent.push ?? collapse)?.ttlMs).toBeLessThanOrEqual(40_000n);
  });

  it('do not go to a relay that does not know them, nor with a message that has none', async () => {
    const deaf = await online({}, ['ref']);
    await deaf.link.queue(deaf.peers.atAgent, { a: 1 }, { push: alert });
    expect((await deaf.side.take('message')).push).toBeUndefined();
    const knowing = await online({}, ['ref', 'push-hints']);
    await knowing.link.queue(knowing.peers.atAgent, { a: 1 });
    expect((await knowing.side.take('message')).push).toBeUndefined();
  });
});

const report = (change: Partial<Extract<RelayFrame, { type: 'push_report' }>>): RelayFrame => ({
  type: 'push_report',
  ref: 5n,
  peer: new Uint8Array(32).fill(9),
  outcome: 'refused',
  detail: 'apns: BadDeviceToken',
  ...change,
});

describe('reports', () => {
  it('reach the handler, and only those that are well-formed, in a closed list of outcomes', async () => {
    const reports: PushReport[] = [];
    const options = { handler: { onPushReport: (one: PushReport) => void reports.push(one) } };
    const { side } = await online(options, ['push-report']);
    side.send(report({}));
    side.send(report({ outcome: '__proto__' }));
    side.send(report({ peer: new Uint8Array(31) }));
    side.send(report({ ref: 2n ** 53n }));
    side.send(report({ outcome: 'accepted', detail: 'Call +1 555 now\u202e!' }));
    side.send(report({ outcome: 'accepted', detail: 'x'.repeat(65) }));
    await side.proof();
    const peer = '09'.repeat(32);
    expect(reports).toEqual([
      { id: 5, peer, outcome: 'refused', detail: 'apns: BadDeviceToken' },
      { id: 5, peer, outcome: 'accepted', detail: '' },
      { id: 5, peer, outcome: 'accepted', detail: '' },
    ]);
  });

  it('are not heard from a relay that never offered them, and a handler that throws ends nothing', async () => {
    let heard = 0;
    const onPushReport = () => {
      heard++;
      throw new Error('no');
    };
    const quiet = await online({ handler: { onPushReport } }, ['ref']);
    quiet.side.send(report({}));
    await quiet.side.proof();
    expect(heard).toBe(0);
    const loud = await online({ handler: { onPushReport } }, ['push-report']);
    loud.side.send(report({}));
    await loud.side.proof();
    expect(heard).toBe(1);
    expect(loud.link.state.phase).toBe('online');
  });
});

describe("a device's handle", () => {
  it.each([
    ['of 16 bytes is told before the rest of the login', ['push-handle'], 16, ['0b'.repeat(16), 'online']],
    ['of another length is none', ['push-handle'], 15, ['online']],
    ['without the capability is none', ['window'], 16, ['online']],
  ])('%s', async (_, capabilities, length, expected) => {
    const told: string[] = [];
    const pushHandle = new Uint8Array(length).fill(11);
    const handler = {
      onPushHandle: (handle: string) => void told.push(handle),
      onOnline: () => void told.push('online'),
    };
    const { side } = await online({ role: 'client', handler }, capabilities, { pushHandle });
    await side.proof();
    expect(told).toEqual(expected);
  });
});

describe('logging in anew', () => {
  it('tells at once what has changed of the push token, on a connection of its own', async () => {
    let deviceToken = 'one';
    const test = await online({ role: 'client', platform: 1, pushTarget: () => ({ deviceToken }) });
    deviceToken = 'two';
    test.link.loginAgain();
    const auth = await (await test.relay.challenged()).take('auth');
    expect(auth.role).toMatchObject({ deviceToken: 'two' });
    expect((await test.side.closed).code).toBe(1000);
  });

  it('does nothing while the next attempt has its time', async () => {
    const test = await online();
    test.side.close();
    await test.phase('waiting');
    test.link.loginAgain();
    expect(test.link.state.phase).toBe('waiting');
  });
});

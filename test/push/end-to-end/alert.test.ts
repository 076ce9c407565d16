/** An agent's hinted message and its push, through a real relay to the gateways: when there is one, and what it holds. */
import type { PushHints } from '@countersign/protocol';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { AGENT_CAPABILITIES, collapseOf, PLATFORM, PushRelay } from '../../support/push/push-relay.js';

const SECOND = 1_000;
const MINUTE = 60 * SECOND;
const DAY = 24 * 60 * MINUTE;

let push: PushRelay;
beforeAll(async () => {
  push = await PushRelay.open({ agentQueueMessages: 2 });
});
afterAll(() => push.close());

const alert = (item: number, ttlMs = 600_000n): PushHints => ({
  intent: 'alert',
  collapse: collapseOf(item),
  ttlMs,
});
const phone = (environment: 'production' | 'sandbox' = 'production') => ({
  platform: PLATFORM.ios,
  deviceToken: push.gateways.apns.registerDevice({ environment }),
});
const deliveredTo = ({ deviceToken }: { deviceToken: string }) =>
  push.gateways.apns.delivered.items.filter(({ token }) => token === deviceToken);
const hex = (bytes: Uint8Array) => Buffer.from(bytes).toString('hex');

/** An agent, and a phone that is not there. */
async function pair(capabilities = AGENT_CAPABILITIES, registering = phone()) {
  const agent = await push.agent({ capabilities });
  return { agent, registering, keys: await push.away(agent, registering) };
}

describe('a phone that is not there', () => {
  it('gets exactly one alert, of the sealed message and nothing else, and the agent hears so', async () => {
    const { agent, registering, keys } = await pair();
    const ref = await push.send(agent, keys, alert(1));
    expect(await push.report(agent, ref)).toBe('accepted content');
    const [delivery, ...others] = deliveredTo(registering);
    expect(others).toEqual([]);
    const now = push.clock.now();
    expect(delivery).toMatchObject({ priority: 10, pushType: 'alert', environment: 'production' });
    expect(delivery?.expiration).toBe(Math.ceil((now + 600_000) / 1_000));
    expect(delivery?.payload).toEqual({
      aps: {
        alert: { title: 'Countersign', body: 'Action required' },
        sound: 'default',
        'mutable-content': 1,
      },
      d: {
        ns: hex(agent.namespaceId),
        from: hex(agent.keys.publicKey),
        n: expect.any(String),
        c: expect.any(String),
      },
    });
    expect(delivery?.collapseId).not.toContain(Buffer.from(collapseOf(1)).toString('base64url'));
  });

  it('gets the message too, when it comes', async () => {
    const { agent, registering, keys } = await pair();
    const ref = await push.send(agent, keys, alert(1));
    await push.report(agent, ref);
    const { peer } = await push.device(agent, keys, registering);
    expect(await peer.next('message')).toMatchObject({ live: false, seq: expect.any(BigInt) });
  });

  it('gets one push for each item, and one name for one item', async () => {
    const { agent, registering, keys } = await pair();
    for (const item of [1, 2, 1]) await push.report(agent, await push.send(agent, keys, alert(item)));
    const [a, b, again] = deliveredTo(registering).map(({ collapseId }) => collapseId);
    expect(again).toBe(a);
    expect(b).not.toBe(a);
  });

  it('gets quiet text in its place when the item was settled elsewhere', async () => {
    const { agent, registering, keys } = await pair();
    await push.report(agent, await push.send(agent, keys, alert(1)));
    const ref = await push.send(agent, keys, { ...alert(1), intent: 'replace' });
    expect(await push.report(agent, ref)).toBe('accepted content');
    const [first, second] = deliveredTo(registering);
    expect(second?.collapseId).toBe(first?.collapseId);
    expect(second?.payload).toMatchObject({
      aps: { alert: { body: 'No action required any more' }, 'interruption-level': 'passive' },
    });
    expect(push.gateways.apns.shown(registering.deviceToken)).toHaveLength(1);
  });

  it('gets neither when the item was settled before the first push could be sent', async () => {
    const { agent, registering, keys } = await pair();
    push.gateways.apns.script.next({ reason: 'TooManyRequests' });
    const requests = push.gateways.apns.traffic.count;
    const first = await push.send(agent, keys, alert(1));
    await push.gateways.apns.traffic.whenCount(requests + 1);
    await expect.poll(() => push.metric('countersign_push_in_flight{provider="apns"}')).toBe('0');
    const second = await push.send(agent, keys, { ...alert(1), intent: 'replace' });
    expect(await push.report(agent, first)).toBe('superseded settled');
    expect(await push.report(agent, second)).toBe('superseded settled');
    push.clock.advance(2 * MINUTE);
    expect(deliveredTo(registering)).toEqual([]);
  });

  it.each([
    ['intent none', { ...alert(1), intent: 'none' }],
    ['no hints', undefined],
  ] as const)('gets no push for a message with %s', async (_, hints) => {
    const { agent, registering, keys } = await pair();
    await push.send(agent, keys, hints as PushHints | undefined);
    const ref = await push.send(agent, keys, alert(2));
    await push.report(agent, ref);
    expect(deliveredTo(registering)).toHaveLength(1);
  });

  it('gets a nudge without content for a wake', async () => {
    const { agent, registering, keys } = await pair();
    expect(await push.report(agent, await push.send(agent, keys, { ...alert(1), intent: 'wake' }))).toBe(
      'accepted wake',
    );
    expect(deliveredTo(registering)[0]?.payload).toMatchObject({
      d: { ns: hex(agent.namespaceId), wake: true },
    });
  });

  it('gets an alert for a day for any message of an agent that knows no hints', async () => {
    const { agent, registering, keys } = await pair(['ref', 'received']);
    const before = push.gateways.apns.delivered.count;
    await push.send(agent, keys, undefined);
    await push.gateways.apns.delivered.whenCount(before + 1);
    expect(deliveredTo(registering)[0]?.expiration).toBe(Math.ceil((push.clock.now() + DAY) / 1_000));
  });

  it('gets nothing any more of a message whose life is over, and the agent hears so', async () => {
    const { agent, registering, keys } = await pair();
    push.gateways.apns.script.next({ reason: 'TooManyRequests' });
    const ref = await push.send(agent, keys, alert(1, 30_000n));
    expect(await push.report(agent, ref)).toBe('expired TooManyRequests');
    push.clock.advance(30 * SECOND);
    const { peer } = await push.device(agent, keys, registering);
    await peer.settled();
    expect(peer.heard).not.toContain('message');
    expect(deliveredTo(registering)).toEqual([]);
  });

  it('is woken for a message that found its queue full of what cannot go', async () => {
    const { agent, registering, keys } = await pair();
    for (let i = 0; i < 2; i++) await push.send(agent, keys, undefined);
    const refused = push.message(keys, alert(1));
    agent.peer.send(refused);
    expect(await agent.peer.next('error')).toMatchObject({ code: 'queue_full', ref: refused.ref });
    expect(await push.report(agent, refused.ref as bigint)).toBe('accepted wake');
    expect(deliveredTo(registering)).toHaveLength(1);
  });

  it('makes room for a new message by its oldest hinted one', async () => {
    const { agent, registering, keys } = await pair();
    for (const item of [1, 2, 3]) await push.report(agent, await push.send(agent, keys, alert(item)));
    expect(deliveredTo(registering)).toHaveLength(3);
    const { peer } = await push.device(agent, keys, registering);
    await peer.settled();
    await peer.until(() => peer.heard.filter((what) => what === 'message').length === 2);
  });

  it('of the sandbox is found there, and asked there first from then on', async () => {
    const { agent, registering, keys } = await pair(AGENT_CAPABILITIES, phone('sandbox'));
    for (const item of [1, 2]) await push.report(agent, await push.send(agent, keys, alert(item)));
    const asked = push.gateways.apns.traffic.items.filter(({ path }) =>
      path.endsWith(registering.deviceToken),
    );
    expect(asked.map(({ answer }) => answer?.status)).toEqual([400, 200, 200]);
  });

  it('that was revoked gets nothing, and what waited is reported', async () => {
    const { agent, registering, keys } = await pair();
    push.gateways.apns.script.next({ reason: 'TooManyRequests' });
    const requests = push.gateways.apns.traffic.count;
    const ref = await push.send(agent, keys, alert(1));
    await push.gateways.apns.traffic.whenCount(requests + 1);
    await push.scene.authorize(agent, []);
    expect(await push.report(agent, ref)).toBe('no_device revoked');
    push.clock.advance(MINUTE);
    await agent.peer.settled();
    expect(deliveredTo(registering)).toEqual([]);
  });
});

describe('a phone that is there', () => {
  it('and proves receipt gets no push, and the agent hears why', async () => {
    const { agent, registering, keys } = await pair();
    const { peer } = await push.device(agent, keys, registering);
    const ref = await push.send(agent, keys, alert(1));
    const { seq } = await peer.next('message');
    peer.send({ type: 'received', seq: seq as bigint });
    expect(await push.report(agent, ref)).toBe('superseded received');
    push.clock.advance(MINUTE);
    await peer.settled();
    expect(deliveredTo(registering)).toEqual([]);
  });

  it('by its connection, and not in fact, gets a push ten seconds after the message was accepted', async () => {
    const { agent, registering, keys } = await pair();
    const { peer } = await push.device(agent, keys, registering);
    peer.answersPings = false;
    const ref = await push.send(agent, keys, alert(1));
    push.clock.advance(10 * SECOND - 1);
    await agent.peer.settled();
    expect(deliveredTo(registering)).toEqual([]);
    push.clock.advance(1);
    expect(await push.report(agent, ref)).toBe('accepted content');
  });

  it('and leaves without a proof gets a push at once', async () => {
    const { agent, registering, keys } = await pair();
    const device = await push.device(agent, keys, registering);
    device.peer.answersPings = false;
    const ref = await push.send(agent, keys, alert(1));
    await device.peer.next('message');
    device.peer.close();
    expect(await push.report(agent, ref)).toBe('accepted content');
  });

  it('is never pushed a message of another device’s, whatever hints that gives', async () => {
    const { agent, registering, keys } = await pair();
    const { peer } = await push.device(agent, keys, registering);
    peer.send({ ...push.message(agent.keys, alert(1)), peer: agent.keys.publicKey });
    expect(await agent.peer.next('message')).not.toHaveProperty('push');
    expect(deliveredTo(registering)).toEqual([]);
  });
});

describe('reports', () => {
  it('wait for the agent’s next connection, and go only to one that asks for them', async () => {
    const { agent, registering, keys } = await pair();
    push.gateways.apns.script.next({ reason: 'InternalServerError' });
    const before = push.gateways.apns.traffic.count;
    const ref = await push.send(agent, keys, alert(1));
    await push.gateways.apns.traffic.whenCount(before + 1);
    agent.peer.close();
    await agent.peer.whenClosed();
    push.clock.advance(10 * MINUTE - 1);
    await expect.poll(() => deliveredTo(registering).length).toBe(1);
    const deaf = await push.agent({ capabilities: ['ref'] }, agent.keys);
    await deaf.peer.settled();
    expect(deaf.peer.heard).not.toContain('push_report');
    const again = await push.agent({}, agent.keys);
    expect(await push.report(again, ref)).toBe('accepted content');
    const last = await push.agent({}, agent.keys);
    await last.peer.settled();
    expect(last.peer.heard).not.toContain('push_report');
  });
});

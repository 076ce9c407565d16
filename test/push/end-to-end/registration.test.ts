/** Tokens, names and keys of registrations, through a real relay to the gateways. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { vapidPair } from '../../support/push/notifiers.js';
import {
  AGENT_CAPABILITIES,
  collapseOf,
  PLATFORM,
  PushRelay,
  type Registering,
} from '../../support/push/push-relay.js';
import type { Keys } from '../../support/relay/raw-peer.js';
import type { Agent } from '../../support/relay/relay-scene.js';

const ORIGIN = 'https://app.example';
const [oldKey, newKey] = [vapidPair(), vapidPair()];
const privateKeyOf = ({ privateKey }: typeof oldKey) => privateKey.export({ format: 'jwk' }).d as string;

let push: PushRelay;
beforeAll(async () => {
  push = await PushRelay.open({
    allowedOrigins: [ORIGIN],
    vapidPrivateKeys: [privateKeyOf(oldKey)],
  });
});
afterAll(() => push.close());

let items = 0;
/** What becomes of one alert to this device. */
async function outcome(agent: Agent, keys: Keys): Promise<string> {
  items += 1;
  return push.report(
    agent,
    await push.send(agent, keys, { intent: 'alert', collapse: collapseOf(items % 200) }),
  );
}

const away = async (registering: Registering) => {
  const agent = await push.agent({ capabilities: AGENT_CAPABILITIES });
  return { agent, keys: await push.away(agent, registering) };
};
const ios = (over: Partial<Registering> = {}): Registering => ({
  platform: PLATFORM.ios,
  deviceToken: push.gateways.apns.registerDevice(),
  ...over,
});
const android = () => ({ platform: PLATFORM.android, deviceToken: push.gateways.fcm.registerDevice() });
const subscription = (key = oldKey) =>
  JSON.stringify(push.gateways.webPush.subscribe({ vapidPublicKey: key.publicKey }));
const again = async (agent: Agent, keys: Keys, registering: Registering) => {
  const device = await push.device(agent, keys, registering);
  await push.leave(agent, device);
  return device.pushHandle;
};

describe('a token', () => {
  it('of each kind reaches its provider', async () => {
    const { apns, fcm, webPush } = push.gateways;
    for (const [registering, { delivered }] of [
      [ios(), apns],
      [android(), fcm],
      [{ platform: PLATFORM.web, deviceToken: subscription() }, webPush],
      [{ platform: PLATFORM.android, deviceToken: subscription() }, webPush],
    ] as const) {
      const before = delivered.count;
      const { agent, keys } = await away(registering);
      expect(await outcome(agent, keys)).toBe('accepted content');
      expect(delivered.count).toBe(before + 1);
    }
  });

  it('that is empty leaves the one before, one of no use too, and a new one takes its place', async () => {
    const { agent, keys } = await away(ios());
    for (const deviceToken of ['', 'no token', '__proto__', '\u{d800}']) {
      await again(agent, keys, ios({ deviceToken }));
      expect(await outcome(agent, keys)).toBe('accepted content');
    }
    const changed = ios();
    await again(agent, keys, changed);
    await outcome(agent, keys);
    expect(push.gateways.apns.delivered.items.at(-1)?.token).toBe(changed.deviceToken);
  });

  it.each([
    ['never_registered', { deviceToken: '' }],
    ['unknown_app', { app: 'somebody-elses' }],
    ['malformed', { deviceToken: 'xyz' }],
    ['malformed', { platform: PLATFORM.web, deviceToken: '{"endpoint":1}' }],
  ])('of no use is named: %s', async (detail, over) => {
    const { agent, keys } = await away(ios(over));
    expect(await outcome(agent, keys)).toBe(`no_token ${detail}`);
  });

  it('that leads to a private address is refused when it is registered', async () => {
    const endpoint = 'https://10.0.0.1/push';
    const deviceToken = JSON.stringify({ ...JSON.parse(subscription()), endpoint });
    const { agent, keys } = await away({ platform: PLATFORM.web, deviceToken });
    expect(await outcome(agent, keys)).toBe('no_token forbidden_endpoint');
  });

  it('of the configured app is taken by its id', async () => {
    const { agent, keys } = await away(ios({ app: 'default' }));
    expect(await outcome(agent, keys)).toBe('accepted content');
  });

  it('given at pairing is used before the first login', async () => {
    const agent = await push.agent();
    const registering = ios();
    const keys = await push.pairWith(agent, registering);
    expect(await outcome(agent, keys)).toBe('accepted content');
  });

  it('that died is gone; the device hears nothing and brings another one', async () => {
    const registering = ios();
    const { agent, keys } = await away(registering);
    push.gateways.apns.devices.unregister(registering.deviceToken, push.clock.now() + 1);
    expect(await outcome(agent, keys)).toBe('no_token Unregistered');
    expect(await outcome(agent, keys)).toBe('no_token Unregistered');
    await again(agent, keys, ios());
    expect(await outcome(agent, keys)).toBe('accepted content');
  });
});

describe('the name of a registration', () => {
  const naming = ['ref', 'received', 'push-handle'];

  it('comes with the login, stays with its token, and stands in the push in place of the keys', async () => {
    const registering = ios({ capabilities: naming });
    const { agent, keys } = await away(registering);
    const handle = await again(agent, keys, registering);
    expect(handle).toHaveLength(16);
    expect(await again(agent, keys, registering)).toEqual(handle);
    await outcome(agent, keys);
    const { payload } = push.gateways.apns.delivered.items.at(-1) ?? {};
    expect(payload).toMatchObject({ d: { h: Buffer.from(handle as Uint8Array).toString('hex') } });
    expect(JSON.stringify(payload)).not.toContain(Buffer.from(agent.namespaceId).toString('hex'));
    const other = await again(agent, keys, ios({ capabilities: naming }));
    expect(other).not.toEqual(handle);
  });

  it('is not given to a device that did not ask, and then not used', async () => {
    const registering = ios({ capabilities: naming });
    const { agent, keys } = await away(registering);
    const { capabilities: _, ...plain } = registering;
    expect(await again(agent, keys, plain)).toBeUndefined();
    await outcome(agent, keys);
    expect(push.gateways.apns.delivered.items.at(-1)?.payload).toHaveProperty('d.ns');
  });
});

describe('what a client asks before it registers', () => {
  const ask = (headers: Record<string, string> = {}) =>
    fetch(`${push.scene.relay.url.replace('ws', 'http')}/v1/push`, { headers });

  it('is the Web Push key and the apps, never cached', async () => {
    const response = await ask();
    expect(await response.json()).toEqual({
      v: 1,
      web: { vapid_public_key: oldKey.publicKey },
      apps: ['default'],
    });
    expect(response.headers.get('cache-control')).toBe('no-cache');
  });

  it('may be read by a listed web origin, and by no other', async () => {
    const header = 'access-control-allow-origin';
    expect((await ask({ origin: ORIGIN })).headers.get(header)).toBe(ORIGIN);
    expect((await ask({ origin: 'https://other.example' })).headers.get(header)).toBeNull();
  });

  it('is nothing on a relay without a provider, which reports that nobody can be pushed', async () => {
    const bare = await PushRelay.open({
      apnsTopic: undefined,
      apnsKey: undefined,
      fcmServiceAccount: undefined,
      vapidSubject: undefined,
      pushTestGateways: undefined,
    });
    const url = `${bare.scene.relay.url.replace('ws', 'http')}/v1/push`;
    expect(await (await fetch(url)).json()).toEqual({ v: 1, web: null, apps: [] });
    const agent = await bare.agent();
    const keys = await bare.away(agent, { platform: PLATFORM.ios, deviceToken: 'ab'.repeat(32) });
    const ref = await bare.send(agent, keys, { intent: 'alert' });
    expect(await bare.report(agent, ref)).toBe('no_token no_provider');
    await bare.close();
  });
});

it('a subscription is signed for with the key it was made under until the page brings another one', async () => {
  const store = `${push.directory}/relay.sqlite`;
  await push.restart({ store });
  const registering = { platform: PLATFORM.web, deviceToken: subscription() };
  const { agent, keys } = await away(registering);
  await push.restart({ store, vapidPrivateKeys: [privateKeyOf(newKey), privateKeyOf(oldKey)] });
  const back = await push.agent({}, agent.keys);
  expect(await outcome(back, keys)).toBe('accepted content');
  await again(back, keys, registering);
  expect(await outcome(back, keys)).toBe('accepted content');
  await again(back, keys, { ...registering, deviceToken: subscription(newKey) });
  expect(await outcome(back, keys)).toBe('accepted content');
});

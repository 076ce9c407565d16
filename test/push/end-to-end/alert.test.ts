/** An agent's hinted message on its way to a phone that is not there, through a real relay to the gateways. */
import { afterAll, beforeAll, expect, it } from 'vitest';
import { collapseOf, PLATFORM, PushRelay } from '../../support/push/push-relay.js';

let push: PushRelay;
beforeAll(async () => {
  push = await PushRelay.open();
});
afterAll(() => push.close());

const alert = (item: number) => ({ intent: 'alert', collapse: collapseOf(item), ttlMs: 600_000n }) as const;
const phone = () => ({ platform: PLATFORM.ios, deviceToken: push.gateways.apns.registerDevice() });
const deliveredTo = (token: string) =>
  push.gateways.apns.delivered.items.filter((delivery) => delivery.token === token);

it('a phone that is not there gets exactly one alert, and the agent hears so', async () => {
  const agent = await push.agent();
  const registering = phone();
  const keys = await push.away(agent, registering);
  const ref = await push.send(agent, keys, alert(1));
  expect(await push.report(agent, ref)).toBe('accepted content');
  const [delivery, ...others] = deliveredTo(registering.deviceToken);
  expect(others).toEqual([]);
  expect(delivery).toMatchObject({ priority: 10, pushType: 'alert', environment: 'production' });
  expect(delivery?.payload).toMatchObject({
    d: {
      ns: Buffer.from(agent.namespaceId).toString('hex'),
      from: Buffer.from(agent.keys.publicKey).toString('hex'),
    },
  });
});

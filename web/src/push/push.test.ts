/** How this device comes to be pushed to, and what is said when it is not. */
import type { Pairing, PushInfo, PushRegistration } from '@countersign/client-sdk';
import { describe, expect, it } from 'vitest';
import type { PushService } from './browser-push.js';
import { Push } from './push.js';
import type { Subscribed } from './subscription.js';

interface Scene {
  permission?: NotificationPermission;
  support?: PushService['support'];
  current?: Subscribed | undefined;
  relays?: Record<string, string | undefined>;
  pairings?: { id: string; relayUrl: string }[];
}

function scene({
  permission = 'granted',
  support = 'yes',
  current,
  relays = { 'wss://a.example': 'KEY-A' },
  pairings = [{ id: 'p1', relayUrl: 'wss://a.example' }],
}: Scene = {}) {
  const registered: [id: string, key: string | undefined][] = [];
  const subscribedUnder: string[] = [];
  const state = { permission, current, relays, fails: false };
  const service: PushService = {
    support,
    permission: () => state.permission,
    async ask() {
      state.permission = 'granted';
      return state.permission;
    },
    current: async () => state.current,
    async subscribe(vapidKey) {
      if (state.fails) throw new DOMException('no push service', 'AbortError');
      subscribedUnder.push(vapidKey);
      state.current = {
        subscription: { endpoint: `https://push.example/${subscribedUnder.length}` },
        vapidKey,
      };
      return state.current;
    },
  };
  const push = new Push({
    service,
    client: {
      async registerPush(registration: PushRegistration, id = '') {
        registered.push([id, 'vapidKey' in registration ? registration.vapidKey : undefined]);
        return [id];
      },
    },
    pairings: () => pairings as unknown as Pairing[],
    async fetchInfo(relayUrl): Promise<PushInfo | undefined> {
      const vapidKey = state.relays[relayUrl];
      return { apps: [], ...(vapidKey !== undefined && { vapidKey }) };
    },
  });
  return { push, registered, subscribedUnder, state };
}

describe('the state of push', () => {
  it.each<[string, Scene]>([
    ['unsupported', { support: 'no' }],
    ['home_screen', { support: 'home_screen' }],
    ['default', { permission: 'default' }],
    ['denied', { permission: 'denied' }],
    ['no_relay_push', { relays: {} }],
    ['on', {}],
  ])('is %s', async (expected, given) => {
    const { push } = scene(given);
    await push.refresh();
    expect(push.state.value).toBe(expected);
  });

  it('is failed where the browser has no push service, and on once it has', async () => {
    const { push, state } = scene();
    state.fails = true;
    await push.refresh();
    expect(push.state.value).toBe('failed');
    state.fails = false;
    await push.refresh();
    expect(push.state.value).toBe('on');
  });

  it('is partly where agents are at relays with different keys', async () => {
    const relays = { 'wss://a.example': 'KEY-A', 'wss://b.example': 'KEY-B' };
    const pairings = Object.keys(relays).map((relayUrl, at) => ({ id: `p${at}`, relayUrl }));
    const { push, registered } = scene({ relays, pairings });
    await push.refresh();
    expect(push.state.value).toBe('partly');
    expect(registered).toEqual([['p0', 'KEY-A']]);
  });
});

it('nothing is asked before the tap, and everything follows it', async () => {
  const { push, registered, state } = scene({ permission: 'default' });
  await push.refresh();
  expect(state.permission).toBe('default');
  await push.turnOn();
  expect(push.state.value).toBe('on');
  expect(registered).toEqual([['p1', 'KEY-A']]);
});

it('a subscription under the relay’s key is kept, one under another key is made anew', async () => {
  const { push, subscribedUnder, state } = scene();
  await push.refresh();
  await push.refresh();
  expect(subscribedUnder).toEqual(['KEY-A']);
  state.relays = { 'wss://a.example': 'KEY-2' };
  await push.refresh();
  expect(subscribedUnder).toEqual(['KEY-A', 'KEY-2']);
});

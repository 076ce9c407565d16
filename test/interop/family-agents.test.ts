/** What agents of the original family do at a relay beyond its own tests, and what they then count on. */
import { randomBytes } from 'node:crypto';
import { afterEach, describe, expect, it } from 'vitest';
import { keysFrom } from './family-keys.js';
import {
  envelope,
  FamilyRelay,
  hearsMessages,
  hearsPresence,
  noncesOf,
  stores,
  TOKEN,
} from './family-relay.js';
import { asAgent, asClient, asPairing, innerFields } from './family-socket.js';

const agentKeys = keysFrom(1);
const deviceKeys = keysFrom(2);
const strangerKeys = keysFrom(3);

let relay: FamilyRelay;
afterEach(() => relay.close());

describe('an agent of the family', () => {
  it('hears no field it does not know', async () => {
    relay = await FamilyRelay.start();
    const agent = relay.dial();
    await agent.logIn(agentKeys, asAgent(agentKeys));
    await agent.frame('auth_ok');
    expect(innerFields(agent.lastBytes)).toEqual([1]);
    agent.send({ type: 'pairing_start', pairingToken: TOKEN, ttl: 300 });
    await agent.frame('pairing_ready');
    await relay.pairing(deviceKeys, agentKeys);
    await agent.frame('client_paired');
    expect(innerFields(agent.lastBytes)).toEqual([1, 2, 3]);
    agent.send({ type: 'authorize', clients: [deviceKeys.ed25519] });
    await agent.frame('authorize_ok');
    const app = await relay.client(deviceKeys, agentKeys);
    expect(innerFields(app.lastBytes)).toEqual([1]);
    await hearsPresence(agent, deviceKeys, 'online');
    app.send(envelope(agentKeys, false));
    await agent.frame('message');
    expect(innerFields(agent.lastBytes)).toEqual([1, 2, 3]);
    app.send(envelope(agentKeys, true));
    await agent.frame('message');
    expect(innerFields(agent.lastBytes)).toEqual([1, 2, 3]);
  });

  it('authorizes an empty list at its first login, and a device that paired while it was away is told to it', async () => {
    relay = await FamilyRelay.start();
    const first = await relay.agent(agentKeys);
    first.send({ type: 'authorize', clients: [] });
    expect((await first.frame('authorize_ok')).authorized).toBe(0);
    first.send({ type: 'pairing_start', pairingToken: TOKEN, ttl: 300 });
    await first.frame('pairing_ready');
    first.close();
    await relay.pairing(deviceKeys, agentKeys);
    const again = await relay.agent(agentKeys);
    expect(Buffer.from((await again.frame('client_paired')).clientX25519Pub)).toEqual(deviceKeys.x25519);
  });

  it('authorizes at once and writes before the device ever logged in: nothing of that is lost', async () => {
    relay = await FamilyRelay.start();
    const agent = await relay.agent(agentKeys);
    agent.send({ type: 'pairing_start', pairingToken: TOKEN, ttl: 300 });
    await agent.frame('pairing_ready');
    await relay.pairing(deviceKeys, agentKeys);
    await agent.frame('client_paired');
    const queued = [envelope(deviceKeys, false), envelope(deviceKeys, false)];
    agent.send({ type: 'authorize', clients: [deviceKeys.ed25519] });
    for (const message of queued) agent.send(message);
    await agent.frame('authorize_ok');
    await agent.hearsNothing();
    const app = await relay.client(deviceKeys, agentKeys);
    expect(await hearsMessages(app, 2)).toEqual(noncesOf(queued));
  });

  it('comes back with its list: the device stays, hears it go and come, and nothing else', async () => {
    relay = await FamilyRelay.start();
    const { agent, app } = await relay.couple(agentKeys, deviceKeys);
    agent.close();
    await hearsPresence(app, agentKeys, 'offline');
    const again = await relay.agent(agentKeys);
    again.send({ type: 'authorize', clients: [deviceKeys.ed25519] });
    expect((await again.frame('authorize_ok')).authorized).toBe(1);
    await hearsPresence(app, agentKeys, 'online');
    await app.hearsNothing();
  });

  it('has one connection: a newer login ends the older one', async () => {
    relay = await FamilyRelay.start();
    const older = await relay.agent(agentKeys);
    const newer = await relay.agent(agentKeys);
    await older.end();
    await newer.hearsNothing();
  });

  it('revokes a device: its connection ends, its next login is unauthorized, its queue is gone', async () => {
    relay = await FamilyRelay.start();
    const { agent, app } = await relay.couple(agentKeys, deviceKeys);
    agent.send({ type: 'authorize', clients: [] });
    await hearsPresence(agent, deviceKeys, 'offline');
    expect((await agent.frame('authorize_ok')).authorized).toBe(0);
    await app.end();
    const socket = relay.dial();
    await socket.logIn(deviceKeys, asClient(deviceKeys, agentKeys));
    expect((await socket.frame('auth_error')).code).toBe('unauthorized');
    agent.send(envelope(deviceKeys, false));
    expect((await agent.frame('error')).code).toBe('not_found');
  });

  it('is told of a known device that pairs again, with its new key', async () => {
    relay = await FamilyRelay.start();
    const agent = await relay.agent(agentKeys);
    await relay.admit(agent, agentKeys, deviceKeys);
    const renewed = { ...deviceKeys, x25519: strangerKeys.x25519 };
    await relay.admit(agent, agentKeys, renewed);
    await relay.client(deviceKeys, agentKeys);
    await hearsPresence(agent, deviceKeys, 'online');
  });

  it('has its window clamped to ten minutes, replaced by a newer one and closed by a stop', async () => {
    relay = await FamilyRelay.start();
    const agent = await relay.agent(agentKeys);
    agent.send({ type: 'pairing_start', pairingToken: TOKEN, ttl: 3600 });
    expect((await agent.frame('pairing_ready')).ttl).toBe(600);
    agent.send({ type: 'pairing_start', pairingToken: randomBytes(32), ttl: 1 });
    expect((await agent.frame('pairing_ready')).ttl).toBe(1);
    agent.send({ type: 'pairing_stop' });
    await agent.frame('pairing_stop_ok');
    const late = relay.dial();
    await late.logIn(deviceKeys, asPairing(deviceKeys, agentKeys, TOKEN));
    expect((await late.frame('auth_error')).code).toBe('pairing_closed');
  });

  it('may queue 200 messages for a device and then hears queue_full, connected as before', async () => {
    relay = await FamilyRelay.start('memory', { bucketMessages: 1000 });
    const agent = await relay.agent(agentKeys);
    await relay.admit(agent, agentKeys, deviceKeys);
    for (let i = 0; i < 200; i++) agent.send(envelope(deviceKeys, false));
    await agent.hearsNothing();
    agent.send(envelope(deviceKeys, false));
    expect((await agent.frame('error')).code).toBe('queue_full');
    await agent.hearsNothing();
  });

  it.each(stores)(
    'writes a burst and leaves at once: all of it was received, all of it counts (%s)',
    async (store) => {
      relay = await FamilyRelay.start(store);
      const agent = await relay.agent(agentKeys);
      await relay.admit(agent, agentKeys, deviceKeys);
      const burst = Array.from({ length: 150 }, () => envelope(deviceKeys, false));
      for (const message of burst) agent.send(message);
      agent.close();
      const app = await relay.client(deviceKeys, agentKeys);
      const heard: string[] = [];
      while (heard.length < burst.length) {
        const frame = await app.any();
        if (frame.type === 'message') heard.push(...noncesOf([frame]));
      }
      expect(heard).toEqual(noncesOf(burst));
    },
  );

  it('gets a pong for its pings, which carry nothing', async () => {
    relay = await FamilyRelay.start();
    const agent = await relay.agent(agentKeys);
    expect(await agent.ping('')).toBe('');
  });
});

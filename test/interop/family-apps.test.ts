/** What apps of the original family do at a relay beyond its own tests, and what they then count on. */
import type { RelayFrame } from '@countersign/protocol';
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
import { asClient, asPairing, PLATFORM_ANDROID, PLATFORM_IOS } from './family-socket.js';

const agentKeys = keysFrom(1);
const deviceKeys = keysFrom(2);
const strangerKeys = keysFrom(3);

let relay: FamilyRelay;
afterEach(() => relay.close());

describe('an app of the family', () => {
  it.each([PLATFORM_IOS, PLATFORM_ANDROID])('pairs and logs in from platform %d', async (platform) => {
    relay = await FamilyRelay.start();
    const agent = await relay.agent(agentKeys);
    agent.send({ type: 'pairing_start', pairingToken: TOKEN, ttl: 300 });
    await agent.frame('pairing_ready');
    const pairing = relay.dial();
    await pairing.logIn(deviceKeys, asPairing(deviceKeys, agentKeys, TOKEN, platform));
    await pairing.frame('auth_ok');
    await pairing.end();
    expect((await agent.frame('client_paired')).platform).toBe(platform);
    agent.send({ type: 'authorize', clients: [deviceKeys.ed25519] });
    await agent.frame('authorize_ok');
    const app = relay.dial();
    await app.logIn(deviceKeys, asClient(deviceKeys, agentKeys, platform));
    await app.frame('auth_ok');
  });

  it('finds the word unauthorized in no refusal that means something else: it would unpair', async () => {
    relay = await FamilyRelay.start();
    await relay.agent(agentKeys);
    const refusals = [
      [deviceKeys, asClient(deviceKeys, strangerKeys)],
      [strangerKeys, asClient(deviceKeys, agentKeys)],
      [deviceKeys, asClient(deviceKeys, agentKeys, 0)],
      [deviceKeys, asPairing(deviceKeys, agentKeys, TOKEN)],
      [deviceKeys, { ...asClient(deviceKeys, agentKeys), namespaceId: Buffer.alloc(31) }],
    ] as const;
    const codes: string[] = [];
    for (const [keys, role] of refusals) {
      const socket = relay.dial();
      await socket.logIn(keys, role);
      const { code, message } = await socket.frame('auth_error');
      codes.push(code);
      expect(`${code}: ${message}`).not.toContain('unauthorized');
      await socket.end();
    }
    expect(codes).toEqual(['not_found', 'invalid_signature', 'bad_request', 'pairing_closed', 'bad_request']);
  });

  it('says hello, asks who is there and for its inbox in one breath, and is answered in that order', async () => {
    relay = await FamilyRelay.start();
    const { agent, app } = await relay.couple(agentKeys, deviceKeys);
    const hello = envelope(agentKeys, false);
    const inboxRequest = envelope(agentKeys, true);
    app.send(hello);
    app.send({ type: 'presence_request' });
    app.send(inboxRequest);
    expect((await app.frame('presence_list')).online).toHaveLength(2);
    expect(await hearsMessages(agent, 2)).toEqual(noncesOf([hello, inboxRequest]));
  });

  it('hears peer_offline for its inbox request while the agent is away, and ONLINE when it comes', async () => {
    relay = await FamilyRelay.start();
    const { agent, app } = await relay.couple(agentKeys, deviceKeys);
    agent.close();
    await hearsPresence(app, agentKeys, 'offline');
    app.send(envelope(agentKeys, true));
    expect(Buffer.from((await app.frame('peer_offline')).peer)).toEqual(agentKeys.ed25519);
    await relay.agent(agentKeys);
    await hearsPresence(app, agentKeys, 'online');
  });

  it('gets queued and live messages of the agent with rising counters: it drops any other', async () => {
    relay = await FamilyRelay.start();
    const agent = await relay.agent(agentKeys);
    await relay.admit(agent, agentKeys, deviceKeys);
    const early = [envelope(deviceKeys, false), envelope(deviceKeys, false)];
    for (const message of early) agent.send(message);
    await agent.hearsNothing();
    const app = await relay.client(deviceKeys, agentKeys);
    const late = [false, true, false, true, true, false].map((live) => envelope(deviceKeys, live));
    for (const message of late) agent.send(message);
    expect(await hearsMessages(app, 8)).toEqual(noncesOf([...early, ...late]));
  });

  it('reconnects while its older connection still hangs: the newer one serves it', async () => {
    relay = await FamilyRelay.start();
    const { agent, app } = await relay.couple(agentKeys, deviceKeys);
    const newer = await relay.client(deviceKeys, agentKeys);
    await app.end();
    await hearsPresence(agent, deviceKeys, 'online');
    const message = envelope(deviceKeys, true);
    agent.send(message);
    expect(await hearsMessages(newer, 1)).toEqual(noncesOf([message]));
  });

  it.each(stores)(
    'answers from a notification: log in, write, leave; nothing is lost (%s)',
    async (store) => {
      relay = await FamilyRelay.start(store);
      const agent = await relay.agent(agentKeys);
      await relay.admit(agent, agentKeys, deviceKeys);
      const app = await relay.client(deviceKeys, agentKeys);
      await hearsPresence(agent, deviceKeys, 'online');
      const answers = Array.from({ length: 5 }, () => envelope(agentKeys, false));
      for (const message of answers) app.send(message);
      app.close();
      // Its going may be told before the store is done.
      const heard: RelayFrame[] = [];
      while (heard.length < 6) heard.push(await agent.any());
      expect(noncesOf(heard.filter((frame) => frame.type === 'message'))).toEqual(noncesOf(answers));
    },
  );

  it('finds its answer still there when the agent was away for a moment', async () => {
    relay = await FamilyRelay.start();
    const { agent, app } = await relay.couple(agentKeys, deviceKeys);
    agent.close();
    await hearsPresence(app, agentKeys, 'offline');
    const answer = envelope(agentKeys, false);
    app.send(answer);
    await app.hearsNothing();
    const again = await relay.agent(agentKeys);
    expect(await hearsMessages(again, 1)).toEqual(noncesOf([answer]));
  });
});

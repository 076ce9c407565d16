/**
 * What the original family's own tests of a relay ask of one, in the order they ask it: its peers announce nothing,
 * sign with fixed seeds and stop at any frame they do not expect.
 */
import { afterEach, describe, expect, it } from 'vitest';
import { keysFrom, namespaceOf } from './family-keys.js';
import { envelope, FamilyRelay, hearsPresence, stores } from './family-relay.js';
import { asAgent, asClient } from './family-socket.js';

const agentKeys = keysFrom(1);
const deviceKeys = keysFrom(2);

let relay: FamilyRelay;
afterEach(() => relay.close());

describe.each(stores)('a relay on %s', (store) => {
  it('speaks first and gives an agent the namespace of its key', async () => {
    relay = await FamilyRelay.start(store);
    const socket = relay.dial();
    await socket.logIn(agentKeys, asAgent(agentKeys));
    const { namespaceId } = await socket.frame('auth_ok');
    expect(Buffer.from(namespaceId)).toEqual(namespaceOf(agentKeys.ed25519));
    await socket.hearsNothing();
  });

  it('answers a signature over something else with invalid_signature and then closes', async () => {
    relay = await FamilyRelay.start(store);
    const socket = relay.dial();
    await socket.frame('challenge');
    const signature = agentKeys.login(Buffer.from('not the challenge'));
    socket.send({ type: 'auth', role: asAgent(agentKeys), signature, capabilities: [] });
    expect((await socket.frame('auth_error')).code).toBe('invalid_signature');
    await socket.end();
  });

  it('answers a device nobody authorized with unauthorized and then closes', async () => {
    relay = await FamilyRelay.start(store);
    await relay.agent(agentKeys);
    const socket = relay.dial();
    await socket.logIn(deviceKeys, asClient(deviceKeys, agentKeys));
    expect((await socket.frame('auth_error')).code).toBe('unauthorized');
    await socket.end();
  });

  it('carries messages of any length both ways, byte for byte, naming their sender', async () => {
    relay = await FamilyRelay.start(store);
    const { agent, app } = await relay.couple(agentKeys, deviceKeys);
    const greeting = Buffer.from('hello world');
    agent.send({ ...envelope(deviceKeys, false, greeting), nonce: Buffer.alloc(12) });
    const heard = await app.frame('message');
    expect(Buffer.from(heard.ciphertext)).toEqual(greeting);
    expect(Buffer.from(heard.nonce)).toEqual(Buffer.alloc(12));
    expect(Buffer.from(heard.peer)).toEqual(agentKeys.ed25519);
    expect(heard.live).toBe(false);

    const nonce = Buffer.from('000000020000000000000001', 'hex');
    const reply = Buffer.from('reply');
    app.send({ ...envelope(agentKeys, false, reply), nonce });
    const back = await agent.frame('message');
    expect(Buffer.from(back.ciphertext)).toEqual(reply);
    expect(Buffer.from(back.nonce)).toEqual(nonce);
    expect(Buffer.from(back.peer)).toEqual(deviceKeys.ed25519);
  });

  it('answers a live message to a device that never connected with peer_offline', async () => {
    relay = await FamilyRelay.start(store);
    const agent = await relay.agent(agentKeys);
    await relay.admit(agent, agentKeys, deviceKeys);
    agent.send(envelope(deviceKeys, true));
    expect(Buffer.from((await agent.frame('peer_offline')).peer)).toEqual(deviceKeys.ed25519);
  });

  it('lists everybody who is online, the asking one included', async () => {
    relay = await FamilyRelay.start(store);
    const { agent } = await relay.couple(agentKeys, deviceKeys);
    agent.send({ type: 'presence_request' });
    const { online } = await agent.frame('presence_list');
    const sorted = (keys: readonly Uint8Array[]) =>
      keys.map((key) => Buffer.from(key).toString('hex')).toSorted();
    expect(sorted(online)).toEqual(sorted([agentKeys.ed25519, deviceKeys.ed25519]));
  });

  it.each(['end', 'reset'] as const)('tells the agent of a device that vanishes (%s)', async (how) => {
    relay = await FamilyRelay.start(store);
    const { agent, app } = await relay.couple(agentKeys, deviceKeys);
    app.vanish(how);
    await hearsPresence(agent, deviceKeys, 'offline');
  });

  it('keeps a queued message for a device that is away without a word to its sender', async () => {
    relay = await FamilyRelay.start(store);
    const agent = await relay.agent(agentKeys);
    await relay.admit(agent, agentKeys, deviceKeys);
    const message = envelope(deviceKeys, false);
    agent.send(message);
    await agent.hearsNothing();
    const app = await relay.client(deviceKeys, agentKeys);
    expect(Buffer.from((await app.frame('message')).nonce)).toEqual(message.nonce);
  });
});

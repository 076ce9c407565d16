/** What agents and apps of the original family do at a relay beyond its own tests, and what they then count on. */
import { randomBytes } from 'node:crypto';
import type { RelayFrame } from '@countersign/protocol';
import { afterEach, describe, expect, it } from 'vitest';
import { keysFrom } from './family-keys.js';
import { envelope, FamilyRelay, hearsPresence, type StoreKind, TOKEN } from './family-relay.js';
import {
  asAgent,
  asClient,
  asPairing,
  type FamilySocket,
  innerFields,
  PLATFORM_ANDROID,
  PLATFORM_IOS,
} from './family-socket.js';

const agentKeys = keysFrom(1);
const deviceKeys = keysFrom(2);
const strangerKeys = keysFrom(3);
const stores: StoreKind[] = ['memory', 'sqlite'];
const KIB = 1024;
/** Bytes of a message frame beside its ciphertext, lengths of three bytes included. */
const liveOverhead = (ciphertextBytes: number) => frameBytes(ciphertextBytes, true) - ciphertextBytes;

function frameBytes(ciphertextBytes: number, live: boolean): number {
  const lengthBytes = (value: number) => (value < 128 ? 1 : value < 16_384 ? 2 : 3);
  const body = 1 + lengthBytes(ciphertextBytes) + ciphertextBytes + 14 + 34 + (live ? 2 : 0);
  return 1 + lengthBytes(body) + body;
}

let relay: FamilyRelay;
afterEach(() => relay.close());

async function nonces(socket: FamilySocket, count: number): Promise<string[]> {
  const all: string[] = [];
  for (let i = 0; i < count; i++)
    all.push(Buffer.from((await socket.frame('message')).nonce).toString('hex'));
  return all;
}

const hex = (messages: readonly { nonce: Uint8Array }[]) =>
  messages.map(({ nonce }) => Buffer.from(nonce).toString('hex'));

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
    expect(await nonces(app, 2)).toEqual(hex(queued));
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
        if (frame.type === 'message') heard.push(...hex([frame]));
      }
      expect(heard).toEqual(hex(burst));
    },
  );

  it('gets a pong for its pings, which carry nothing', async () => {
    relay = await FamilyRelay.start();
    const agent = await relay.agent(agentKeys);
    expect(await agent.ping('')).toBe('');
  });
});

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
    expect(await nonces(agent, 2)).toEqual(hex([hello, inboxRequest]));
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
    expect(await nonces(app, 8)).toEqual(hex([...early, ...late]));
  });

  it('reconnects while its older connection still hangs: the newer one serves it', async () => {
    relay = await FamilyRelay.start();
    const { agent, app } = await relay.couple(agentKeys, deviceKeys);
    const newer = await relay.client(deviceKeys, agentKeys);
    await app.end();
    await hearsPresence(agent, deviceKeys, 'online');
    const message = envelope(deviceKeys, true);
    agent.send(message);
    expect(await nonces(newer, 1)).toEqual(hex([message]));
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
      expect(hex(heard.filter((frame) => frame.type === 'message'))).toEqual(hex(answers));
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
    expect(await nonces(again, 1)).toEqual(hex([answer]));
  });
});

describe('any peer of the family', () => {
  it('stays connected after a frame that is empty, not for its role, for nobody, or badly sized', async () => {
    relay = await FamilyRelay.start();
    const { app } = await relay.couple(agentKeys, deviceKeys);
    const refused = async (code: string) => expect((await app.frame('error')).code).toBe(code);
    app.sendRaw(new Uint8Array(0));
    await refused('bad_request');
    app.send({ type: 'authorize', clients: [] });
    await refused('bad_request');
    app.send({ type: 'pairing_start', pairingToken: TOKEN, ttl: 300 });
    await refused('bad_request');
    app.send({ type: 'pairing_stop' });
    await refused('bad_request');
    app.send(envelope(strangerKeys, false));
    await refused('not_found');
    app.send({ ...envelope(agentKeys, false), peer: Buffer.alloc(31) });
    await refused('bad_request');
    app.send({ ...envelope(agentKeys, false), nonce: Buffer.alloc(11) });
    await refused('bad_request');
    app.send(envelope(agentKeys, false, Buffer.alloc(0)));
    await refused('bad_request');
    await app.hearsNothing();
  });

  it('is not answered when it sends text, an error or what only relays send', async () => {
    relay = await FamilyRelay.start();
    const { app } = await relay.couple(agentKeys, deviceKeys);
    app.sendRaw('text');
    app.send({ type: 'error', code: 'x', message: '' });
    app.send({ type: 'presence_list', online: [] });
    app.send({ type: 'challenge', nonce: Buffer.alloc(32) });
    await app.hearsNothing();
  });

  it('may queue a frame of 64 KiB and send one of 512 KiB live, no byte more', async () => {
    relay = await FamilyRelay.start();
    const { agent, app } = await relay.couple(agentKeys, deviceKeys);
    const queuedBytes = 64 * KIB - (frameBytes(60 * KIB, false) - 60 * KIB);
    const liveBytes = 512 * KIB - liveOverhead(500 * KIB);
    app.send(envelope(agentKeys, false, Buffer.alloc(queuedBytes)));
    expect((await agent.frame('message')).ciphertext).toHaveLength(queuedBytes);
    app.send(envelope(agentKeys, true, Buffer.alloc(liveBytes)));
    expect((await agent.frame('message')).ciphertext).toHaveLength(liveBytes);
    app.send(envelope(agentKeys, false, Buffer.alloc(queuedBytes + 1)));
    expect((await app.frame('error')).code).toBe('payload_too_large');
    await app.end();
  });

  it('is told bad_request and left when its frame is garbage', async () => {
    relay = await FamilyRelay.start();
    const { app } = await relay.couple(agentKeys, deviceKeys);
    app.sendRaw(Buffer.alloc(20, 0xff));
    expect((await app.frame('error')).code).toBe('bad_request');
    await app.end();
  });
});

describe('the HTTP side', () => {
  it('has /healthz, and no byte-stream endpoint', async () => {
    relay = await FamilyRelay.start();
    const base = relay.running.url.replace('ws', 'http');
    const health = await fetch(`${base}/healthz`);
    expect([health.status, await health.text()]).toEqual([200, 'ok']);
    expect((await fetch(`${base}/v1/pipe`)).status).toBe(404);
  });
});

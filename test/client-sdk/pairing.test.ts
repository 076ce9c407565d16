/** How a device becomes known to an agent, what it says while it waits, and what no relay can take from it. */
import { type Client, openClient, pair, type Storage } from '@countersign/client-sdk';
import { memoryStorage } from '@countersign/client-sdk/storage/memory';
import { startRelay } from '@countersign/server';
import { describe, expect, it } from 'vitest';
import { FakeRelay } from '../support/link/fake-relay.js';
import { inboxWhen, until } from './waiting.js';
import { atEnd, openDevice, World } from './world.js';

const named = (storage: Storage) => ({ storage, deviceName: 'test device' });
const problemIs = (code: string) => (inbox: ReturnType<Client['inbox']['get']>) =>
  inbox.pairings[0]?.problem?.code === code;

describe('pairing', () => {
  it('shows a code, waits for the agent to confirm it, then connects and says hello', async () => {
    const world = await World.start();
    const agent = await world.agent();
    agent.authorizes = false;
    const storage = memoryStorage();
    const pairing = await pair(await agent.pairingLink(), named(storage));
    expect(pairing).toMatchObject({
      id: agent.namespaceHex,
      agentName: 'demo agent',
      relayUrl: world.relay.url,
    });
    expect(pairing.code).toMatch(/^[0-9A-HJKMNP-TV-Z]{4}-[0-9A-HJKMNP-TV-Z]{4}$/);

    const client = await openDevice({ storage });
    const { pairings } = await inboxWhen(client, problemIs('waiting_for_confirmation'));
    expect(pairings[0]?.problem?.message).toContain(pairing.code);
    await agent.authorizeAll();
    await inboxWhen(client, (inbox) => inbox.pairings[0]?.snapshotAt !== undefined);
    const { payload } = await agent.payload('hello');
    expect(payload).toMatchObject({ device_info: { platform: 'web', device_name: 'test device' } });
    expect(payload.supports).toEqual(expect.arrayContaining(['receipts', 'acks', 'choices']));
  });

  it('makes no second device when the same link is used again', async () => {
    const world = await World.start();
    const agent = await world.agent();
    const storage = memoryStorage();
    const link = await agent.pairingLink();
    const first = await pair(link, named(storage));
    expect(await pair(link, named(storage))).toEqual(first);
    await until(() => agent.devices.length === 1);
  });

  it('finishes with the same keys after a lost reply', async () => {
    const relay = await FakeRelay.start();
    atEnd(() => relay.close());
    const world = await World.start();
    const agent = await world.agent();
    const pairing = pair(await agent.pairingLink({ relayUrl: relay.url }), named(memoryStorage()));
    const first = await relay.challenged();
    const lost = await first.take('auth');
    first.socket.terminate();
    const second = await relay.challenged();
    const again = await second.take('auth');
    expect(again.role).toEqual(lost.role);
    await second.acceptLogin(again, []);
    const { role } = again;
    expect(role.kind === 'pairing' && Buffer.from(role.clientEd25519Pub).toString('hex')).toBe(
      (await pairing).deviceId,
    );
  });

  it('keeps its keys when the process ends before the relay answered', async () => {
    const relay = await FakeRelay.start();
    atEnd(() => relay.close());
    const world = await World.start();
    const agent = await world.agent();
    const storage = memoryStorage();
    const link = await agent.pairingLink({ relayUrl: relay.url });
    const ending = new AbortController();
    const dying = pair(link, { ...named(storage), signal: ending.signal });
    const { role } = await (await relay.challenged()).take('auth');
    ending.abort(new Error('the process ended'));
    await expect(dying).rejects.toThrow('the process ended');

    const retried = pair(link, named(storage));
    const side = await relay.challenged();
    const auth = await side.take('auth');
    expect(auth.role).toEqual(role);
    await side.acceptLogin(auth, []);
    await retried;
  });

  it('stands beside an earlier pairing with the same agent, which keeps working', async () => {
    const world = await World.start();
    const agent = await world.agent();
    const { storage, client, pairing } = await world.device(agent);
    const second = await pair(await agent.pairingLink(), named(storage));
    expect(second.id).not.toBe(pairing.id);
    expect(second.deviceId).not.toBe(pairing.deviceId);
    await client.refreshPairings();
    await inboxWhen(
      client,
      ({ pairings }) => pairings.filter((one) => one.connection === 'online').length === 2,
    );
  });
});

describe('a pairing link that is of no use', () => {
  const failure = (link: string, storage = memoryStorage()) =>
    pair(link, named(storage)).then(
      () => undefined,
      (error: { code: string }) => error.code,
    );

  it('is named as no link', async () => {
    expect(await failure('https://example.org/#p=AAAA')).toBe('invalid_link');
    expect(await failure('')).toBe('invalid_link');
    expect(await failure(JSON.stringify({ v: 1, __proto__: null }))).toBe('invalid_link');
  });

  it('is told apart when another device used it', async () => {
    const world = await World.start();
    const agent = await world.agent();
    const link = await agent.pairingLink();
    await pair(link, named(memoryStorage()));
    expect(await failure(link)).toBe('pairing_closed');
  });

  it('is named as expired when its time is over and the relay has closed it', async () => {
    const world = await World.start();
    const agent = await world.agent();
    const link = await agent.pairingLink({ exp: 1_700_000_000 });
    await agent.link.pairingStop();
    expect(await failure(link)).toBe('link_expired');
  });

  it('still works when only this clock thinks it is over', async () => {
    const world = await World.start();
    const agent = await world.agent();
    expect(await failure(await agent.pairingLink({ exp: 1_700_000_000 }))).toBeUndefined();
  });

  it('is told apart when it leads to another relay', async () => {
    const world = await World.start();
    const other = await startRelay({ port: 0 });
    atEnd(() => other.close());
    const agent = await world.agent();
    expect(await failure(await agent.pairingLink({ relayUrl: other.url }))).toBe('not_found');
  });

  it('is refused when the relay cannot prove its name', async () => {
    const relay = await FakeRelay.start();
    atEnd(() => relay.close());
    relay.boundTo = 'relay.example';
    const world = await World.start();
    const agent = await world.agent();
    const failed = failure(await agent.pairingLink({ relayUrl: relay.url }));
    await relay.challenged();
    expect(await failed).toBe('relay_binding');
  });

  it('says so when the relay knows no web devices', async () => {
    const relay = await FakeRelay.start();
    atEnd(() => relay.close());
    const world = await World.start();
    const agent = await world.agent();
    const failed = failure(await agent.pairingLink({ relayUrl: relay.url }));
    const side = await relay.challenged();
    await side.take('auth');
    side.send({ type: 'auth_error', code: 'bad_request', message: 'platform' });
    expect(await failed).toBe('unsupported');
  });
});

describe('a paired device', () => {
  it('still waits after a restart, before its first success', async () => {
    const world = await World.start();
    const agent = await world.agent();
    agent.authorizes = false;
    const storage = memoryStorage();
    await pair(await agent.pairingLink(), named(storage));
    const before = await openClient({ storage, onAlert: async () => true });
    await inboxWhen(before, problemIs('waiting_for_confirmation'));
    await before.close();
    await inboxWhen(await openDevice({ storage }), problemIs('waiting_for_confirmation'));
  });

  it('says that it was revoked, and keeps its keys', async () => {
    const world = await World.start();
    const agent = await world.agent();
    const { client, storage, pairing } = await world.device(agent);
    await agent.revokeAll();
    await inboxWhen(client, problemIs('revoked'));
    await client.close();
    const again = await openDevice({ storage });
    await inboxWhen(again, problemIs('revoked'));
    expect(await again.pairings.list()).toEqual([pairing]);
  });

  it('says to pair again when the relay has forgotten the agent, and keeps its keys', async () => {
    const first = await startRelay({ port: 0 });
    const world = await World.start();
    const agent = await world.agent({ relayUrl: first.url });
    const storage = memoryStorage();
    const pairing = await pair(await agent.pairingLink({ relayUrl: first.url }), named(storage));
    await agent.close();
    await first.close();
    const forgetful = await startRelay({ port: first.port });
    atEnd(() => forgetful.close());
    const client = await openDevice({ storage });
    const { pairings } = await inboxWhen(client, problemIs('not_found'));
    expect(pairings[0]?.problem?.message).toContain('pair');
    expect(await client.pairings.list()).toEqual([pairing]);
  });

  it('tells the agent when previews become private, and when they are not any more', async () => {
    const world = await World.start();
    const agent = await world.agent();
    const { client } = await world.device(agent);
    const hellos = () =>
      agent.received
        .filter(({ payload }) => payload.kind === 'hello')
        .map(({ payload }) => payload.private_previews ?? false);
    await until(() => hellos().length === 1);
    await client.setPrivatePreviews(true);
    await until(() => hellos().length === 2);
    await client.setPrivatePreviews(false);
    await until(() => hellos().length === 3);
    expect(hellos()).toEqual([false, true, false]);
  });

  it('says hello once, and asks for the inbox at every login, telling what it saw', async () => {
    const world = await World.start();
    const agent = await world.agent();
    const { client, storage } = await world.device(agent);
    await agent.payload('hello');
    await client.close();
    agent.received.length = 0;
    const again = await openDevice({ storage });
    const { payload, live } = await agent.payload('inbox_request');
    expect(live).toBe(true);
    expect(payload.seen).toBeGreaterThan(1e15);
    expect(payload.used).toBeGreaterThan(1e15);
    await inboxWhen(again, ({ pairings }) => pairings[0]?.agentOnline === true);
    expect(agent.received.some(({ payload }) => payload.kind === 'hello')).toBe(false);
  });

  it('leaves the agent and forgets everything when it is unpaired', async () => {
    const world = await World.start();
    const agent = await world.agent();
    const { client, storage, pairing } = await world.device(agent);
    await agent.queue(
      pairing.deviceId,
      agent.notification({ body: 'Write notes.txt', request_id: 'appr_x' }),
    );
    await inboxWhen(client, ({ items }) => items.length === 1);
    await client.pairings.unpair(pairing.id);
    await agent.payload('logout');
    expect(client.inbox.get()).toEqual({ items: [], badge: 0, pairings: [], bypasses: [] });
    const left = await storage.transaction(async (tx) => {
      const all = ['pairings', 'channels', 'outbox', 'answers', 'inbox', 'alerts', 'meta'] as const;
      return (await Promise.all(all.map(async (name) => tx.list(name)))).flat();
    });
    expect(left).toEqual([]);
    await expect(client.requestInbox(pairing.id)).rejects.toMatchObject({ code: 'not_paired' });
  });

  it('shows the items of several agents side by side', async () => {
    const world = await World.start();
    const [one, two] = [await world.agent(), await world.agent()];
    const { client, storage } = await world.device(one);
    await pair(await two.pairingLink(), named(storage));
    await client.refreshPairings();
    await until(() => two.received.some(({ payload }) => payload.kind === 'inbox_request'));
    await one.ask('approval', { request_id: 'appr_one' });
    await two.ask('approval', { request_id: 'appr_two' });
    const inbox = await inboxWhen(client, ({ items }) => items.length === 2);
    expect(inbox.badge).toBe(2);
    expect(new Set(inbox.items.map(({ pairingId }) => pairingId))).toEqual(
      new Set([one.namespaceHex, two.namespaceHex]),
    );
  });
});

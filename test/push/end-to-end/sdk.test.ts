/** From an agent's question to what stands on a phone and back, through a real relay and the gateways (04 §1). */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Agent, openAgent, type PushReport } from '@countersign/agent-sdk';
import { fetchPushInfo } from '@countersign/client-sdk';
import { type RunningRelay, startRelay } from '@countersign/server';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { itemWhen, until } from '../../client-sdk/waiting.js';
import { type Gateways, startGateways } from '../../gateways/index.js';
import { providerSettings } from '../../support/push/push-relay.js';
import { Phone, type PhonePlatform } from '../phone/phone.js';

let gateways: Gateways;
let relay: RunningRelay;
let directory: string;
let vapidKey: string;
beforeAll(async () => {
  gateways = await startGateways();
  directory = mkdtempSync(join(tmpdir(), 'countersign-phone-'));
  relay = await startRelay({ port: 0, opsPort: 'off', ...providerSettings(gateways, directory) });
  vapidKey = (await fetchPushInfo(relay.url))?.vapidKey ?? '';
});
afterAll(async () => {
  await relay.close();
  await gateways.close();
  rmSync(directory, { recursive: true });
});

let agent: Agent;
let reports: PushReport[];
const phones: Phone[] = [];
beforeEach(async () => {
  const dir = mkdtempSync(join(directory, 'agent-'));
  agent = await openAgent({ relayUrl: relay.url, dir: join(dir, 'state'), name: 'Build robot' });
  reports = [];
  agent.on('push', (report) => reports.push(report));
  await agent.whenConnected({ timeoutMs: 10_000 });
});
afterEach(async () => {
  await Promise.all(phones.splice(0).map((phone) => phone.close()));
  await agent.close();
});

async function pairedPhone(platform: PhonePlatform, deviceName = 'Phone'): Promise<Phone> {
  const phone = new Phone(gateways, platform, { vapidKey, deviceName });
  phones.push(phone);
  await phone.pair(agent);
  return phone;
}

/** Closed, and known to be away. */
async function away(phone: Phone): Promise<void> {
  const name = phone.deviceName;
  const gone = new Promise<void>((resolve) => {
    const off = agent.on('device', (device) => {
      if (device.name !== name || device.online) return;
      off();
      resolve();
    });
  });
  await phone.close();
  await gone;
}

async function ask(
  summary: string,
): Promise<{ requestId: string; outcome: ReturnType<Agent['requestApproval']> }> {
  let outcome: ReturnType<Agent['requestApproval']> | undefined;
  const requestId = await new Promise<string>((onAsked) => {
    outcome = agent.requestApproval({ toolName: 'deploy', summary, arguments: { to: 'prod' } }, { onAsked });
  });
  return { requestId, outcome: outcome as ReturnType<Agent['requestApproval']> };
}

const accepted = (requestId: string, device = 'Phone') =>
  until(() => reports.find((one) => one.requestId === requestId && one.device === device));

describe('a phone that is off', () => {
  it.each<PhonePlatform>(['ios', 'android', 'web', 'unifiedpush'])(
    'gets one push, opens it with its keys alone, and shows the whole item on a tap (%s)',
    async (platform) => {
      const phone = await pairedPhone(platform);
      await away(phone);
      const summary = `Deploy ${platform} to production`;
      const { requestId, outcome } = await ask(summary);
      expect(await accepted(requestId)).toMatchObject({ outcome: 'accepted', missed: false });

      const namespace = Buffer.from(agent.namespaceId, 'hex');
      for (const secret of [summary, 'Build robot', requestId, 'prod', namespace]) {
        for (const gateway of [gateways.apns, gateways.fcm, gateways.webPush]) {
          expect(gateway.traffic.find(secret)).toEqual([]);
        }
      }
      expect(await phone.fetchPushes()).toBe(1);
      const [notification] = [...phone.screen.values()];
      expect([...phone.screen.keys()]).toHaveLength(1);
      expect(notification).toMatchObject({ title: 'Build robot', body: summary });
      expect(notification?.alert).toMatchObject({ requestId, badge: 1, seen: false });

      const client = await phone.open();
      const item = await itemWhen(client, requestId);
      expect(item).toMatchObject({ state: 'open', whole: true, entry: { arguments: { to: 'prod' } } });
      const shown = { pairingId: phone.pairingId, requestId, summary, decision: 'approve' as const };
      expect(await client.answerShown(shown)).toMatchObject({ result: 'given' });
      expect(await outcome).toMatchObject({ status: 'approved' });
    },
  );
});

describe('no push is sent', () => {
  it('for an item that ends within the grace, and of one that ends later a quiet one takes the place', async () => {
    const phone = await pairedPhone('ios');
    await away(phone);
    const short = new AbortController();
    const asked = agent.requestApproval({ toolName: 't', summary: 'gone at once' }, { signal: short.signal });
    short.abort();
    expect(await asked).toMatchObject({ status: 'cancelled' });

    const long = new AbortController();
    const requestId = await new Promise<string>((onAsked) => {
      const request = { toolName: 't', summary: 'asked' };
      void agent.requestApproval(request, { signal: long.signal, onAsked });
    });
    await accepted(requestId);
    expect(await phone.fetchPushes()).toBe(1);
    expect(bodies(phone)).toEqual(['asked']);
    long.abort();
    await until(() => reports.filter((one) => one.requestId === requestId).length === 2);
    expect(await phone.fetchPushes()).toBe(1);
    expect(bodies(phone)).toEqual(['cancelled']);
    const { token } = phone.registration as { token: string };
    expect(gateways.apns.shown(token)).toHaveLength(1);
  });

  it('to a phone that is there and proves that it has the message', async () => {
    const phone = await pairedPhone('android');
    const { requestId, outcome } = await ask('seen at once');
    await until(() => bodies(phone).includes('seen at once'));
    const item = await until(() => phone.client.inbox.get().items.find((one) => one.requestId === requestId));
    await phone.client.reject(item);
    await outcome;
    expect(await phone.fetchPushes()).toBe(0);
  });
});

describe('where pushes go', () => {
  it('is where the app registered last, also while it was connected', async () => {
    const phone = await pairedPhone('ios');
    const token = gateways.apns.registerDevice();
    await phone.client.registerPush({ platform: 'ios', token });
    await until(() => phone.client.inbox.get().pairings[0]?.connection === 'online');
    await away(phone);
    const { requestId } = await ask('Deploy');
    await accepted(requestId);
    expect(gateways.apns.shown(token)).toHaveLength(1);
    expect(await phone.fetchPushes()).toBe(0);
  });

  it('is nowhere without a registration, and the agent hears why', async () => {
    const phone = new Phone(gateways, 'none');
    phones.push(phone);
    await phone.pair(agent);
    await away(phone);
    const { requestId } = await ask('Deploy');
    expect(await accepted(requestId)).toMatchObject({ outcome: 'no_token', missed: true });
  });
});

describe('an answer on one phone', () => {
  it('takes the place of what stands on the other, by push, and in the app when that opens instead', async () => {
    const one = await pairedPhone('ios', 'One');
    const other = await pairedPhone('android', 'Other');
    await away(other);
    const { requestId, outcome } = await ask('Drop the table');
    await accepted(requestId, 'Other');
    await other.fetchPushes();
    expect(bodies(other)).toEqual(['Drop the table']);

    const item = await until(() => one.client.inbox.get().items.find((each) => each.requestId === requestId));
    await one.client.reject(item);
    expect(await outcome).toMatchObject({ status: 'rejected' });
    await until(() => reports.filter((each) => each.device === 'Other').length === 2);
    await other.fetchPushes();
    expect(bodies(other)).toEqual(['rejected on One']);
    await other.open();
    expect(bodies(other)).toEqual(['rejected on One']);
  });

  it('clears the screen of one that missed the push', async () => {
    const one = await pairedPhone('ios', 'One');
    const other = await pairedPhone('web', 'Other');
    await away(other);
    const { requestId, outcome } = await ask('Drop the table');
    await accepted(requestId, 'Other');
    await other.fetchPushes();
    const item = await until(() => one.client.inbox.get().items.find((each) => each.requestId === requestId));
    await one.client.reject(item);
    await outcome;
    await other.open();
    await until(() => bodies(other)[0] !== 'Drop the table' || void other.tidy());
    expect(bodies(other)).toEqual(['rejected on One']);
  });
});

const bodies = (phone: Phone) => [...phone.screen.values()].map(({ body }) => body);

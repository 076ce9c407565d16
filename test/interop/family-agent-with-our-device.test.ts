/** An agent of the original family with our device: numbered requests, no digests, no acks. */
import { type Client, type InboxItem, openClient, pair } from '@countersign/client-sdk';
import { memoryStorage } from '@countersign/client-sdk/storage/memory';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { FamilyAgent } from './family-agent.js';
import { keysFrom } from './family-keys.js';
import { FamilyRelay } from './family-relay.js';

let relay: FamilyRelay;
const closers: (() => unknown)[] = [];

beforeEach(async () => {
  relay = await FamilyRelay.start();
});
afterEach(async () => {
  for (const close of closers.splice(0).reverse()) await close();
  await relay.close();
});

describe('an agent of the family with our device', () => {
  const approval = {
    request_id: '41',
    tool_name: 'execute_cmd',
    agent_label: 'Skald',
    summary: 'Run a command',
    arguments: { command: 'x'.repeat(2000) },
    created_at: Date.now(),
  };
  const clarification = {
    request_id: '42',
    question: 'Proceed?',
    context: null,
    suggested_answers: [],
    agent_label: 'Skald',
    created_at: Date.now(),
  };
  const elicitation = {
    request_id: '43',
    server_name: 'ssh',
    message: 'Password?',
    field_name: 'password',
    sensitive: true,
    is_confirmation: false,
    created_at: Date.now(),
  };

  async function paired(): Promise<{ agent: FamilyAgent; client: Client }> {
    const agent = await FamilyAgent.start(relay.running.port, keysFrom(1));
    closers.push(() => agent.stop());
    agent.lists.approvals.push(approval);
    agent.lists.clarifications.push(clarification);
    agent.lists.elicitations.push(elicitation);
    const storage = memoryStorage();
    await pair(await agent.qrJson(), { storage, deviceName: 'Desk' });
    const client = await openClient({ storage, onAlert: async () => true });
    closers.push(() => client.close());
    return { agent, client };
  }

  const itemOf = (client: Client, requestId: string): Promise<InboxItem> =>
    expect
      .poll(
        () => client.inbox.get().items.find((item) => item.requestId === requestId && item.state === 'open'),
        { timeout: 5_000 },
      )
      .toBeDefined()
      .then(() => client.inbox.get().items.find((item) => item.requestId === requestId) as InboxItem);

  it('reads hello, and its long, compressed snapshot is read', async () => {
    const { agent, client } = await paired();
    expect(await agent.until(({ kind }) => kind === 'hello')).toMatchObject({
      device_info: { platform: 'web', device_name: 'Desk' },
    });
    const item = await itemOf(client, '41');
    expect(item).toMatchObject({
      kind: 'approval',
      summary: 'Run a command',
      whole: true,
      digestMatches: true,
    });
    expect(item.entry.arguments).toEqual(approval.arguments);
    expect(client.inbox.get().badge).toBe(3);
  });

  it('takes an approval, and the snapshot without the item confirms it', async () => {
    const { agent, client } = await paired();
    const sent = await client.approve(await itemOf(client, '41'));
    expect(await agent.until(({ request_id }) => request_id === 41n)).toMatchObject({ decision: 'approved' });
    expect(await sent.settled()).toMatchObject({ phase: 'confirmed' });
  });

  it('takes a rejection with its reason, an answer and a password', async () => {
    const { agent, client } = await paired();
    await client.reject(await itemOf(client, '41'), { reason: 'not now' });
    expect(await agent.until(({ request_id }) => request_id === 41n)).toMatchObject({
      decision: 'rejected',
      reason: 'not now',
    });
    await client.answer(await itemOf(client, '42'), { kind: 'clarification', answer: 'Go' });
    expect(await agent.until(({ request_id }) => request_id === 42n)).toMatchObject({ answer: 'Go' });
    const content = { password: 'hunter2' };
    await client.answer(await itemOf(client, '43'), { kind: 'elicitation', action: 'accept', content });
    expect(await agent.until(({ request_id }) => request_id === 43n)).toMatchObject({
      action: 'accept',
      content,
    });
    expect(agent.received.filter(({ kind }) => kind === 'unknown')).toEqual([]);
  });

  it('forgets a device that unpairs', async () => {
    const { agent, client } = await paired();
    await itemOf(client, '41');
    const [pairing] = await client.pairings.list();
    await client.pairings.unpair(pairing?.id ?? '');
    await agent.until(({ kind }) => kind === 'logout');
    expect(agent.deviceCount).toBe(0);
  });
});

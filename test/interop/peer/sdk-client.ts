/** Our client SDK over our relay, paired to an independent agent. */
import {
  type Alert,
  type Client,
  type InboxItem,
  type InboxSnapshot,
  openClient,
  pair,
  type Storage,
} from '@countersign/client-sdk';
import { memoryStorage } from '@countersign/client-sdk/storage/memory';
import { onTestFinished } from 'vitest';
import { IndependentAgent, type Style } from './agent.js';
import { writeJson, writeLink } from './invitation.js';
import { itemDigest, type Json, type Kind } from './items.js';
import { relayForTest } from './scene.js';

const WAIT_MS = 5_000;

export class SdkDevice {
  readonly storage: Storage;
  readonly alerts: Alert[] = [];
  client!: Client;

  constructor(storage: Storage = memoryStorage()) {
    this.storage = storage;
  }

  async open(): Promise<Client> {
    this.client = await openClient({
      storage: this.storage,
      onAlert: async (alert) => {
        this.alerts.push(alert);
        return true;
      },
    });
    onTestFinished(() => this.client.close());
    return this.client;
  }

  /** The first snapshot of the inbox for which `ready` gives something, and what it gave. */
  seen<T>(ready: (snapshot: InboxSnapshot) => T | undefined, what = 'it'): Promise<T> {
    const now = ready(this.client.inbox.get());
    if (now !== undefined) return Promise.resolve(now);
    return new Promise((resolve, reject) => {
      const timer = setTimeout(() => finish(() => reject(new Error(`never saw ${what}`))), WAIT_MS);
      const stop = this.client.inbox.subscribe((snapshot) => {
        const value = ready(snapshot);
        if (value !== undefined) finish(() => resolve(value));
      });
      const finish = (then: () => void) => {
        clearTimeout(timer);
        stop();
        then();
      };
    });
  }

  item(requestId: string, where: (item: InboxItem) => boolean = (item) => item.state === 'open') {
    const find = ({ items }: InboxSnapshot) =>
      items.find((item) => item.requestId === requestId && where(item));
    return this.seen(find, `item ${requestId}`);
  }

  gone(requestId: string): Promise<true> {
    const find = ({ items }: InboxSnapshot) =>
      items.some((item) => item.requestId === requestId && item.state !== 'answered')
        ? undefined
        : (true as const);
    return this.seen(find, `item ${requestId} gone`);
  }
}

/** An independent agent and a device of our SDK: paired by code, authorized, its hello and first request taken. */
export async function agentAndSdkDevice(style: Style = 'ours') {
  const { url } = await relayForTest();
  const agent = new IndependentAgent(url, style);
  await agent.login();
  const window = await agent.openWindow();
  const invitation = agent.invitation(window);
  const sdk = new SdkDevice();
  const pairing = await pair(style === 'ours' ? writeLink(invitation) : writeJson(invitation), {
    storage: sdk.storage,
    deviceName: 'sdk phone',
    platform: 'ios',
  });
  const { device, code } = await agent.meet(window);
  await agent.authorize(device);
  await sdk.open();
  const hello = await agent.receive('hello');
  const request = await agent.receive('inbox_request');
  return { agent, sdk, device, pairing, code, hello, request, url };
}

let serial = 0;

/** An entry as an agent lists it; those of ours carry their digest. */
export function approvalOf(agent: IndependentAgent, change: Json = {}): Json {
  serial += 1;
  const base = {
    request_id: agent.style === 'ours' ? `appr_${serial}` : String(serial),
    tool_name: 'send_email',
    agent_label: 'independent',
    summary: 'Send an email to to@mail.com',
    arguments: { to: 'to@mail.com', n: 1.5, é: null },
    created_at: Date.now(),
    ...(agent.style === 'ours' ? { expires_at: Date.now() + 600_000, risk: 'normal' } : {}),
    ...change,
  };
  return agent.style === 'ours' ? withDigest(agent, 'approval', base) : base;
}

export function withDigest(agent: IndependentAgent, kind: Kind, entry: Json): Json {
  return { digest: itemDigest(kind, agent.namespaceId, entry), ...entry };
}

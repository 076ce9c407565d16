import { cpSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { Agent, AgentOptions } from '../api.js';
import type { Wording } from '../inbox/index.js';
import { MAX_PENDING_ITEMS } from '../inbox/request-limits.js';
import { openAgentStore } from '../store/index.js';
import type { Clock } from './core.js';
import { openAgentIn } from './open-agent.js';

const DEVICE = 'ab'.repeat(32);
/** Nothing listens on the discard port: these agents are never connected. */
const NOWHERE = 'ws://127.0.0.1:9';
const DAY_MS = 86_400_000;

/** Time that passes only when told. */
class HandClock implements Clock {
  #now = Date.now();
  #timers = new Set<{ at: number; run: () => void }>();

  now(): number {
    return this.#now;
  }

  setTimer(run: () => void, ms: number) {
    const timer = { at: this.#now + ms, run };
    this.#timers.add(timer);
    return { cancel: () => this.#timers.delete(timer) };
  }

  pass(ms: number): void {
    const end = this.#now + ms;
    for (;;) {
      const due = [...this.#timers].filter(({ at }) => at <= end).toSorted((a, b) => a.at - b.at)[0];
      if (due === undefined) break;
      this.#timers.delete(due);
      this.#now = Math.max(this.#now, due.at);
      due.run();
    }
    this.#now = end;
  }
}

let root: string;
let dir: string;
let clock: HandClock;
const open: Agent[] = [];

beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'countersign-agent-'));
  dir = join(root, 'state');
  clock = new HandClock();
  withConfirmedDevice(dir);
});
afterEach(async () => {
  await Promise.all(open.splice(0).map((agent) => agent.close()));
  rmSync(root, { recursive: true, force: true });
});

function withConfirmedDevice(path: string): void {
  const store = openAgentStore(path);
  const bytes = new Uint8Array(32).fill(9);
  store.tables.devices.upsert(DEVICE, 'Phone', 3, []);
  const keys = { deviceX25519: bytes, agentX25519Public: bytes, agentX25519Secret: bytes };
  const channelId = `${DEVICE}.0909090909090909`;
  store.tables.pairings.insert({
    ...keys,
    channelId,
    device: DEVICE,
    windowId: '00',
    platform: 3,
    pairedAt: 1,
  });
  store.tables.pairings.confirm(channelId, true);
  store.close();
}

async function openAgent(options: Partial<AgentOptions> = {}, maxPages?: number): Promise<Agent> {
  const agent = await openAgentIn(
    { clock, wording, maxPages },
    { relayUrl: NOWHERE, dir, name: 'Robot', ...options },
  );
  open.push(agent);
  return agent;
}

const wording: Wording = {
  summary: (toolName) => toolName,
  async words(toolName) {
    const blocks = [{ type: 'key_value' as const, key: 'Tool', value: toolName }];
    return { view: { v: 1, summary: toolName, blocks }, risk: { level: 'normal', reasons: [] } };
  },
};

/** Asks and gives the id, and what becomes of it. */
async function ask(agent: Agent, request: { expiresInMs?: number; detail?: string } = {}) {
  let outcome: ReturnType<Agent['requestApproval']> = Promise.reject(new Error('not asked'));
  outcome.catch(() => {});
  const id = await new Promise<string>((onAsked, reject) => {
    outcome = agent.requestApproval({ toolName: 't', arguments: { a: 1 }, ...request }, { onAsked });
    outcome.catch(reject);
  });
  return { id, outcome };
}

/** The state as a killed process leaves it. */
function asKilled(): string {
  const copy = join(root, `killed-${Math.random()}`);
  cpSync(dir, copy, { recursive: true, filter: (file) => !/(lock|owner\.json)$/.test(file) });
  return copy;
}

describe('time', () => {
  it('ends an item at its end and not before, though nobody is connected', async () => {
    const agent = await openAgent();
    const { id, outcome } = await ask(agent, { expiresInMs: 6 * DAY_MS });
    clock.pass(6 * DAY_MS - 1);
    expect(await agent.pending()).toHaveLength(1);
    clock.pass(1);
    expect(await outcome).toMatchObject({ status: 'expired', requestId: id });
  });

  it('forgets an outcome 30 days after the end', async () => {
    const agent = await openAgent();
    const { id } = await ask(agent, { expiresInMs: 5000 });
    clock.pass(5000);
    clock.pass(30 * DAY_MS - DAY_MS);
    expect(await agent.reopen(id)).toMatchObject({ status: 'expired' });
    clock.pass(2 * DAY_MS);
    await expect(agent.reopen(id)).rejects.toMatchObject({ code: 'not_found' });
  });

  it('ends what a killed agent left pending after the grace, unless somebody waits for it again', async () => {
    const first = await openAgent();
    const left = await ask(first);
    const awaited = await ask(first);
    const agent = await openAgent({ dir: asKilled() });
    const again = agent.reopen(awaited.id);
    clock.pass(4999);
    expect(await agent.pending()).toHaveLength(2);
    clock.pass(1);
    expect(await agent.pending()).toMatchObject([{ requestId: awaited.id }]);
    expect(await agent.reopen(left.id)).toMatchObject({ status: 'cancelled', reason: 'agent_restarted' });
    await agent.close();
    expect(await again).toMatchObject({ status: 'cancelled', reason: 'closed' });
  });

  it('does not let an approval be taken up after the end of its item', async () => {
    const first = await openAgent();
    const { id } = await ask(first, { expiresInMs: 60_000 });
    const copy = asKilled();
    const store = openAgentStore(copy);
    store.tables.items.end(id, { state: 'approved', at: clock.now() });
    store.close();
    clock.pass(60_000);
    const agent = await openAgent({ dir: copy });
    const outcome = await agent.reopen(id);
    expect(outcome).toMatchObject({ status: 'expired' });
    expect(outcome.text).toContain('did not run');
  });
});

describe('limits of what waits', () => {
  it('are named when too many requests wait', async () => {
    const agent = await openAgent();
    for (let n = 0; n < MAX_PENDING_ITEMS; n++) await ask(agent);
    await expect(ask(agent)).rejects.toMatchObject({
      code: 'queue_full',
      details: { limit: MAX_PENDING_ITEMS },
    });
  });

  it('and a full disk refuse the request and lose none before it', async () => {
    const agent = await openAgent({}, 60);
    const detail = 'x'.repeat(10_000);
    let asked = 0;
    const fill = async () => {
      for (; asked < 100; asked++) await ask(agent, { detail });
    };
    await expect(fill()).rejects.toMatchObject({ code: 'storage_full' });
    expect(await agent.pending()).toHaveLength(asked);
    await agent.close();
    const again = await openAgent();
    expect(await again.pending()).toEqual([]);
  });
});

describe('a host', () => {
  it('that fails to hear the id leaves no item behind', async () => {
    const agent = await openAgent();
    const onAsked = () => {
      throw new Error('mine');
    };
    await expect(agent.requestApproval({ toolName: 't' }, { onAsked })).rejects.toThrow('mine');
    expect(await agent.pending()).toEqual([]);
  });

  it('that aborts a reopened item withdraws it', async () => {
    const agent = await openAgent();
    const { id, outcome } = await ask(agent);
    const abort = new AbortController();
    const again = agent.reopen(id, { signal: abort.signal });
    abort.abort();
    expect(await again).toMatchObject({ status: 'cancelled', reason: 'aborted' });
    expect(await outcome).toMatchObject({ status: 'cancelled', reason: 'aborted' });
  });

  it('hears every end once', async () => {
    const agent = await openAgent();
    const ends: unknown[] = [];
    const off = agent.on('ended', (end) => ends.push(end));
    const { id } = await ask(agent, { expiresInMs: 5000 });
    clock.pass(5000);
    expect(ends).toEqual([{ requestId: id, status: 'expired' }]);
    off();
    await ask(agent, { expiresInMs: 5000 });
    clock.pass(5000);
    expect(ends).toHaveLength(1);
  });

  it('whose listener throws does not keep others from hearing', async () => {
    const agent = await openAgent();
    let heard = 0;
    agent.on('ended', () => {
      throw new Error('mine');
    });
    agent.on('ended', () => {
      heard++;
    });
    await ask(agent, { expiresInMs: 5000 });
    clock.pass(5000);
    expect(heard).toBe(1);
  });
});

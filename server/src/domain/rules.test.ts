/** Authorizations, registration, housekeeping. */
import { CountersignError } from '@countersign/protocol';
import { describe, expect, it } from 'vitest';
import { RelayClock } from '../../../test/support/relay/relay-clock.js';
import { nodeHash } from '../adapters/runtime/node/index.js';
import { parseConfig, type RelayConfigInput } from '../config/index.js';
import type { RelayEvent } from '../ports/index.js';
import { Authorizations } from './authorizations.js';
import { areWithinLimits, inForce } from './capabilities.js';
import type { RelayContext } from './context.js';
import { Housekeeping, MAX_ROWS_PER_STEP, MAX_STEPS_PER_ROUND } from './housekeeping.js';
import { keyOf } from './keys.js';
import { Registration } from './registration.js';

const key = (n: number) => new Uint8Array(32).fill(n);
const DAY_MS = 24 * 3_600_000;

describe('authorizations', () => {
  function cached() {
    const reads: ((devices: Uint8Array[]) => void)[] = [];
    const store = {
      agentOf: async () => key(9),
      authorizedDevices: () => new Promise<Uint8Array[]>((answer) => reads.push(answer)),
    };
    return { reads, cache: new Authorizations(store) };
  }

  it('are read once while the namespace has connections', async () => {
    const { reads, cache } = cached();
    cache.hold(key(1));
    const first = cache.devices(key(1));
    reads[0]?.([key(7)]);
    expect((await first).has(keyOf(key(7)))).toBe(true);
    expect(cache.devices(key(1))).not.toBeInstanceOf(Promise);
    cache.drop(key(1));
    expect(cache.devices(key(1))).toBeInstanceOf(Promise);
  });

  it('are read once for all who ask at the same time', async () => {
    const { reads, cache } = cached();
    cache.hold(key(1));
    const ask = async () => cache.household(key(1));
    const both = [ask(), ask()];
    reads[0]?.([key(7)]);
    expect((await Promise.all(both)).map(({ devices }) => devices.size)).toEqual([1, 1]);
    expect(reads).toHaveLength(1);
  });

  it('are read again after a change, and what was read before it is not kept', async () => {
    const { reads, cache } = cached();
    cache.hold(key(1));
    const before = cache.devices(key(1));
    cache.changed(key(1));
    reads[0]?.([key(7)]);
    await before;
    const after = cache.devices(key(1));
    reads[1]?.([]);
    expect((await after).size).toBe(0);
  });
});

describe('capabilities', () => {
  it('in force are those both know, each once', () => {
    expect(inForce('client', ['window', 'ref', 'window', 'push-hints', '__proto__', 'received'])).toEqual([
      'window',
      'ref',
      'received',
    ]);
  });

  it('are 16 of 32 bytes at most', () => {
    expect(areWithinLimits(Array.from({ length: 16 }, () => 'x'.repeat(32)))).toBe(true);
    expect(areWithinLimits(Array.from({ length: 17 }, () => 'x'))).toBe(false);
    expect(areWithinLimits(['é'.repeat(17)])).toBe(false);
  });
});

describe('registration', () => {
  const candidate = (n: number, invite?: string) => ({
    namespaceId: key(n),
    agent: key(n),
    invite,
    prefixes: [{ key: 'a', factor: 1 }],
  });
  const registration = (input: RelayConfigInput, change = {}) =>
    new Registration({ ...parseConfig(input), allowedAgents: [key(1)], ...change }, nodeHash);

  it('by invite compares the code shown', () => {
    const rules = registration({ registration: 'invite' }, { invite: 'the-right-invite' });
    expect(rules.judge(candidate(1, 'the-right-invite'), 0)).toBe('stored');
    expect(rules.judge(candidate(1, ' the-right-invite\n'), 0)).toBe('stored');
    for (const wrong of [undefined, '', 'the-wrong-invite']) {
      expect(rules.judge(candidate(1, wrong), 0)).toBe('unauthorized');
    }
  });

  it('by invite lets nobody in when there is no code', () => {
    expect(registration({ registration: 'invite' }).judge(candidate(1, ''), 0)).toBe('unauthorized');
  });

  it('by allowlist compares the key', () => {
    const rules = registration({ registration: 'allowlist' });
    expect(rules.judge(candidate(1), 0)).toBe('stored');
    expect(rules.judge(candidate(2), 0)).toBe('unauthorized');
  });

  it('open on a private relay stores and counts nothing', () => {
    const rules = registration({ newNamespacesPerAddressPerDay: 1 });
    for (let n = 0; n < 5; n++) expect(rules.judge(candidate(n), 0)).toBe('stored');
  });

  it('open elsewhere counts each namespace once a day', () => {
    const rules = registration({ publicHosts: ['relay.example'], newNamespacesPerAddressPerDay: 2 });
    for (const n of [1, 2, 1, 2]) expect(rules.judge(candidate(n), 0)).toBe('unstored');
    expect(rules.judge(candidate(3), 0)).toBe('rate_limited');
    expect(rules.judge(candidate(3), DAY_MS)).toBe('unstored');
  });
});

describe('housekeeping', () => {
  function tidy(gone: () => { messages: number; devices: number; namespaces: number; nonces: number }) {
    const clock = new RelayClock();
    const events: RelayEvent[] = [];
    const asked: Parameters<RelayContext['store']['collect']>[0][] = [];
    const context = {
      clock,
      settings: { ...parseConfig({}), allowedAgents: [] },
      events: { emit: (event: RelayEvent) => events.push(event) },
      bus: { namespaces: () => [key(1)] },
      store: {
        collect: async (options: (typeof asked)[number]) => {
          asked.push(options);
          return gone();
        },
      },
    } as unknown as RelayContext;
    return { clock, events, asked, housekeeping: new Housekeeping(context) };
  }
  const nothing = { messages: 0, devices: 0, namespaces: 0, nonces: 0 };

  it('spares connected namespaces and keeps others for 7 or 90 days', async () => {
    const { clock, asked, events, housekeeping } = tidy(() => nothing);
    await housekeeping.collect();
    const now = clock.now();
    expect(asked).toEqual([
      {
        now,
        pendingBefore: now - DAY_MS,
        emptyBefore: now - 7 * DAY_MS,
        idleBefore: now - 90 * DAY_MS,
        connected: [key(1)],
        maxRows: MAX_ROWS_PER_STEP,
      },
    ]);
    expect(events).toEqual([]);
  });

  it('goes on while there is more, within bounds', async () => {
    const { asked, events, housekeeping } = tidy(() => ({ ...nothing, messages: MAX_ROWS_PER_STEP }));
    await housekeeping.collect();
    expect(asked).toHaveLength(MAX_STEPS_PER_ROUND);
    expect(events[0]).toEqual({ event: 'collected', messages: MAX_ROWS_PER_STEP, devices: 0, namespaces: 0 });
  });

  it('goes on for old nonces too, and says nothing of them', async () => {
    const { asked, events, housekeeping } = tidy(() => ({ ...nothing, nonces: MAX_ROWS_PER_STEP }));
    await housekeeping.collect();
    expect(asked).toHaveLength(MAX_STEPS_PER_ROUND);
    expect(events).toEqual([]);
  });

  it('runs every ten minutes until it is stopped', async () => {
    const { clock, asked, housekeeping } = tidy(() => nothing);
    housekeeping.start();
    for (let round = 1; round <= 3; round++) {
      clock.advance(600_000);
      for (let i = 0; i < 10; i++) await Promise.resolve();
      expect(asked).toHaveLength(round);
    }
    housekeeping.stop();
    clock.advance(600_000);
    expect(asked).toHaveLength(3);
  });

  it('survives a store that fails', async () => {
    const { events, housekeeping } = tidy(() => {
      throw new CountersignError('unavailable', 'no');
    });
    await housekeeping.collect();
    expect(events).toEqual([{ event: 'store_failed', operation: 'collect', code: 'unavailable' }]);
  });
});

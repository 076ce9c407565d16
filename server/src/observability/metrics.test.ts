/** Counters, histograms and what a scrape says of them. */
import { describe, expect, it } from 'vitest';
import { createTally, type RelayEvent } from '../ports/index.js';
import { Histogram } from './histogram.js';
import {
  EventCounts,
  Exposition,
  METRICS,
  prettyLog,
  type RelaySight,
  relayMetrics,
  type Sample,
  StoreTimings,
  tee,
} from './index.js';

const KEY = new Uint8Array(32).fill(7);

/** `name{label="value"}` of each sample with its value. */
function lines(samples: readonly Sample[]): Record<string, number> {
  const named = samples.map(({ metric, suffix = '', labels = {}, value }) => {
    const inner = Object.entries(labels).map(([name, text]) => `${name}=${text}`);
    return [`${metric.name}${suffix}${inner.length > 0 ? `{${inner.join(',')}}` : ''}`, value] as const;
  });
  return Object.fromEntries(named);
}

function counted(...events: RelayEvent[]): Record<string, number> {
  const counts = new EventCounts();
  for (const event of events) counts.emit(event);
  return lines(counts.read());
}

describe('the names', () => {
  it('are those of one program, each once, with units and endings as Prometheus wants them', () => {
    const all = Object.values(METRICS);
    expect(new Set(all.map(({ name }) => name)).size).toBe(all.length);
    for (const { name, type, help } of all) {
      expect(name).toMatch(/^countersign_[a-z_]+$/);
      expect(name.endsWith('_total')).toBe(type === 'counter');
      expect(help.length).toBeGreaterThan(10);
    }
  });
});

describe('counting events', () => {
  it('counts logins by role and outcome, a pairing among them', () => {
    expect(
      counted(
        { event: 'login', role: 'agent', namespace: KEY, peer: KEY },
        { event: 'login', role: 'agent', namespace: KEY, peer: KEY },
        { event: 'paired', namespace: KEY, peer: KEY, again: false },
        { event: 'login_refused', role: 'unknown', code: 'bad_request' },
      ),
    ).toMatchObject({
      'countersign_logins_total{role=agent,outcome=ok}': 2,
      'countersign_logins_total{role=pairing,outcome=ok}': 1,
      'countersign_logins_total{role=unknown,outcome=bad_request}': 1,
    });
  });

  it('knows a code of a peer from one of its own', () => {
    const closed = (by: 'relay' | 'peer', closeCode: number): RelayEvent => ({
      event: 'closed',
      role: 'client',
      by,
      closeCode,
    });
    expect(
      counted(closed('relay', 4001), closed('peer', 4001), closed('peer', 1006), closed('peer', 4999)),
    ).toMatchObject({
      'countersign_connections_closed_total{by=relay,reason=displaced}': 1,
      'countersign_connections_closed_total{by=peer,reason=other}': 2,
      'countersign_connections_closed_total{by=peer,reason=lost}': 1,
    });
  });

  it('makes no label of a code it does not know', () => {
    const codes = ['constructor', '__proto__', 'x"} 1\nevil 1'];
    const found = counted(
      ...codes.map((code): RelayEvent => ({ event: 'frame_refused', code, namespace: KEY, peer: KEY })),
    );
    expect(found['countersign_frames_refused_total{code=unknown}']).toBe(3);
  });

  it('adds up what an event has several of', () => {
    expect(
      counted(
        { event: 'collected', messages: 3, devices: 0, namespaces: 1 },
        { event: 'collected', messages: 4, devices: 0, namespaces: 0 },
        { event: 'authorized', namespace: KEY, devices: 1, revoked: 2 },
        { event: 'unproven', namespace: KEY, recipient: KEY, messages: 5 },
        { event: 'store_failed', operation: 'enqueue', code: 'unavailable' },
        { event: 'namespace_created', namespace: KEY },
      ),
    ).toMatchObject({
      'countersign_collected_total{kind=messages}': 7,
      'countersign_collected_total{kind=namespaces}': 1,
      countersign_devices_revoked_total: 2,
      countersign_unproven_messages_total: 5,
      'countersign_store_failures_total{operation=enqueue}': 1,
      countersign_namespaces_created_total: 1,
    });
  });

  it('gives every event to the log too', () => {
    const seen: string[] = [];
    tee(new EventCounts(), { emit: ({ event }) => seen.push(event) }).emit({ event: 'host_unknown' });
    expect(seen).toEqual(['host_unknown']);
  });
});

describe('a histogram', () => {
  it('counts a value in every bucket that is large enough for it', () => {
    const histogram = new Histogram(METRICS.batchRequests, [1, 4]);
    for (const value of [1, 2, 4, 9]) histogram.observe(value);
    expect(lines(histogram.samples())).toEqual({
      'countersign_batch_requests_bucket{le=1}': 1,
      'countersign_batch_requests_bucket{le=4}': 3,
      'countersign_batch_requests_bucket{le=+Inf}': 4,
      countersign_batch_requests_sum: 16,
      countersign_batch_requests_count: 4,
    });
  });

  it('of commits leaves out batches that wrote nothing', () => {
    const timings = new StoreTimings();
    timings.committed({ requests: 3, runMs: 1, commitMs: 0 });
    timings.committed({ requests: 5, runMs: 30, commitMs: 20 });
    expect(lines(timings.read())).toMatchObject({
      countersign_commit_duration_seconds_count: 1,
      countersign_commit_duration_seconds_sum: 0.02,
      countersign_batch_duration_seconds_count: 2,
      countersign_batch_requests_sum: 8,
    });
  });
});

function sight(change: Partial<RelaySight> = {}): RelaySight {
  return {
    version: '1.2.3',
    limits: { connections: 10, beforeLogin: 5, storeBytes: 1000 },
    tally: createTally(),
    now: () => 100_000,
    beforeLogin: () => 1,
    namespacesOnline: () => 2,
    loads: () => [
      { role: 'agent', bufferedBytes: 5, unprovenBytes: 1 },
      { role: 'agent', bufferedBytes: 6, unprovenBytes: 0 },
      { role: 'unknown', bufferedBytes: 0, unprovenBytes: 0 },
    ],
    backlog: () => ({ requests: 4, bytes: 40 }),
    stats: async () => ({
      namespaces: 1,
      devices: 2,
      messages: 3,
      bytes: 4,
      oldestEnqueuedAt: 40_000,
      pushes: 0,
    }),
    ...change,
  };
}

async function read(change: Partial<RelaySight> = {}): Promise<Record<string, number>> {
  const sources = relayMetrics(sight(change));
  return lines((await Promise.all(sources.map(async (source) => source.read()))).flat());
}

describe('a look at the relay', () => {
  it('adds up its connections by role and what they hold', async () => {
    expect(await read()).toMatchObject({
      'countersign_connections{role=agent}': 2,
      'countersign_connections{role=client}': 0,
      'countersign_connections{role=unknown}': 1,
      'countersign_held_bytes{what=buffered}': 11,
      'countersign_held_bytes{what=unproven}': 1,
      'countersign_held_bytes{what=store_backlog}': 40,
    });
  });

  it('says how long the oldest message has waited, and nothing negative after the clock was set back', async () => {
    expect((await read()).countersign_queue_oldest_age_seconds).toBe(60);
    expect((await read({ now: () => 1 })).countersign_queue_oldest_age_seconds).toBe(0);
  });

  it('leaves out what a store that does not answer would have said', async () => {
    const found = await read({ stats: async () => undefined });
    expect(found).toMatchObject({ countersign_store_up: 0, countersign_store_backlog_requests: 4 });
    expect(found).not.toHaveProperty('countersign_store_bytes');
  });

  it('reads messages and refusals from plain numbers', async () => {
    const tally = createTally();
    tally.live.delivered = 9;
    tally.queued.queue_full = 8;
    tally.refused.origin = 7;
    expect(await read({ tally })).toMatchObject({
      'countersign_messages_total{class=live,fate=delivered}': 9,
      'countersign_messages_total{class=queued,fate=queue_full}': 8,
      'countersign_connections_refused_total{reason=origin}': 7,
    });
  });
});

describe('the exposition', () => {
  it('takes the metrics of an adapter, and tells of the process once however many relays run in it', async () => {
    const metric = { name: 'countersign_pushes_total', type: 'counter', help: 'Pushes', labels: [] } as const;
    for (const value of [1, 2]) {
      const exposition = new Exposition();
      exposition.add({ metrics: [metric], read: () => [{ metric, value }] });
      const { contentType, body } = await exposition.text();
      expect(contentType).toContain('text/plain; version=0.0.4');
      expect(body).toContain(`# TYPE countersign_pushes_total counter\ncountersign_pushes_total ${value}\n`);
      expect(body.match(/^process_resident_memory_bytes /gm)).toHaveLength(1);
      expect(body).toMatch(/^nodejs_eventloop_lag_p99_seconds /m);
      expect(body).not.toContain('nodejs_active_handles');
    }
  });
});

describe('the log for people', () => {
  const line = JSON.stringify({
    level: 40,
    time: '2026-01-02T03:04:05.678Z',
    event: 'connection_refused',
    reason: 'origin',
    msg: 'why',
  });
  const print = (text: string, color: boolean): string => {
    const written: string[] = [];
    prettyLog({ write: (out) => written.push(out) }, color).write(text);
    return written.join('');
  };

  it('has time, level, event and facts on one line', () => {
    expect(print(line, false)).toBe('03:04:05 warn  connection_refused reason=origin (why)\n');
  });

  it('has colour where a terminal shows it', () => {
    expect(print(line, true)).toContain('\u001b[33mwarn \u001b[0m');
  });

  it.each(['not json\n', '[1]\n', 'null\n', '{"level":30}\n'])('leaves %j as it is', (text) => {
    expect(print(text, true)).toBe(text);
  });
});

/**
 * What the relay looks like at the moment of a scrape: connections, messages, queue, store, memory. Everything
 * comes through {@link RelaySight}. Must not know the domain's classes.
 */
import type { PeerRole, RelayTally, StoreBacklog } from '../ports/index.js';
import { METRICS, type Metric, type MetricSource, type Sample } from './metric-names.js';

export interface RelaySight {
  readonly version: string;
  readonly limits: {
    readonly connections: number;
    readonly beforeLogin: number;
    readonly storeBytes: number;
  };
  readonly tally: RelayTally;
  /** Unix milliseconds. */
  now(): number;
  beforeLogin(): number;
  namespacesOnline(): number;
  loads(): Iterable<{
    readonly role: PeerRole | 'unknown';
    readonly bufferedBytes: number;
    readonly unprovenBytes: number;
  }>;
  backlog(): StoreBacklog;
  /** Undefined when the store does not answer in time. Never rejects. */
  stats(): Promise<StoreStats | undefined>;
}

export interface StoreStats {
  readonly namespaces: number;
  readonly devices: number;
  readonly messages: number;
  readonly bytes: number;
  readonly oldestEnqueuedAt?: number;
  readonly pushes: number;
  readonly oldestPushAt?: number;
}

const MS_PER_SECOND = 1000;

export function relayMetrics(sight: RelaySight): readonly MetricSource[] {
  return [limits(sight), connections(sight), tally(sight), store(sight)];
}

function one(metric: Metric, value: number): Sample {
  return { metric, value };
}

function limits({
  version,
  limits: { connections: all, beforeLogin, storeBytes },
}: RelaySight): MetricSource {
  return {
    metrics: [METRICS.buildInfo, METRICS.connectionsLimit, METRICS.beforeLoginLimit, METRICS.storeBytesLimit],
    read: () => [
      { metric: METRICS.buildInfo, value: 1, labels: { version } },
      one(METRICS.connectionsLimit, all),
      one(METRICS.beforeLoginLimit, beforeLogin),
      one(METRICS.storeBytesLimit, storeBytes),
    ],
  };
}

function connections(sight: RelaySight): MetricSource {
  return {
    metrics: [METRICS.connections, METRICS.beforeLogin, METRICS.namespacesOnline, METRICS.heldBytes],
    read: () => {
      const count = { agent: 0, client: 0, pairing: 0, unknown: 0 };
      const held = { buffered: 0, unproven: 0, store_backlog: sight.backlog().bytes };
      for (const { role, bufferedBytes, unprovenBytes } of sight.loads()) {
        count[role]++;
        held.buffered += bufferedBytes;
        held.unproven += unprovenBytes;
      }
      return [
        ...labelled(METRICS.connections, 'role', count),
        one(METRICS.beforeLogin, sight.beforeLogin()),
        one(METRICS.namespacesOnline, sight.namespacesOnline()),
        ...labelled(METRICS.heldBytes, 'what', held),
      ];
    },
  };
}

function tally({ tally: { live, queued, refused } }: RelaySight): MetricSource {
  return {
    metrics: [METRICS.messages, METRICS.refused],
    read: () => [
      ...labelled(METRICS.messages, 'fate', live, { class: 'live' }),
      ...labelled(METRICS.messages, 'fate', queued, { class: 'queued' }),
      ...labelled(METRICS.refused, 'reason', refused),
    ],
  };
}

function store(sight: RelaySight): MetricSource {
  return {
    metrics: [
      METRICS.storeUp,
      METRICS.backlog,
      METRICS.storeBytes,
      METRICS.storeNamespaces,
      METRICS.storeDevices,
      METRICS.queueMessages,
      METRICS.queueOldest,
      METRICS.pushWaiting,
      METRICS.pushOldest,
    ],
    read: async () => {
      const backlog = one(METRICS.backlog, sight.backlog().requests);
      const stats = await sight.stats();
      if (stats === undefined) return [one(METRICS.storeUp, 0), backlog];
      return [one(METRICS.storeUp, 1), backlog, ...statsSamples(stats, sight.now())];
    },
  };
}

function statsSamples(stats: StoreStats, now: number): Sample[] {
  const { oldestEnqueuedAt = now, oldestPushAt = now } = stats;
  return [
    one(METRICS.storeBytes, stats.bytes),
    one(METRICS.storeNamespaces, stats.namespaces),
    one(METRICS.storeDevices, stats.devices),
    one(METRICS.queueMessages, stats.messages),
    // A clock that was set back makes no message younger than none.
    one(METRICS.queueOldest, Math.max(0, now - oldestEnqueuedAt) / MS_PER_SECOND),
    one(METRICS.pushWaiting, stats.pushes),
    one(METRICS.pushOldest, Math.max(0, now - oldestPushAt) / MS_PER_SECOND),
  ];
}

function labelled(
  metric: Metric,
  label: string,
  values: Readonly<Record<string, number>>,
  more: Readonly<Record<string, string>> = {},
): Sample[] {
  return Object.entries(values).map(([name, value]) => ({
    metric,
    value,
    labels: { ...more, [label]: name },
  }));
}

/** What the relay tells its operator. */

export { EventCounts, tee } from './event-counts.js';
export { type EventLog, openEventLog } from './event-log.js';
export { Exposition } from './exposition.js';
export { METRICS, type Metric, type MetricSource, type Sample } from './metric-names.js';
export { prettyLog } from './pretty-log.js';
export { PushCounts, pushLoads } from './push-counts.js';
export { type RelaySight, relayMetrics, type StoreStats } from './relay-metrics.js';
export { type StartUpFacts, startUpText } from './start-up-text.js';
export { StoreTimings } from './store-timings.js';

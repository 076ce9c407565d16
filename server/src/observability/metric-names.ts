/**
 * Every metric of the relay's own: name, kind, labels with the values they may have. The page docs/metrics.md, the
 * board and the alert rules are tested against it. A label never comes from a peer. Must not know where a value
 * comes from.
 */

export interface Metric {
  /** As Prometheus knows it: base units, `_total` for what only grows. */
  readonly name: string;
  readonly type: 'counter' | 'gauge' | 'histogram';
  readonly help: string;
  /** Label names in the order they are documented. */
  readonly labels: readonly string[];
}

function counter(name: string, help: string, ...labels: string[]): Metric {
  return { name, type: 'counter', help, labels };
}

function gauge(name: string, help: string, ...labels: string[]): Metric {
  return { name, type: 'gauge', help, labels };
}

function histogram(name: string, help: string): Metric {
  return { name, type: 'histogram', help, labels: [] };
}

export const METRICS = {
  buildInfo: gauge('countersign_build_info', 'Always 1; the label names the version that runs', 'version'),
  connections: gauge('countersign_connections', 'Open connections; unknown: not logged in yet', 'role'),
  connectionsLimit: gauge('countersign_connections_limit', 'Connections the relay takes in all'),
  beforeLogin: gauge('countersign_connections_before_login', 'Connections that have not logged in'),
  beforeLoginLimit: gauge('countersign_connections_before_login_limit', 'How many of those it takes'),
  namespacesOnline: gauge('countersign_namespaces_online', 'Namespaces with a connection'),
  logins: counter('countersign_logins_total', 'Logins; outcome ok or an error code', 'role', 'outcome'),
  closed: counter('countersign_connections_closed_total', 'Connections that ended', 'by', 'reason'),
  refused: counter('countersign_connections_refused_total', 'Turned away before the upgrade', 'reason'),
  messages: counter('countersign_messages_total', 'Messages by what became of them', 'class', 'fate'),
  framesRefused: counter('countersign_frames_refused_total', 'Frames answered with an error', 'code'),
  unproven: counter('countersign_unproven_messages_total', 'Queued messages not proved received in time'),
  namespacesCreated: counter('countersign_namespaces_created_total', 'Agents that came for the first time'),
  devicesRevoked: counter('countersign_devices_revoked_total', 'Devices an agent took out'),
  collected: counter('countersign_collected_total', 'Rows forgotten because they were over', 'kind'),
  queueMessages: gauge('countersign_queue_messages', 'Messages that wait for their recipients'),
  queueOldest: gauge('countersign_queue_oldest_age_seconds', 'How long the oldest of them has waited'),
  pushSent: counter(
    'countersign_push_sends_total',
    'Attempts to send a push, by what came of them',
    'provider',
    'result',
    'cause',
  ),
  pushContent: counter('countersign_push_accepted_total', 'Pushes a provider took', 'provider', 'content'),
  pushOverBudget: counter('countersign_push_over_budget_total', 'Pushes over a limit of size', 'provider'),
  pushDuplicates: counter(
    'countersign_push_duplicates_suspected_total',
    'Pushes taken that may have been taken before',
    'provider',
  ),
  pushTokensRemoved: counter(
    'countersign_push_tokens_removed_total',
    'Tokens forgotten because they were dead',
    'provider',
    'cause',
  ),
  pushSeconds: histogram('countersign_push_latency_seconds', 'From the message to the answer of a provider'),
  pushInFlight: gauge(
    'countersign_push_in_flight',
    'Pushes handed to a provider and not answered',
    'provider',
  ),
  pushPaused: gauge('countersign_push_paused', 'Credentials and origins whose pushes wait', 'provider'),
  pushWaiting: gauge('countersign_push_outbox_pushes', 'Pushes that wait to be sent'),
  pushOldest: gauge('countersign_push_outbox_oldest_age_seconds', 'How long the oldest of them has waited'),
  pushTokensIgnored: counter('countersign_push_tokens_ignored_total', 'Tokens of no use to us', 'cause'),
  storeUp: gauge('countersign_store_up', '1 when the store answered this scrape in time, else 0'),
  storeBytes: gauge('countersign_store_bytes', 'What is stored, as maxStoreBytes counts it'),
  storeBytesLimit: gauge('countersign_store_bytes_limit', 'The setting maxStoreBytes'),
  storeNamespaces: gauge('countersign_store_namespaces', 'Agents the relay knows'),
  storeDevices: gauge('countersign_store_devices', 'Devices the relay knows'),
  storeFailures: counter('countersign_store_failures_total', 'Work the store could not do', 'operation'),
  backlog: gauge('countersign_store_backlog_requests', 'Requests that wait for the disk'),
  heldBytes: gauge('countersign_held_bytes', 'Memory held for peers and the disk', 'what'),
  commitSeconds: histogram('countersign_commit_duration_seconds', 'Waiting for the disk at each commit'),
  batchSeconds: histogram('countersign_batch_duration_seconds', 'A whole transaction, work and commit'),
  batchRequests: histogram('countersign_batch_requests', 'Requests that shared one transaction'),
} as const satisfies Readonly<Record<string, Metric>>;

/** One value at one moment. `suffix` for the parts of a histogram. */
export interface Sample {
  readonly metric: Metric;
  readonly value: number;
  readonly labels?: Readonly<Record<string, string>>;
  readonly suffix?: '_bucket' | '_sum' | '_count';
}

/** Values of the metrics it names, read at each scrape. */
export interface MetricSource {
  readonly metrics: readonly Metric[];
  read(): readonly Sample[] | Promise<readonly Sample[]>;
}

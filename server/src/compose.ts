/**
 * Puts a relay together: the only file that names concrete adapters. Must not know the rules, nor where the
 * configuration came from.
 */
import { resolve } from 'node:path';
import { CountersignError, fromHex, toHex } from '@countersign/protocol';
import { cryptoReady } from '@countersign/protocol/auth';
import { openLocalBus } from './adapters/bus/local/index.js';
import { nodeClock, nodeHash, nodeRandom } from './adapters/runtime/node/index.js';
import { openMemoryStore } from './adapters/store/memory/index.js';
import { backUpSqlite, openSqliteStore, type SqliteBackup } from './adapters/store/sqlite/index.js';
import { openNotifiers, pushFacts, pushTrial, type TrialPush } from './compose-push.js';
import {
  configError,
  MEMORY,
  type PushSetup,
  type RelayConfig,
  readPush,
  readTls,
  relayVersion,
  variableOf,
  writeInviteFile,
} from './config/index.js';
import { type PushPorts, Relay, type RelaySettings } from './domain/index.js';
import { listen, listenOps, type Readiness } from './http/index.js';
import {
  EventCounts,
  Exposition,
  openEventLog,
  PushCounts,
  prettyLog,
  pushLoads,
  type RelaySight,
  relayMetrics,
  type StartUpFacts,
  type StoreStats,
  StoreTimings,
  tee,
} from './observability/index.js';
import type { Clock, RelayBus, RelayEvents, RelayStore, UnprovenMessages } from './ports/index.js';

export interface ComposeOptions {
  /** Takes the log, a JSON line at a time. */
  readonly log: { write(line: string): void };
  /** It goes to a terminal, where logFormat `auto` is for people. */
  readonly logsToTerminal?: boolean | undefined;
  /** Time of the rules; the process's unless a test brings its own. */
  readonly clock?: Clock | undefined;
}

export interface ComposedRelay {
  readonly port: number;
  readonly facts: StartUpFacts;
  /** Resolves when the store has ended by itself: the relay accepts nothing any more and should be started anew. */
  readonly failed: Promise<void>;
  /** 1001 to everyone, then everything closes. Idempotent. */
  close(): Promise<void>;
}

/** Ends what was opened so far, newest first. */
type Undo = (() => Promise<unknown>)[];

const INVITE_SETTING = 'invite';
const INVITE_BYTES = 16;
const PUSH_KEY_SETTING = 'push_key';
const PUSH_KEY_BYTES = 32;
const STATS_TIMEOUT_MS = 2_000;

/** @throws CountersignError `invalid_request`, `port_in_use`, or what the store says; nothing stays open then. */
export async function composeRelay(config: RelayConfig, options: ComposeOptions): Promise<ComposedRelay> {
  const undo: Undo = [];
  try {
    return await compose(config, options, undo);
  } catch (error) {
    await unwind(undo);
    throw error;
  }
}

async function compose(config: RelayConfig, options: ComposeOptions, undo: Undo): Promise<ComposedRelay> {
  await cryptoReady;
  const tls = readTls(config);
  const counts = new EventCounts();
  const events = tee(counts, openEventLog(config.logLevel, logTo(config, options)));
  const timings = new StoreTimings();
  const storeFailure = createFailure(events);
  const store = await openStore(config, timings, storeFailure.tell);
  undo.push(() => store.close());
  const bus = openLocalBus();
  undo.push(() => bus.close());
  const invite = await inviteOf(config, store);
  const clock = options.clock ?? nodeClock;
  const setup = readPush(config);
  const pushCounts = new PushCounts();
  const push = await pushPorts(setup, store, clock, pushCounts);
  const relay = new Relay(settingsOf(config, invite?.code), {
    clock,
    random: nodeRandom,
    hash: nodeHash,
    store,
    bus,
    events,
    unproven: inTheLog(events),
    push,
  });
  const server = await orPortInUse(
    listen({ ...serverOptions(config, relay, events, tls), push }),
    config.host,
    config.port,
    'port',
  );
  undo.push(() => server.close());
  const metrics = new Exposition();
  const loads = pushLoads(
    push.notifiers.map(({ provider }) => provider),
    (provider) => relay.pushLoad(provider),
  );
  const sight = relayMetrics(sightOf(config, { relay, store, bus, clock }));
  for (const source of [counts, timings, pushCounts, loads, ...sight]) metrics.add(source);
  const ops = await openOps(config, {
    readiness: () => readinessOf(relay, store, bus),
    metrics: () => metrics.text(),
  });
  if (ops) undo.push(ops.close);
  relay.start();
  undo.push(() => relay.stop());
  const closing = () => unwind(undo);
  return {
    port: server.port,
    facts: { ...factsOf(config, server.port, ops?.port, invite), push: pushFacts(setup) },
    failed: storeFailure.failed,
    close: once(closing),
  };
}

function inTheLog(events: RelayEvents): UnprovenMessages {
  return {
    unproven: (namespace, recipient, seqs) =>
      events.emit({ event: 'unproven', namespace, recipient, messages: seqs.length }),
  };
}

/** Names that providers see are made with a key of this relay, kept so that a later push replaces an earlier one. */
async function pushPorts(
  setup: PushSetup | undefined,
  store: RelayStore,
  clock: Clock,
  observer: PushCounts,
): Promise<PushPorts> {
  const kept = fromHex((await store.getSetting(PUSH_KEY_SETTING)) ?? '', PUSH_KEY_BYTES);
  const key = kept ?? nodeRandom.bytes(PUSH_KEY_BYTES);
  if (kept === undefined) await store.putSetting(PUSH_KEY_SETTING, toHex(key));
  const notifiers = setup === undefined ? [] : await openNotifiers(setup, clock);
  const vapidPublicKey = setup?.webPush?.keys[0]?.publicKey;
  return { notifiers, apps: setup?.apps ?? [], key, vapidPublicKey, observer };
}

/**
 * Copies the relay's data file, also while a relay runs on it.
 * @throws CountersignError `invalid_request` when there is none to copy or `to` exists, `not_found`, `state_corrupt`,
 * `state_permissions`, `unavailable`.
 */
export function backUp({ store }: RelayConfig, to: string): Promise<SqliteBackup> {
  if (store === MEMORY) throw configError('store', 'memory keeps nothing that could be backed up');
  return backUpSqlite(resolve(store), to);
}

/**
 * Sends a real wake to one device and tells the provider's answer, also while a relay runs on the data file.
 * @throws CountersignError as {@link pushTrial}.
 */
export function tryPush(config: RelayConfig, device: string): Promise<TrialPush> {
  return pushTrial(config, device, nodeClock);
}

/** The rules stop first, while listeners and store still serve those who say goodbye. A step that fails stops none. */
async function unwind(undo: Undo): Promise<void> {
  const failures: unknown[] = [];
  for (const step of [...undo].reverse()) await step().catch((error: unknown) => failures.push(error));
  if (failures.length > 0) throw failures[0];
}

function once(run: () => Promise<void>): () => Promise<void> {
  let done: Promise<void> | undefined;
  return () => {
    done ??= run();
    return done;
  };
}

function logTo({ logFormat }: RelayConfig, { log, logsToTerminal = false }: ComposeOptions) {
  const isPretty = logFormat === 'pretty' || (logFormat === 'auto' && logsToTerminal);
  return isPretty ? prettyLog(log, logsToTerminal) : log;
}

/** Said once, in the log too. */
function createFailure(events: RelayEvents): { failed: Promise<void>; tell: () => void } {
  let settle = (): void => undefined;
  const failed = new Promise<void>((resolve) => {
    settle = resolve;
  });
  const tell = () => {
    events.emit({ event: 'store_failed', operation: 'run', code: 'unavailable' });
    settle();
  };
  return { failed, tell };
}

function openStore(
  { store, maxStoreBytes }: RelayConfig,
  observer: StoreTimings,
  onFailed: () => void,
): Promise<RelayStore> {
  if (store === MEMORY) return openMemoryStore({ maxStoreBytes });
  return openSqliteStore({ file: resolve(store), maxStoreBytes, observer, onFailed });
}

function settingsOf(config: RelayConfig, invite: string | undefined): RelaySettings {
  return { ...config, invite, allowedAgents: config.allowedAgents.flatMap((key) => fromHex(key, 32) ?? []) };
}

/** The code a new agent needs: configured, kept from an earlier start, or made now. */
async function inviteOf(
  { registration, invite, store: file }: RelayConfig,
  store: RelayStore,
): Promise<{ code: string; isNew: boolean } | undefined> {
  if (registration !== 'invite') return undefined;
  const kept = invite ?? (await store.getSetting(INVITE_SETTING));
  const code = kept ?? Buffer.from(nodeRandom.bytes(INVITE_BYTES)).toString('base64url');
  if (kept === undefined) await store.putSetting(INVITE_SETTING, code);
  if (invite === undefined) writeInviteFile(file, code);
  return { code, isNew: kept === undefined };
}

type Tls = ReturnType<typeof readTls>;

function serverOptions(config: RelayConfig, relay: Relay, events: RelayEvents, tls: Tls) {
  const { host, port, loopback, publicHosts, allowedOrigins, trustedProxies, maxLiveFrameBytes } = config;
  const { serveApp } = config;
  const maxSocketsBeforeUpgrade = config.maxConnectionsBeforeLogin;
  return {
    relay,
    events,
    host,
    port,
    loopback,
    tls,
    publicHosts,
    allowedOrigins,
    trustedProxies,
    maxLiveFrameBytes,
    maxSocketsBeforeUpgrade,
    maxSockets: config.maxConnections + maxSocketsBeforeUpgrade,
    serveApp,
  };
}

async function openOps(
  { opsHost, opsPort }: RelayConfig,
  answers: Pick<Parameters<typeof listenOps>[0], 'readiness' | 'metrics'>,
) {
  if (opsPort === 'off') return undefined;
  return orPortInUse(listenOps({ host: opsHost, port: opsPort, ...answers }), opsHost, opsPort, 'opsPort');
}

async function orPortInUse<T>(
  listening: Promise<T>,
  host: string,
  port: number,
  setting: string,
): Promise<T> {
  try {
    return await listening;
  } catch (error) {
    const { code } = error as { code?: string };
    if (code === 'EADDRINUSE') {
      const message = `port ${port} on ${host} is in use; stop what uses it or choose another one with ${variableOf(setting)} (setting ${setting})`;
      throw new CountersignError('port_in_use', message, { details: { port, setting } });
    }
    if (code === 'EADDRNOTAVAIL' || code === 'ENOTFOUND') {
      throw configError(setting === 'port' ? 'host' : 'opsHost', `${host} is no address of this machine`);
    }
    if (code === 'EACCES')
      throw configError(setting, `port ${port} needs a privilege this process does not have`);
    throw error;
  }
}

async function readinessOf(relay: Relay, store: RelayStore, bus: RelayBus): Promise<Readiness> {
  const status = { ...relay.status(), namespacesOnline: bus.namespaces().length };
  const stats = await statsInTime(store);
  if (stats === undefined) return { ready: false, details: { ...status, store: 'unavailable' } };
  const { namespaces, devices, messages, bytes } = stats;
  return {
    ready: !status.stopping,
    details: { ...status, store: 'ok', namespaces, devices, messages, bytes },
  };
}

/** Undefined when the store fails or does not answer; a stuck disk must not hang who asks. */
function statsInTime(store: RelayStore): Promise<StoreStats | undefined> {
  return Promise.race([store.stats().catch(() => undefined), timeout(STATS_TIMEOUT_MS)]);
}

function sightOf(
  { maxConnections, maxConnectionsBeforeLogin, maxStoreBytes }: RelayConfig,
  { relay, store, bus, clock }: { relay: Relay; store: RelayStore; bus: RelayBus; clock: Clock },
): RelaySight {
  return {
    version: relayVersion(),
    limits: {
      connections: maxConnections,
      beforeLogin: maxConnectionsBeforeLogin,
      storeBytes: maxStoreBytes,
    },
    tally: relay.tally,
    now: () => clock.now(),
    beforeLogin: () => relay.status().beforeLogin,
    namespacesOnline: () => bus.namespaces().length,
    loads: () => relay.loads(),
    backlog: () => store.backlog(),
    stats: () => statsInTime(store),
  };
}

function timeout(delayMs: number): Promise<undefined> {
  return new Promise((done) => nodeClock.after(delayMs, () => done(undefined)));
}

function factsOf(
  config: RelayConfig,
  port: number,
  opsPort: number | undefined,
  invite: { code: string; isNew: boolean } | undefined,
): Omit<StartUpFacts, 'push'> {
  const { host, opsHost, loopback, isPrivate, registration, store } = config;
  const secure = config.tlsCert !== undefined;
  return {
    url: `${secure ? 'wss' : 'ws'}://${hostInUrl(host)}:${port}`,
    opsUrl: opsPort === undefined ? undefined : `http://${hostInUrl(opsHost)}:${opsPort}`,
    tls: secure ? 'own' : loopback ? 'none_loopback' : 'none_allowed',
    registration,
    invite: invite?.code,
    inviteIsNew: invite?.isNew ?? false,
    dataFile: store === MEMORY ? undefined : resolve(store),
    isOpenBehindProxy: registration === 'open' && loopback && !isPrivate,
  };
}

function hostInUrl(host: string): string {
  return host.includes(':') ? `[${host}]` : host;
}

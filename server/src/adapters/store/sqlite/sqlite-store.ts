/**
 * The relay store on SQLite: each method is one request to the store's thread, durable when it resolves.
 * Must not know SQL.
 */
import {
  DEFAULT_STORE_LIMITS,
  type RelayStore,
  type StoreLimits,
  type StoreObserver,
} from '../../../ports/index.js';
import { StoreThread } from './store-thread.js';

export interface SqliteStoreOptions extends Partial<StoreLimits> {
  /** The data file; made with its directory when absent, readable by its owner only. */
  readonly file: string;
  /** Largest size of the file in pages of 4,096 bytes; above it requests fail with `unavailable`. */
  readonly maxPageCount?: number;
  /** Hears of each commit. */
  readonly observer?: StoreObserver;
  /** Called once when the store ended by itself: every request fails from now on, and only a new process mends it. */
  readonly onFailed?: () => void;
}

/** Connected namespaces are marked as in use at least so often, and eight times within the time they may be unused. */
const MARK_EVERY_MS = 60 * 60 * 1000;
const MARKS_PER_LIFE = 8;
/** How many are marked in one request, so that marking never holds up a commit for long. */
const MARK_AT_ONCE = 1000;

/**
 * Opens the file for this process alone; the lock is free again when the process ends, however it ends.
 * @throws CountersignError `state_locked`, `state_corrupt`, `state_newer`, `state_permissions`, `unavailable`.
 */
export async function openSqliteStore(options: SqliteStoreOptions): Promise<RelayStore> {
  const { file, maxPageCount, observer, onFailed, ...limits } = options;
  return new SqliteStore(
    await StoreThread.open(
      { database: { file, maxPageCount }, limits: { ...DEFAULT_STORE_LIMITS, ...limits } },
      observer,
      onFailed,
    ),
  );
}

type Args<Name extends keyof RelayStore> = Parameters<RelayStore[Name]>;

class SqliteStore implements RelayStore {
  readonly #thread: StoreThread;
  #markedAt = Number.NEGATIVE_INFINITY;

  constructor(thread: StoreThread) {
    this.#thread = thread;
  }

  touchNamespace(...args: Args<'touchNamespace'>) {
    return this.#thread.call('touchNamespace', ...args);
  }
  agentOf(...args: Args<'agentOf'>) {
    return this.#thread.call('agentOf', ...args);
  }
  deviceState(...args: Args<'deviceState'>) {
    return this.#thread.call('deviceState', ...args);
  }
  authorizedDevices(...args: Args<'authorizedDevices'>) {
    return this.#thread.call('authorizedDevices', ...args);
  }
  pendingDevices(...args: Args<'pendingDevices'>) {
    return this.#thread.call('pendingDevices', ...args);
  }
  touchDevice(...args: Args<'touchDevice'>) {
    return this.#thread.call('touchDevice', ...args);
  }
  openPairingWindow(...args: Args<'openPairingWindow'>) {
    return this.#thread.call('openPairingWindow', ...args);
  }
  closePairingWindow(...args: Args<'closePairingWindow'>) {
    return this.#thread.call('closePairingWindow', ...args);
  }
  consumePairingToken(...args: Args<'consumePairingToken'>) {
    return this.#thread.call('consumePairingToken', ...args);
  }
  applyAuthorize(...args: Args<'applyAuthorize'>) {
    return this.#thread.call('applyAuthorize', ...args);
  }
  enqueueWithinLimits(...args: Args<'enqueueWithinLimits'>) {
    return this.#thread.call('enqueueWithinLimits', ...args);
  }
  lastQueuedSeq(...args: Args<'lastQueuedSeq'>) {
    return this.#thread.call('lastQueuedSeq', ...args);
  }
  takeUnproven(...args: Args<'takeUnproven'>) {
    return this.#thread.call('takeUnproven', ...args);
  }
  ackThrough(...args: Args<'ackThrough'>) {
    return this.#thread.call('ackThrough', ...args);
  }
  takePushBatch(...args: Args<'takePushBatch'>) {
    return this.#thread.call('takePushBatch', ...args);
  }
  settlePush(...args: Args<'settlePush'>) {
    return this.#thread.call('settlePush', ...args);
  }
  hastenPushes(...args: Args<'hastenPushes'>) {
    return this.#thread.call('hastenPushes', ...args);
  }
  takeReports(...args: Args<'takeReports'>) {
    return this.#thread.call('takeReports', ...args);
  }
  dropReports(...args: Args<'dropReports'>) {
    return this.#thread.call('dropReports', ...args);
  }
  pushRegistration(...args: Args<'pushRegistration'>) {
    return this.#thread.call('pushRegistration', ...args);
  }
  dropWaitingForAgent(...args: Args<'dropWaitingForAgent'>) {
    return this.#thread.call('dropWaitingForAgent', ...args);
  }
  async collect({ connected, ...options }: Args<'collect'>[0]) {
    if (this.#isMarkDue(options)) await this.#mark(connected, options.now);
    return this.#thread.call('collect', options);
  }
  stats() {
    return this.#thread.call('stats');
  }
  getSetting(...args: Args<'getSetting'>) {
    return this.#thread.call('getSetting', ...args);
  }
  putSetting(...args: Args<'putSetting'>) {
    return this.#thread.call('putSetting', ...args);
  }
  backlog() {
    return this.#thread.backlog();
  }
  close() {
    return this.#thread.close();
  }

  #isMarkDue({ now, emptyBefore, idleBefore }: Omit<Args<'collect'>[0], 'connected'>): boolean {
    const lifeMs = now - Math.max(emptyBefore, idleBefore);
    const sinceMs = now - this.#markedAt;
    // A clock that was set back makes none wait until it has caught up.
    return sinceMs < 0 || sinceMs >= Math.min(MARK_EVERY_MS, lifeMs / MARKS_PER_LIFE);
  }

  async #mark(connected: readonly Uint8Array[], now: number): Promise<void> {
    for (let at = 0; at < connected.length; at += MARK_AT_ONCE) {
      await this.#thread.call('touchConnected', connected.slice(at, at + MARK_AT_ONCE), now);
    }
    this.#markedAt = now;
  }
}

/**
 * Every pairing of a storage at work, as one inbox. Must not know payloads or sockets.
 */
import { CountersignError } from '@countersign/protocol';
import type {
  Alert,
  AnswerState,
  Client,
  ClientOptions,
  InboxItem,
  InboxSnapshot,
  PushRegistration,
  ShownAnswer,
  ShownAnswerResult,
} from '../api.js';
import { removeInbox } from '../inbox/inbox-records.js';
import { storedRegistration } from '../push/registration.js';
import { Serial } from '../storage/records.js';
import { Alerts, notYetShown } from './alerts.js';
import { openKeys } from './keys.js';
import { listPairings, type PairingRecord, toPairing } from './pairing-record.js';
import { PairingSession } from './pairing-session.js';
import { removePeerState } from './peer-store.js';
import { type ClientRuntime, systemRuntime } from './runtime.js';

/**
 * Opens every pairing in a storage and connects. Resolves when what is stored can be seen; connections come up
 * afterwards and stay until {@link Client.close}.
 *
 * @throws CountersignError what the storage throws, `state_corrupt` when keys cannot be opened.
 */
export function openClient(options: ClientOptions): Promise<Client> {
  return openClientWith(systemRuntime, options);
}

export async function openClientWith(runtime: ClientRuntime, options: ClientOptions): Promise<Client> {
  const { clock } = options;
  const client = new DeviceClient(
    clock === undefined ? runtime : { ...runtime, now: () => clock.now() },
    options,
  );
  await client.refreshPairings();
  client.connectWhenOwned();
  return client;
}

class DeviceClient implements Client {
  readonly inbox: Client['inbox'];
  readonly pairings: Client['pairings'];
  readonly #runtime: ClientRuntime;
  readonly #options: ClientOptions;
  readonly #alerts: Alerts;
  readonly #sessions = new Map<string, PairingSession>();
  readonly #listeners = new Set<(snapshot: InboxSnapshot) => void>();
  readonly #serial = new Serial();
  #privatePreviews: boolean;
  /** This context may connect. */
  #ownsStorage = false;
  #ownedElsewhere = false;
  #closing: Promise<void> | undefined;

  constructor(runtime: ClientRuntime, options: ClientOptions) {
    this.#runtime = runtime;
    this.#options = options;
    this.#privatePreviews = options.privatePreviews ?? false;
    this.#alerts = new Alerts({
      storage: options.storage,
      logger: options.logger,
      onAlert: (alert: Alert) => options.onAlert(alert),
    });
    this.inbox = { get: () => this.#snapshot(), subscribe: (listener) => this.#subscribe(listener) };
    this.pairings = {
      list: async () => (await this.#stored()).map(toPairing),
      unpair: (pairingId) => this.#serial.run(() => this.#unpair(pairingId)),
    };
  }

  refreshPairings(): Promise<void> {
    return this.#serial.run(async () => {
      if (this.#closing !== undefined) throw new CountersignError('closed', 'the client is closed');
      for (const record of await this.#stored()) {
        if (!this.#sessions.has(record.id)) await this.#open(record);
      }
      this.#changed();
    });
  }

  /** Two connections of one device would push each other away: a second tab looks on until the first is gone. */
  connectWhenOwned(): void {
    const connect = () => {
      this.#ownsStorage = true;
      this.#ownedElsewhere = false;
      for (const session of this.#sessions.values()) session.connect();
      this.#changed();
    };
    const waiting = () => {
      this.#ownedElsewhere = true;
      this.#changed();
    };
    // It fails only when the storage was closed meanwhile.
    this.#options.storage.own(waiting).then(connect, () => undefined);
  }

  load(item: InboxItem): Promise<InboxItem | undefined> {
    return this.#session(item.pairingId).loadItem(item);
  }

  async requestInbox(pairingId?: string): Promise<void> {
    const asked = pairingId === undefined ? [...this.#sessions.values()] : [this.#session(pairingId)];
    await Promise.all(asked.map(({ agent }) => agent.requestInbox()));
  }

  async approve(...[item, options = {}]: Parameters<Client['approve']>) {
    return this.#session(item.pairingId).desk.approve(item, options);
  }

  async reject(...[item, options = {}]: Parameters<Client['reject']>) {
    return this.#session(item.pairingId).desk.reject(item, options);
  }

  async answer(...[item, content]: Parameters<Client['answer']>) {
    return this.#session(item.pairingId).desk.answer(item, content);
  }

  answerState(pairingId: string, answerId: string): AnswerState | undefined {
    return this.#sessions.get(pairingId)?.answerState(answerId);
  }

  async endBypass(pairingId: string, bypassId: string): Promise<void> {
    await this.#session(pairingId).agent.endBypass(bypassId);
  }

  async registerPush(registration: PushRegistration, pairingId?: string): Promise<string[]> {
    const { platform } = registration;
    const sessions =
      pairingId === undefined
        ? [...this.#sessions.values()].filter((session) => session.platform === platform)
        : [this.#session(pairingId)];
    storedRegistration(registration);
    for (const session of sessions) await session.registerPush(registration);
    return sessions.map(({ id }) => id);
  }

  async answerShown(answer: ShownAnswer): Promise<ShownAnswerResult> {
    return this.#session(answer.pairingId).answerShown(answer);
  }

  async setPrivatePreviews(on: boolean): Promise<void> {
    this.#privatePreviews = on;
    const online = [...this.#sessions.values()].filter(({ agent }) => agent.isOnline);
    await Promise.all(online.map(({ agent }) => agent.sayHello()));
  }

  close(): Promise<void> {
    this.#closing ??= this.#serial.run(async () => {
      await Promise.all([...this.#sessions.values()].map((session) => session.close()));
      this.#changed();
      this.#listeners.clear();
    });
    return this.#closing;
  }

  async #open(record: PairingRecord): Promise<void> {
    const { storage, ca, logger, appVersion, onPushKey } = this.#options;
    const session = new PairingSession(record, await openKeys(storage, record), {
      storage,
      runtime: this.#runtime,
      ca,
      logger,
      appVersion,
      privatePreviews: () => this.#privatePreviews,
      ownedElsewhere: () => this.#ownedElsewhere,
      pushKeyChanged: (change) => this.#tell(() => onPushKey?.(change)),
      changed: () => this.#changed(),
      alertArrived: (pairingId, key, verdict) => this.#alerts.show(pairingId, key, verdict),
    });
    await session.load();
    this.#sessions.set(record.id, session);
    if (this.#ownsStorage) session.connect();
    for (const { key } of notYetShown(session.inbox)) void this.#alerts.show(record.id, key, 'new');
  }

  async #unpair(pairingId: string): Promise<void> {
    const session = this.#session(pairingId);
    await session.agent.logOut().catch(() => undefined);
    await session.close();
    this.#sessions.delete(pairingId);
    await this.#options.storage.transaction(async (tx) => {
      await tx.delete('pairings', pairingId);
      await removePeerState(tx, pairingId, session.channelId);
      await removeInbox(tx, pairingId);
    });
    this.#changed();
  }

  #stored(): Promise<PairingRecord[]> {
    return this.#options.storage.transaction((tx) => listPairings(tx));
  }

  #session(pairingId: string): PairingSession {
    if (this.#closing !== undefined) throw new CountersignError('closed', 'the client is closed');
    const session = this.#sessions.get(pairingId);
    if (session !== undefined) return session;
    throw new CountersignError(
      'not_paired',
      'This device has no such pairing. Pair it with a link from the agent.',
    );
  }

  #snapshot(): InboxSnapshot {
    const parts = [...this.#sessions.values()].map((session) => ({ session, items: session.items() }));
    return {
      items: parts.flatMap(({ items }) => items),
      badge: parts.reduce((sum, { session, items }) => sum + session.badge(items), 0),
      pairings: parts.map(({ session }) => session.status()),
      bypasses: parts.flatMap(({ session }) => session.bypasses()),
    };
  }

  #subscribe(listener: (snapshot: InboxSnapshot) => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  #changed(): void {
    if (this.#listeners.size === 0) return;
    const snapshot = this.#snapshot();
    for (const listener of this.#listeners) this.#tell(() => listener(snapshot));
  }

  #tell(host: () => void): void {
    try {
      host();
    } catch {
      // The host's function failed; the connection goes on.
      this.#options.logger?.warn('listener_failed', {});
    }
  }
}

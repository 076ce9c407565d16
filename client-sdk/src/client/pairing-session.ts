/**
 * One pairing at work: its connection, its inbox, its answers. Must not know other pairings or how alerts are shown.
 */
import { uuidV4 } from '@countersign/protocol/payloads';
import type {
  AnswerState,
  Bypass,
  ClientLogger,
  InboxItem,
  PairingStatus,
  PushKeyChange,
  PushRegistration,
  ShownAnswer,
  ShownAnswerResult,
} from '../api.js';
import { AnswerDesk } from '../inbox/answer-desk.js';
import { Answers } from '../inbox/answers.js';
import { type InboxState, readInbox, type SnapshotRecord } from '../inbox/inbox-records.js';
import { badgeOf, bypassesOf, itemsOf } from '../inbox/view.js';
import { answerShown } from '../push/answer-shown.js';
import { registrationFor } from '../push/registration.js';
import type { Storage } from '../storage/storage.js';
import { AgentLink } from './agent-link.js';
import type { DeviceKeys } from './keys.js';
import { changePairing, type PairingRecord, readPairing } from './pairing-record.js';
import { effectOf } from './payload-effects.js';
import { type ClientPeerStore, peerStore } from './peer-store.js';
import type { ClientRuntime } from './runtime.js';
import { connectionOf, problemOf } from './status.js';

export interface SessionPorts {
  readonly storage: Storage;
  readonly runtime: ClientRuntime;
  readonly ca: string | undefined;
  readonly logger: ClientLogger | undefined;
  readonly appVersion: string | undefined;
  privatePreviews(): boolean;
  /** Another context (a tab) is connected with these pairings. */
  ownedElsewhere(): boolean;
  pushKeyChanged(change: PushKeyChange): void;
  /** Something a person sees has changed. */
  changed(): void;
  alertArrived(pairingId: string, key: string, verdict: 'new' | 'duplicate'): Promise<boolean>;
}

/** How long {@link PairingSession.loadItem} waits for the item. */
export const LOAD_TIMEOUT_MS = 10_000;

export class PairingSession {
  readonly id: string;
  readonly desk: AnswerDesk;
  readonly agent: AgentLink;
  readonly #ports: SessionPorts;
  readonly #keys: DeviceKeys;
  readonly #store: ClientPeerStore;
  readonly #answers: Answers;
  readonly #snapshotWaiters = new Set<() => void>();
  #record: PairingRecord;
  #inbox: InboxState = { snapshot: undefined, alerts: [], answers: [] };
  #closed = false;

  constructor(record: PairingRecord, keys: DeviceKeys, ports: SessionPorts) {
    this.id = record.id;
    this.#record = record;
    this.#keys = keys;
    this.#ports = ports;
    this.#store = peerStore(ports.storage, record.id, keys.channel.id);
    this.#answers = this.#makeAnswers();
    this.desk = this.#makeDesk();
    this.agent = this.#makeAgentLink();
  }

  /** What is stored can be seen from here on; nothing connects yet. */
  async load(): Promise<void> {
    await this.#answers.load();
    await this.#reload();
  }

  connect(): void {
    if (!this.#closed) this.agent.link.start();
  }

  async close(): Promise<void> {
    this.#closed = true;
    this.#answers.close();
    for (const wake of this.#snapshotWaiters) wake();
    await this.agent.close();
  }

  get inbox(): InboxState {
    return this.#inbox;
  }

  get channelId(): string {
    return this.#keys.channel.id;
  }

  items(): InboxItem[] {
    return itemsOf(this.#inbox, this.#viewContext());
  }

  answerState(answerId: string): AnswerState | undefined {
    return this.#answers.stateOf(answerId);
  }

  badge(items: readonly InboxItem[]): number {
    return badgeOf(this.#inbox, items);
  }

  bypasses(): Bypass[] {
    return bypassesOf(this.#inbox, this.#viewContext());
  }

  status(): PairingStatus {
    const { state } = this.agent.link;
    return {
      id: this.id,
      agentName: this.#record.agentName,
      connection: connectionOf(state),
      agentOnline: this.agent.agentOnline,
      problem: problemOf(state, this.#record, this.#ports.ownedElsewhere()),
      snapshotAt: this.#inbox.snapshot?.receivedAt,
      clockOffsetMs: this.#inbox.snapshot?.clockOffsetMs,
    };
  }

  async loadItem(item: InboxItem): Promise<InboxItem | undefined> {
    const deadline = this.#ports.runtime.now() + LOAD_TIMEOUT_MS;
    const counter = this.#inbox.snapshot?.counter ?? 0;
    await this.agent.requestInbox(item.requestId);
    while (!this.#closed) {
      const found = this.#find(item);
      const fresh = (this.#inbox.snapshot?.counter ?? 0) > counter;
      if (fresh && (found === undefined || found.whole)) return found;
      const leftMs = deadline - this.#ports.runtime.now();
      if (leftMs <= 0 || !(await this.#nextSnapshot(leftMs))) break;
    }
    return this.#find(item);
  }

  get platform(): PairingRecord['platform'] {
    return this.#record.platform;
  }

  /** @throws CountersignError `invalid_request`. */
  async registerPush(registration: PushRegistration): Promise<void> {
    await this.#change(registrationFor(this.#record.platform, registration));
    this.agent.registrationChanged();
  }

  async answerShown(answer: ShownAnswer): Promise<ShownAnswerResult> {
    try {
      await this.agent.link.whenOnline({ timeoutMs: LOAD_TIMEOUT_MS });
    } catch {
      return { result: 'unreachable' };
    }
    return answerShown(answer, {
      find: (requestId) => this.items().find((item) => item.requestId === requestId),
      load: (item) => this.loadItem(item),
      approve: (item) => this.desk.approve(item, { shown: 'summary' }),
      reject: (item) => this.desk.reject(item, {}),
    });
  }

  /** A card that waits may turn out to be of another kind than its announcement said. */
  #find(item: InboxItem): InboxItem | undefined {
    return this.items().find(
      (one) => one.requestId === item.requestId && (one.kind === item.kind || item.state === 'waiting'),
    );
  }

  #makeAnswers(): Answers {
    return new Answers({
      storage: this.#ports.storage,
      pairingId: this.id,
      channel: this.#keys.channel,
      store: this.#store,
      runtime: this.#ports.runtime,
      link: () => this.agent.link,
      agentAcks: () => this.#record.supports.includes('acks'),
      agentNow: () => this.#agentNow(),
      changed: () => this.#reload(),
    });
  }

  #makeDesk(): AnswerDesk {
    return new AnswerDesk({
      answers: this.#answers,
      signer: {
        namespaceId: this.#record.namespaceId,
        deviceId: this.#record.deviceId,
        ed25519Secret: this.#keys.identity.ed25519Secret,
      },
      inbox: () => this.#inbox,
      newId: () => uuidV4(this.#ports.runtime.randomBytes(16)),
      envelopeTime: () => this.#envelopeTime(),
      agentNow: () => this.#agentNow(),
      agentAcks: () => this.#record.supports.includes('acks'),
      agentMayBeThere: () => this.agent.isOnline && this.agent.agentOnline !== false,
      snapshotIsFresh: () => this.agent.snapshotIsFresh,
    });
  }

  #makeAgentLink(): AgentLink {
    const { runtime, ca, logger } = this.#ports;
    return new AgentLink({
      keys: this.#keys,
      store: this.#store,
      runtime,
      ca,
      logger,
      appVersion: this.#ports.appVersion,
      privatePreviews: () => this.#ports.privatePreviews(),
      record: () => this.#record,
      changeRecord: (change) => this.#change(change),
      envelopeTime: () => this.#envelopeTime(),
      effectOf: (incoming) => effectOf(incoming, this.#effectPorts()),
      agentReachable: () => this.#answers.resendAll(),
      agentOffline: () => this.#answers.agentOffline(),
      givenUp: (outboxId) => this.#answers.givenUp(outboxId),
      pushKeyChanged: (change) => this.#ports.pushKeyChanged(change),
      changed: () => this.#ports.changed(),
    });
  }

  #effectPorts() {
    return {
      pairingId: this.id,
      namespaceId: this.#record.namespaceId,
      answers: this.#answers,
      logger: this.#ports.logger,
      now: () => this.#ports.runtime.now(),
      snapshotApplied: (snapshot: SnapshotRecord) => this.#snapshotApplied(snapshot),
      stored: () => this.#reload(),
      alertArrived: (key: string, verdict: 'new' | 'duplicate') =>
        this.#ports.alertArrived(this.id, key, verdict),
    };
  }

  async #snapshotApplied(snapshot: SnapshotRecord): Promise<void> {
    this.agent.snapshotCame();
    await this.#answers.snapshotApplied(snapshot);
    await this.#reload();
    for (const wake of this.#snapshotWaiters) wake();
  }

  /** True when a snapshot came, false after `ms`. */
  #nextSnapshot(ms: number): Promise<boolean> {
    return new Promise((resolve) => {
      const done = (came: boolean) => {
        timer.cancel();
        this.#snapshotWaiters.delete(wake);
        resolve(came);
      };
      const wake = () => done(true);
      const timer = this.#ports.runtime.setTimer(() => done(false), ms);
      this.#snapshotWaiters.add(wake);
    });
  }

  /** This device's clock, or the agent's once the agent has refused this one (03 §1). */
  #envelopeTime(): number {
    return this.#record.adoptedClockOffsetMs === undefined ? this.#ports.runtime.now() : this.#agentNow();
  }

  #agentNow(): number {
    const offset = this.#inbox.snapshot?.clockOffsetMs ?? this.#record.adoptedClockOffsetMs ?? 0;
    return Math.max(0, Math.round(this.#ports.runtime.now() + offset));
  }

  #viewContext() {
    return {
      pairingId: this.id,
      agentName: this.#record.agentName,
      now: this.#ports.runtime.now(),
      volatile: this.#answers.volatile,
    };
  }

  async #change(change: Partial<PairingRecord>): Promise<void> {
    await this.#ports.storage.transaction((tx) => changePairing(tx, this.id, () => change));
    await this.#reload();
  }

  /** What is stored is the truth; another context (a service worker) may have written too. */
  async #reload(): Promise<void> {
    this.#inbox = await readInbox(this.#ports.storage, this.id);
    const record = await this.#ports.storage.transaction((tx) => readPairing(tx, this.id));
    if (record !== undefined) this.#record = record;
    this.#ports.changed();
  }
}

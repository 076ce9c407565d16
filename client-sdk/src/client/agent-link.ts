/**
 * The connection of one pairing: logs in, greets, asks for the inbox, follows whether the agent is there. Must not
 * know items or answers; what arrives goes to the effects.
 */
import { CountersignError } from '@countersign/protocol';
import {
  type Effect,
  type Incoming,
  type Link,
  type LinkState,
  openLink,
  type PushTarget,
} from '@countersign/protocol/link';
import { newEnvelope } from '@countersign/protocol/payloads';
import type { ClientLogger, PushKeyChange } from '../api.js';
import { fetchPushInfo } from '../push/push-info.js';
import type { StorageTx } from '../storage/storage.js';
import { helloOf, platformNumber } from './device-info.js';
import type { DeviceKeys } from './keys.js';
import type { PairingRecord } from './pairing-record.js';
import type { ClientPeerStore } from './peer-store.js';
import type { ClientRuntime } from './runtime.js';

export interface AgentLinkPorts {
  readonly keys: DeviceKeys;
  readonly store: ClientPeerStore;
  readonly runtime: ClientRuntime;
  readonly ca: string | undefined;
  readonly logger: ClientLogger | undefined;
  readonly appVersion: string | undefined;
  privatePreviews(): boolean;
  record(): PairingRecord;
  changeRecord(change: Partial<PairingRecord>): Promise<void>;
  /** What `ts` says now. */
  envelopeTime(): number;
  effectOf(incoming: Incoming): Promise<Effect<StorageTx> | undefined>;
  /** The relay let this device in, or the agent came: what is not confirmed may go again. */
  agentReachable(): Promise<void>;
  agentOffline(): void;
  /** The relay refused a queued message for good. */
  givenUp(outboxId: number): Promise<void>;
  pushKeyChanged(change: PushKeyChange): void;
  changed(): void;
}

/** How long removing a pairing waits until the relay has the logout. */
export const LOGOUT_TIMEOUT_MS = 5_000;

type OwnKind = 'hello' | 'inbox_request' | 'logout' | 'bypass_end';

export class AgentLink {
  readonly link: Link;
  readonly #ports: AgentLinkPorts;
  #agentOnline: boolean | undefined;
  #snapshotIsFresh = false;
  #closed = false;
  /** What was told at the newest login. */
  #toldPush = '';

  constructor(ports: AgentLinkPorts) {
    this.#ports = ports;
    this.link = this.#open();
  }

  get isOnline(): boolean {
    return this.link.state.phase === 'online';
  }

  /** Undefined while nobody said. */
  get agentOnline(): boolean | undefined {
    return this.isOnline ? this.#agentOnline : undefined;
  }

  /** A snapshot came on the present connection, ours and the agent's: one that came back may reuse its ids. */
  get snapshotIsFresh(): boolean {
    return this.isOnline && this.#snapshotIsFresh;
  }

  snapshotCame(): void {
    this.#snapshotIsFresh = true;
  }

  async close(): Promise<void> {
    this.#closed = true;
    await this.link.close();
  }

  async requestInbox(requestId?: string): Promise<void> {
    const { seen, used } = await this.#ports.store.seenAndUsed();
    const asks = requestId !== undefined && this.#supports('item_request');
    await this.link.sendLive(this.#ports.keys.channel, {
      ...this.#envelope('inbox_request'),
      ...(asks ? { request_id: requestId } : {}),
      ...(seen > 0 ? { seen } : {}),
      ...(used > 0 ? { used } : {}),
    });
  }

  async endBypass(bypassId: string): Promise<void> {
    if (!this.#supports('bypasses')) {
      throw new CountersignError('unsupported', 'This agent keeps no list of standing approvals.');
    }
    await this.#queue({ ...this.#envelope('bypass_end'), bypass_id: bypassId });
  }

  /** Tells the agent that this device leaves, if the relay can be reached now. */
  async logOut(): Promise<void> {
    if (!this.isOnline) return;
    await this.#queue(this.#envelope('logout'));
    const timeout = new AbortController();
    const timer = this.#ports.runtime.setTimer(() => timeout.abort(), LOGOUT_TIMEOUT_MS);
    await this.link.flushed({ signal: timeout.signal }).catch(() => undefined);
    timer.cancel();
  }

  /** Work nobody waits for: a failure is logged, and the next login does it again. */
  later(work: () => Promise<void> | void): void {
    Promise.resolve()
      .then(() => (this.#closed ? undefined : work()))
      .catch((error: unknown) => {
        const code = error instanceof CountersignError ? error.code : 'unknown';
        if (!this.#closed) this.#ports.logger?.warn('background_work_failed', { code });
      });
  }

  #open(): Link {
    const { keys, store, ca, logger, runtime } = this.#ports;
    const record = this.#ports.record();
    return openLink<StorageTx>({
      relayUrl: record.relayUrl,
      identity: {
        role: 'client',
        namespaceId: keys.namespaceId,
        ed25519Public: keys.identity.ed25519Public,
        sign: (message) => keys.sign(message),
      },
      store,
      handler: {
        channelsOf: (peer) => (peer === keys.agent ? [keys.channel] : []),
        onPayload: (incoming) => {
          if (incoming.live) this.#agentOnline = true;
          return this.#ports.effectOf(incoming);
        },
        onPresence: (peer, online) => this.#onPresence(peer, online),
        onPeerOffline: (peer) => this.#onPeerOffline(peer),
        onGivenUp: ({ id }) => this.#ports.givenUp(id),
        onState: (state) => this.#onState(state),
        onPushHandle: (pushHandle) => this.#onPushHandle(pushHandle),
        onRelayBindingSeen: () => this.#ports.changeRecord({ binding: 'required' }),
      },
      binding: record.binding,
      pushTarget: () => this.#pushTarget(),
      platform: platformNumber(record.platform),
      ca,
      clock: { now: () => runtime.now() },
      logger,
    });
  }

  #onState(state: LinkState): void {
    if (state.phase === 'online') this.later(() => this.#afterLogin());
    else {
      this.#agentOnline = undefined;
      this.#snapshotIsFresh = false;
    }
    this.#ports.changed();
  }

  /** The relay is told of a changed registration now, of an unchanged one at every login. */
  registrationChanged(): void {
    if (this.isOnline && this.#toldPush !== pushText(this.#ports.record())) this.link.loginAgain();
  }

  #pushTarget(): PushTarget {
    const record = this.#ports.record();
    this.#toldPush = pushText(record);
    return { deviceToken: record.deviceToken, app: record.app };
  }

  async #onPushHandle(pushHandle: string): Promise<void> {
    if (this.#ports.record().pushHandle !== pushHandle) await this.#ports.changeRecord({ pushHandle });
  }

  /** A relay whose key changed cannot push to a subscription made under the old one for ever (04 §3). */
  async #checkPushKey(): Promise<void> {
    const { id, relayUrl, vapidKey } = this.#ports.record();
    if (vapidKey === undefined) return;
    const info = await fetchPushInfo(relayUrl, { fetch: this.#ports.runtime.fetch });
    if (info?.vapidKey === vapidKey || this.#ports.record().vapidKey !== vapidKey) return;
    this.#ports.pushKeyChanged({ pairingId: id, relayUrl, vapidKey: info?.vapidKey });
  }

  async #afterLogin(): Promise<void> {
    this.later(() => this.#checkPushKey());
    if (!this.#ports.record().admitted) await this.#ports.changeRecord({ admitted: true });
    await this.sayHello();
    await this.#ports.agentReachable();
    await this.requestInbox();
    const online = await this.link.presence();
    this.#agentOnline = online.includes(this.#ports.keys.agent);
    this.#ports.changed();
  }

  /** After pairing and when what this app is has changed (03 §1). */
  async sayHello(): Promise<void> {
    const hello = helloOf(this.#ports.record(), this.#ports.appVersion, this.#ports.privatePreviews());
    const helloSent = JSON.stringify(hello);
    if (this.#ports.record().helloSent === helloSent) return;
    await this.#queue({ ...this.#envelope('hello'), ...hello });
    await this.#ports.changeRecord({ helloSent });
  }

  #onPresence(peer: string, online: boolean): void {
    if (peer !== this.#ports.keys.agent) return;
    this.#agentOnline = online;
    this.#snapshotIsFresh = false;
    this.#ports.changed();
    if (!online) return;
    this.later(() => this.requestInbox());
    this.later(() => this.#ports.agentReachable());
  }

  #onPeerOffline(peer: string): void {
    if (peer !== this.#ports.keys.agent) return;
    this.#agentOnline = false;
    this.#snapshotIsFresh = false;
    this.#ports.agentOffline();
    this.#ports.changed();
  }

  #supports(feature: string): boolean {
    return this.#ports.record().supports.includes(feature);
  }

  async #queue(payload: object): Promise<void> {
    await this.link.queue(this.#ports.keys.channel, payload);
  }

  #envelope<K extends OwnKind>(kind: K) {
    return newEnvelope(kind, this.#ports.envelopeTime(), this.#ports.runtime.randomBytes(16));
  }
}

function pushText({ deviceToken, app }: PairingRecord): string {
  return JSON.stringify([deviceToken, app]);
}

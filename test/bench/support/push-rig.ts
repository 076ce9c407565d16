/**
 * The relay's outbox and its worker on a file, without peers: rows are written through the store's door, and every answer of
 * a provider is counted. Must not know what is compared.
 */
import { createPrivateKey } from 'node:crypto';
import { openSqliteStore } from '@countersign/server/adapters/store/sqlite';
import type { Notifier, PushProvider, RelayStore } from '@countersign/server/ports';
import { openLocalBus } from '../../../server/src/adapters/bus/local/index.js';
import { nodeClock, nodeHash, nodeRandom } from '../../../server/src/adapters/runtime/node/index.js';
import { openNotifiers } from '../../../server/src/compose-push.js';
import { PushWorker } from '../../../server/src/domain/push/push-worker.js';
import { DEFAULT_TOPIC } from '../../gateways/index.js';
import { vapidPair } from '../../support/push/notifiers.js';
import { inTurns, type Namespace } from './world.js';

/** What the gateways' process tells. */
export interface GatewayReach {
  readonly ca: string;
  readonly apns: {
    readonly port: number;
    readonly sandboxPort: number;
    readonly credential: { readonly key: string; readonly keyId: string; readonly teamId: string };
    readonly tokens: readonly string[];
  };
  readonly fcm: {
    readonly port: number;
    readonly oauthPort: number;
    readonly account: {
      readonly project_id: string;
      readonly client_email: string;
      readonly private_key: string;
    };
    readonly tokens: readonly string[];
  };
  readonly webPush: { readonly origins: readonly string[]; readonly tokens: readonly string[] };
}

const TEXTS = { title: 'Countersign', body: 'Action required', quietBody: 'Settled', category: '' };
const HOUR_MS = 3_600_000;
const QUEUE = { messages: 1_000, bytes: 1 << 30 };

/** The adapters as the relay makes them. */
export function notifiersFor({ ca, apns, fcm, webPush }: GatewayReach): Promise<Notifier[]> {
  const { key, keyId, teamId } = apns.credential;
  const account = {
    projectId: fcm.account.project_id,
    clientEmail: fcm.account.client_email,
    privateKey: createPrivateKey(fcm.account.private_key),
  };
  return openNotifiers(
    {
      apps: ['main'],
      apns: [
        { id: 'main', topic: DEFAULT_TOPIC, key: { key: createPrivateKey(key), keyId, teamId }, ...TEXTS },
      ],
      fcm: [{ id: 'main', account }],
      webPush: { subject: 'mailto:a@relay.example', keys: [vapidPair()], origins: webPush.origins },
      gateways: {
        ...{ ca, apnsPort: apns.port, apnsSandboxPort: apns.sandboxPort },
        ...{ fcmPort: fcm.port, fcmOauthPort: fcm.oauthPort },
      },
    },
    nodeClock,
  );
}

export interface PushTally {
  accepted: number;
  other: number;
}

export class PushRig {
  readonly store: RelayStore;
  readonly tally: PushTally = { accepted: 0, other: 0 };
  readonly #worker: PushWorker;
  #waiting: { count: number; resolve: () => void } | undefined;
  #nonce = 0n;

  private constructor(store: RelayStore, notifiers: readonly Notifier[]) {
    this.store = store;
    this.#worker = new PushWorker({
      clock: nodeClock,
      random: nodeRandom,
      hash: nodeHash,
      store,
      bus: openLocalBus(),
      events: { emit: () => undefined },
      notifiers,
      apps: ['main'],
      key: nodeRandom.bytes(32),
      observer: {
        attempted: ({ outcome }) => this.#count(outcome === 'accepted'),
        tokenRemoved: () => undefined,
      },
    });
  }

  static async open(file: string, notifiers: readonly Notifier[]): Promise<PushRig> {
    return new PushRig(await openSqliteStore({ file, maxStoreBytes: 64 * 1024 ** 3 }), notifiers);
  }

  /** Registers one token with each device. */
  async register(
    world: readonly Namespace[],
    provider: PushProvider,
    tokens: readonly string[],
  ): Promise<void> {
    await inTurns(devicesOf(world), ({ id, device, at }) =>
      this.store.touchDevice(id, device, {
        ...{ deviceToken: tokens[at % tokens.length] ?? '', provider, platform: 2, now: Date.now() },
      }),
    );
  }

  /** Queues one message with a push for each of the first `count` devices. */
  async queue(world: readonly Namespace[], count: number, bytes: number, dueAt = Date.now()): Promise<void> {
    await inTurns(devicesOf(world).slice(0, count), ({ id, agent, device }) =>
      this.one(id, agent, device, bytes, dueAt),
    );
  }

  async one(
    id: Uint8Array,
    agent: Uint8Array,
    device: Uint8Array,
    bytes: number,
    dueAt = Date.now(),
  ): Promise<void> {
    this.#nonce += 1n;
    const nonce = new Uint8Array(12);
    new DataView(nonce.buffer).setBigUint64(0, this.#nonce);
    const now = Date.now();
    await this.store.enqueueWithinLimits({
      ...{ namespaceId: id, sender: agent, recipient: device, nonce, now, limits: QUEUE },
      ...{ ciphertext: new Uint8Array(bytes), expiresAt: now + HOUR_MS, ref: this.#nonce, hints: {} },
      push: { intent: 'alert', dueAt, expiresAt: now + HOUR_MS, isReported: false },
    });
    this.#worker.wake(dueAt);
  }

  start(): void {
    this.#worker.start();
  }

  /** Resolves when so many were accepted since the start. */
  accepted(count: number): Promise<void> {
    if (this.tally.accepted >= count) return Promise.resolve();
    return new Promise((resolve) => {
      this.#waiting = { count, resolve };
    });
  }

  async close(): Promise<void> {
    await this.#worker.stop();
    await this.store.close();
  }

  #count(isAccepted: boolean): void {
    this.tally[isAccepted ? 'accepted' : 'other'] += 1;
    if (this.#waiting && this.tally.accepted >= this.#waiting.count) this.#waiting.resolve();
  }
}

interface Addressed {
  readonly id: Uint8Array;
  readonly agent: Uint8Array;
  readonly device: Uint8Array;
  readonly at: number;
}

function devicesOf(world: readonly Namespace[]): Addressed[] {
  return world
    .flatMap(({ id, agent, devices }) =>
      devices.map((device) => ({ id, agent: agent.publicKey, device: device.publicKey })),
    )
    .map((each, at) => ({ ...each, at }));
}

/** What the parts of the store suite share: keys, times, and a namespace to play in. */
import type { RelayStore, StoreLimits } from '@countersign/server/ports';

/** What a part gets: the shared store, and others of its own for tests about a whole store. */
export interface StoreSuite {
  /** There once the tests run. */
  readonly store: RelayStore;
  /** An empty store; the suite closes it. */
  open(limits?: Partial<StoreLimits>): Promise<RelayStore>;
}

export const NOW = 1_700_000_000_000;
export const DAY_MS = 86_400_000;
export const DEVICE_LIMITS = { authorizedDevices: 32, pendingDevices: 16 };
export const WIDE = { messages: 1000, bytes: 1 << 30 };
export const ALL = { afterSeq: 0, maxBytes: 1 << 30, now: NOW };

let counter = 0;
/** 32 bytes nobody else in this run has. */
export function freshKey(): Uint8Array {
  counter += 1;
  const key = new Uint8Array(32).fill(0xa5);
  new DataView(key.buffer).setUint32(0, counter);
  return key;
}

export const hex = (bytes: Uint8Array) => Buffer.from(bytes).toString('hex');

/** A namespace and what tests do with it, all at `NOW` unless told. */
export class Scene {
  readonly id = freshKey();
  readonly agent = freshKey();
  readonly store: RelayStore;

  constructor(store: RelayStore) {
    this.store = store;
  }

  static async create(store: RelayStore, now = NOW): Promise<Scene> {
    const scene = new Scene(store);
    await store.touchNamespace(scene.id, scene.agent, now, true);
    return scene;
  }

  attempt(over: Partial<Parameters<RelayStore['consumePairingToken']>[0]> = {}) {
    return {
      namespaceId: this.id,
      tokenHash: freshKey(),
      window: freshKey().slice(0, 16),
      ed25519: freshKey(),
      x25519: freshKey(),
      platform: 3,
      deviceToken: '',
      now: NOW,
      ...over,
    };
  }

  /** Opens a window and comes through it. */
  async pair(over: Partial<Parameters<RelayStore['consumePairingToken']>[0]> = {}, limits = DEVICE_LIMITS) {
    const attempt = this.attempt(over);
    await this.store.openPairingWindow(this.id, attempt.tokenHash, attempt.now + 300_000);
    const result = await this.store.consumePairingToken(attempt, limits);
    return { attempt, result, device: attempt.ed25519 };
  }

  async authorizedDevice(): Promise<Uint8Array> {
    const { device } = await this.pair();
    await this.store.applyAuthorize(this.id, [...(await this.store.authorizedDevices(this.id)), device], NOW);
    return device;
  }

  send(
    sender: Uint8Array,
    recipient: Uint8Array,
    over: Partial<Parameters<RelayStore['enqueueWithinLimits']>[0]> = {},
  ) {
    return this.store.enqueueWithinLimits({
      namespaceId: this.id,
      sender,
      recipient,
      nonce: new Uint8Array(12).fill(7),
      ciphertext: new Uint8Array(32).fill(8),
      now: NOW,
      expiresAt: NOW + 7 * DAY_MS,
      limits: WIDE,
      ...over,
    });
  }

  async seqOf(sent: ReturnType<Scene['send']>): Promise<number> {
    const result = await sent;
    if (typeof result === 'string') throw new Error(`refused: ${result}`);
    return result.seq;
  }

  async seqsFor(recipient: Uint8Array, options: Partial<Parameters<RelayStore['takeUnproven']>[2]> = {}) {
    const taken = await this.store.takeUnproven(this.id, recipient, { ...ALL, ...options });
    return taken.map((message) => message.seq);
  }
}

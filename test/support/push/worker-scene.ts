/** The push worker alone: a store in memory, notifiers a test answers for, and time moved by hand. */
import type {
  NewPush,
  Notifier,
  PushAttempt,
  PushTarget,
  RelayEvent,
  RelayStore,
} from '@countersign/server/ports';
import { openLocalBus } from '../../../server/src/adapters/bus/local/index.js';
import { nodeHash, nodeRandom } from '../../../server/src/adapters/runtime/node/index.js';
import { openMemoryStore } from '../../../server/src/adapters/store/memory/index.js';
import { PushWorker } from '../../../server/src/domain/push/push-worker.js';
import { Scene } from '../../conformance/relay-store.scene.js';
import { Ledger } from '../../gateways/kit/ledger.js';
import { RelayClock } from '../relay/relay-clock.js';
import { StubNotifier } from './stub-notifier.js';

export const LIFE_MS = 3_600_000;

/** A stub whose groups are the digits a token begins with. */
export class GroupedStub extends StubNotifier {
  override groupOf(target?: PushTarget): string {
    return `webpush:${target?.token.at(5) ?? ''}`;
  }
}

export interface WorkerSceneOptions {
  readonly notifiers?: (clock: RelayClock) => readonly Notifier[];
  readonly wrap?: (store: RelayStore) => RelayStore;
  readonly clock?: RelayClock;
}

export class WorkerScene {
  readonly clock: RelayClock;
  readonly store: RelayStore;
  readonly events: RelayEvent[] = [];
  readonly attempts = new Ledger<PushAttempt>(true);
  readonly removed: string[] = [];
  readonly worker: PushWorker;
  readonly stub: StubNotifier;
  readonly scene: Scene;
  #tokens = 0;
  #refs = 0n;

  private constructor(store: RelayStore, scene: Scene, clock: RelayClock, options: WorkerSceneOptions) {
    this.clock = clock;
    this.store = store;
    this.scene = scene;
    this.stub = new GroupedStub(this.clock);
    this.worker = new PushWorker({
      clock: this.clock,
      random: nodeRandom,
      hash: nodeHash,
      store: options.wrap?.(store) ?? store,
      bus: openLocalBus(),
      events: { emit: (event) => this.events.push(event) },
      notifiers: options.notifiers?.(this.clock) ?? [this.stub],
      apps: ['main'],
      key: new Uint8Array(32).fill(1),
      observer: {
        attempted: (attempt) => this.attempts.add(attempt),
        tokenRemoved: (_, reason) => this.removed.push(reason),
      },
    });
  }

  static async open(options: WorkerSceneOptions = {}): Promise<WorkerScene> {
    const store = await openMemoryStore();
    const clock = options.clock ?? new RelayClock();
    const made = new WorkerScene(store, await Scene.create(store, clock.now()), clock, options);
    made.worker.start();
    return made;
  }

  /** A device with a token, of group 1 unless told. */
  async device(over: object = {}, group = 1): Promise<Uint8Array> {
    const device = await this.scene.authorizedDevice();
    this.#tokens += 1;
    const deviceToken = `stub-${group}${this.#tokens}`;
    const login = { deviceToken, provider: 'webpush', platform: 2, now: this.clock.now(), ...over } as const;
    await this.store.touchDevice(this.scene.id, device, login);
    return device;
  }

  /** Queues a message with a push that is due now. Returns its ref. */
  async put(device: Uint8Array, over: Partial<NewPush> = {}, item?: number, size = 32): Promise<bigint> {
    const now = this.clock.now();
    this.#refs += 1n;
    const nonce = new Uint8Array(12);
    new DataView(nonce.buffer).setBigUint64(0, this.#refs);
    await this.scene.send(this.scene.agent, device, {
      ...{ nonce, now, ref: this.#refs, ciphertext: new Uint8Array(size) },
      expiresAt: now + 10 * LIFE_MS,
      push: { intent: 'alert', dueAt: now, expiresAt: now + LIFE_MS, isReported: true, ...over },
      ...(item !== undefined && { hints: { collapse: new Uint8Array(16).fill(item) } }),
    });
    this.worker.wake(over.dueAt ?? now);
    await calm();
    return this.#refs;
  }

  async advance(ms: number): Promise<void> {
    this.clock.advance(ms);
    await calm();
  }

  /** So many answers came since the start, and what follows from them is stored. */
  async answered(attempts: number): Promise<void> {
    await this.attempts.whenCount(attempts);
    await calm();
  }

  async reports(): Promise<string[]> {
    const reports = await this.store.takeReports(this.scene.id, { limit: 1_000, notBefore: 0 });
    return reports.map(({ ref, outcome, detail }) => `${ref} ${outcome} ${detail}`);
  }

  named(event: RelayEvent['event']): RelayEvent[] {
    return this.events.filter((each) => each.event === event);
  }
}

/** Lets everything run that waits for nothing but the worker, the store and the stub. */
export async function calm(): Promise<void> {
  for (let i = 0; i < 5; i++) await new Promise(setImmediate);
}

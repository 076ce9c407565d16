/**
 * Push as the rest of the rules see it: tokens that devices bring, plans for messages, rows that are due sooner, and the
 * worker that sends. Must not know connections.
 */
import { CountersignError, type MessageFrame } from '@countersign/protocol';
import type { Notifier, PushLoad, PushObserver, PushProvider, PushToken } from '../../ports/index.js';
import type { PeerIdentity, RelayPorts } from '../context.js';
import type { RelaySettings } from '../settings.js';
import { type MessagePlan, planOf } from './plan.js';
import { PushWorker } from './push-worker.js';
import { type BroughtToken, TokenCheck } from './token-check.js';

/** What push needs from outside, besides what all rules do. */
export interface PushPorts {
  /** One for each configured provider; none: devices are reached by WebSocket alone. */
  readonly notifiers: readonly Notifier[];
  /** Ids of the configured apps; a device that names none belongs to the first. */
  readonly apps: readonly string[];
  /** 32 bytes made once for this relay. */
  readonly key: Uint8Array;
  readonly vapidPublicKey?: string | undefined;
  readonly observer?: PushObserver | undefined;
}

export class Pushes {
  readonly #ports: RelayPorts;
  readonly #push: PushPorts;
  readonly #settings: RelaySettings;
  readonly #worker: PushWorker;
  readonly #tokens: TokenCheck;

  constructor(settings: RelaySettings, ports: RelayPorts, push: PushPorts) {
    this.#settings = settings;
    this.#ports = ports;
    this.#push = push;
    this.#worker = new PushWorker({ ...ports, ...push });
    this.#tokens = new TokenCheck({ ...push, store: ports.store });
  }

  start(): void {
    this.#worker.start();
  }

  stop(): Promise<void> {
    return this.#worker.stop();
  }

  load(provider: PushProvider): PushLoad {
    return this.#worker.load(provider);
  }

  /** What to store of a device's login. Says in the log why a token was of no use. */
  async judgeToken(namespaceId: Uint8Array, device: Uint8Array, brought: BroughtToken): Promise<PushToken> {
    const token = await this.#tokens.judge(namespaceId, device, brought);
    const { tokenProblem: reason } = token;
    if (reason !== undefined) {
      this.#ports.events.emit({ event: 'push_token_ignored', namespace: namespaceId, peer: device, reason });
    }
    return token;
  }

  /** `isThere`: the recipient has a connection, as far as is known. */
  plan(peer: PeerIdentity, message: MessageFrame, now: number, isThere: boolean): MessagePlan {
    const { queuedMessageMs, proofMs } = this.#settings;
    return planOf(peer, message, {
      now,
      queuedMs: queuedMessageMs,
      proofMs: isThere ? proofMs : 0,
      isPushless: this.#push.notifiers.length === 0,
    });
  }

  /** A message was queued, or refused, with this plan. */
  planned({ push }: MessagePlan): void {
    if (push !== undefined) this.#worker.wake(push.dueAt);
  }

  /** Of what waits for a proof from this device, these messages have waited enough. Never throws. */
  unproven(namespaceId: Uint8Array, device: Uint8Array, seqs: readonly number[]): void {
    void this.#hasten(namespaceId, device, seqs);
  }

  async #hasten(namespaceId: Uint8Array, device: Uint8Array, seqs: readonly number[]): Promise<void> {
    const { store, clock, events } = this.#ports;
    const now = clock.now();
    try {
      if (await store.hastenPushes(namespaceId, device, seqs, now)) this.#worker.wake(now);
    } catch (error) {
      // They are due all the same, only later.
      const code = error instanceof CountersignError ? error.code : 'unknown';
      events.emit({ event: 'store_failed', operation: 'push', code });
    }
  }
}

/**
 * Sends what is due in the push outbox: leases rows, hands them to the providers within their limits, and settles them
 * (04 §2). It sleeps until the next row is due. Must not know who writes rows, nor sockets.
 */
import { CountersignError } from '@countersign/protocol';
import {
  type Cancel,
  type Clock,
  type Hash,
  type LeasedPush,
  type Notifier,
  PUSH_LANES,
  type PushBatch,
  type PushLane,
  type PushLoad,
  type PushObserver,
  type PushOutcome,
  type PushProvider,
  type PushSettlement,
  type Random,
  type RelayBus,
  type RelayEvents,
  type RelayStore,
} from '../../ports/index.js';
import { type RateKey, RateWindow } from '../admission/rate-window.js';
import { keyOf } from '../keys.js';
import { Alarm } from './alarm.js';
import { type Group, Groups } from './groups.js';
import { Lane, type Waiting } from './lane.js';
import { makePush } from './make-push.js';
import { type LaneMap, PUSH } from './push-limits.js';
import { unsendable } from './unsendable.js';
import { judge, type Verdict } from './verdict.js';

export interface PushWorkerOptions {
  readonly clock: Clock;
  readonly random: Random;
  readonly hash: Hash;
  readonly store: RelayStore;
  readonly bus: RelayBus;
  readonly events: RelayEvents;
  readonly notifiers: readonly Notifier[];
  /** Ids of the configured apps. */
  readonly apps: readonly string[];
  /** 32 bytes, the relay's own: names that providers see are made with it. */
  readonly key: Uint8Array;
  readonly observer?: PushObserver | undefined;
}

export class PushWorker {
  readonly #options: PushWorkerOptions;
  readonly #lanes: LaneMap<Lane>;
  readonly #groups = new Groups();
  readonly #alerts = new RateWindow({ limit: PUSH.alertsPerDevicePerMinute, windowMs: PUSH.minuteMs });
  readonly #running = new Set<Promise<void>>();
  readonly #alarm: Alarm;
  #isPolling = false;
  #isDirty = false;
  #stopping: Promise<void> | undefined;

  constructor(options: PushWorkerOptions) {
    this.#options = options;
    this.#alarm = new Alarm(options.clock, () => void this.#poll());
    const of = (lane: PushLane) => new Lane(options.notifiers.find(({ provider }) => provider === lane));
    this.#lanes = { apns: of('apns'), fcm: of('fcm'), webpush: of('webpush'), '': of('') };
  }

  start(): void {
    void this.#poll();
  }

  /** A row was written that is due then (unix ms). */
  wake(dueAt: number): void {
    this.#arm(dueAt);
  }

  load(provider: PushProvider): PushLoad {
    const paused = this.#groups.openBreakers(`${provider}:`);
    return { inFlight: this.#lanes[provider].inFlight, paused };
  }

  /** Leases nothing more and waits for what is in flight, {@link PUSH.stopMs} at most. Closes the notifiers. Idempotent. */
  stop(): Promise<void> {
    this.#stopping ??= this.#finish();
    return this.#stopping;
  }

  async #finish(): Promise<void> {
    this.#alarm.stop();
    const waiting = PUSH_LANES.flatMap((lane) => this.#lanes[lane].takeAll());
    for (const { leased } of waiting) this.#track(this.#defer(leased, 0));
    const { clock, notifiers } = this.#options;
    const closed = Promise.allSettled(notifiers.map((notifier) => notifier.close()));
    let cancel: Cancel = () => undefined;
    const late = new Promise<void>((resolve) => {
      cancel = clock.after(PUSH.stopMs, resolve);
    });
    await Promise.race([Promise.allSettled([closed, ...this.#running]), late]);
    cancel();
  }

  get #isStopped(): boolean {
    return this.#stopping !== undefined;
  }

  #arm(dueAt: number): void {
    if (!this.#isStopped) this.#alarm.set(dueAt);
  }

  async #poll(): Promise<void> {
    this.#isDirty = true;
    if (this.#isPolling) return;
    this.#isPolling = true;
    try {
      while (this.#isDirty && !this.#isStopped) {
        this.#isDirty = false;
        await this.#takeBatch();
      }
    } catch (error) {
      this.#storeFailed(error);
      this.#arm(this.#options.clock.now() + PUSH.storePauseMs);
    } finally {
      this.#isPolling = false;
    }
  }

  async #takeBatch(): Promise<void> {
    const { store, clock } = this.#options;
    const room = roomOf(this.#lanes);
    const now = clock.now();
    const leaseUntil = now + PUSH.leaseMs;
    const { maxContentBytes } = PUSH;
    const batch = await store.takePushBatch({ now, leaseUntil, room, maxContentBytes });
    for (const leased of batch.pushes) {
      if (this.#isStopped) this.#track(this.#defer(leased, 0));
      else this.#place(leased);
    }
    this.#sleep(batch, now);
  }

  /** What is due and found no room is leased when a place becomes free. */
  #sleep({ nextDueAt }: PushBatch, now: number): void {
    for (const name of PUSH_LANES) {
      const [lane, dueAt] = [this.#lanes[name], nextDueAt[name]];
      lane.hasMore = dueAt !== undefined && dueAt <= now;
      if (dueAt !== undefined && (!lane.hasMore || lane.room > 0)) this.#arm(dueAt);
    }
  }

  #place(leased: LeasedPush): void {
    const { clock, apps } = this.#options;
    const lane = this.#lanes[leased.registration.provider ?? ''];
    const { notifier } = lane;
    const ended = unsendable(leased, { now: clock.now(), apps, hasProvider: notifier !== undefined });
    if (ended || notifier === undefined) {
      if (ended) this.#track(this.#settle(leased, ended));
      return;
    }
    const waiting = this.#waitingFor(leased, notifier);
    if (waiting.group.isFull && !lane.mayWait(waiting)) {
      this.#track(this.#defer(leased, waiting.group.putOffMs(clock.elapsed())));
      return;
    }
    lane.add(waiting);
    this.#dispatch(lane);
  }

  #waitingFor(leased: LeasedPush, notifier: Notifier): Waiting {
    const { deviceToken: token, app } = leased.registration;
    const groupName = notifier.groupOf({ token, app });
    return { leased, groupName, group: this.#groups.of(groupName, notifier.maxPerGroup) };
  }

  #dispatch(lane: Lane): void {
    for (let next = lane.next(); next !== undefined; next = lane.next()) this.#begin(lane, next);
  }

  #begin(lane: Lane, waiting: Waiting): void {
    const { leased, group } = waiting;
    const waitMs = this.#waitMs(waiting);
    if (waitMs === undefined) this.#alerts.charge(alertKeys(leased), this.#options.clock.elapsed());
    this.#track(waitMs === undefined ? this.#send(lane, leased, group) : this.#defer(leased, waitMs));
  }

  /** Undefined when it may be sent now, which it then must be. */
  #waitMs({ leased, group }: Waiting): number | undefined {
    const { clock } = this.#options;
    const elapsed = clock.elapsed();
    if (leased.lease.until - clock.now() < PUSH.leaseMarginMs) return 0;
    const alertMs = this.#alerts.waitMs(alertKeys(leased), elapsed);
    if (alertMs > 0) return alertMs;
    const pausedMs = group.breaker.waitMs(elapsed);
    return pausedMs > 0 ? group.putOffMs(elapsed, pausedMs) : undefined;
  }

  async #send(lane: Lane, leased: LeasedPush, group: Group): Promise<void> {
    const { clock, hash, key } = this.#options;
    const notifier = lane.notifier as Notifier;
    const push = makePush(leased, { hash, key }, clock.now());
    const began = clock.elapsed();
    lane.inFlight++;
    group.inFlight++;
    let outcome: PushOutcome;
    try {
      outcome = await notifier.send(push);
    } catch {
      outcome = { outcome: 'unknown', reason: 'failed' };
    }
    lane.inFlight--;
    group.inFlight--;
    group.took(clock.elapsed() - began);
    const mayShow = outcome.outcome === 'accepted' || outcome.outcome === 'unknown';
    if (!mayShow) this.#alerts.refund(alertKeys(leased), began);
    if (!this.#isStopped) this.#dispatch(lane);
    await this.#answered(leased, group, notifier.provider, outcome, push.content.kind);
    if (!this.#isStopped && lane.hasMore && lane.room > 0) void this.#poll();
  }

  #answered(
    leased: LeasedPush,
    group: Group,
    provider: PushProvider,
    outcome: PushOutcome,
    content: 'content' | 'wake',
  ): Promise<void> {
    const { clock, random, observer, events } = this.#options;
    const [now, elapsed, wasPaused] = [clock.now(), clock.elapsed(), group.breaker.isOpen];
    const wasContent = content === 'content';
    const verdict = judge({ leased, provider, outcome, wasContent, group, now, elapsed, random });
    const reason = 'reason' in outcome ? outcome.reason : '';
    const isDuplicate = outcome.outcome === 'accepted' && leased.unknowns > 0;
    const ageMs = Math.max(0, now - leased.createdAt);
    observer?.attempted({ provider, outcome: outcome.outcome, reason, content, isDuplicate, ageMs });
    this.#tell(verdict, provider, reason);
    if (wasPaused && !group.breaker.isOpen) {
      events.emit({ event: 'push_resumed', provider });
    }
    return this.#settle(leased, verdict.settlement);
  }

  #tell({ paused, tokensKept }: Verdict, provider: PushProvider, reason: string): void {
    const { events } = this.#options;
    if (paused) events.emit({ event: 'push_paused', provider, reason });
    if (tokensKept) events.emit({ event: 'push_tokens_kept', provider, reason });
  }

  #defer(leased: LeasedPush, ms: number): Promise<void> {
    const notBefore = Math.min(leased.expiresAt, this.#options.clock.now() + ms);
    return this.#settle(leased, { kind: 'defer', notBefore });
  }

  /** Never rejects: a row that could not be settled comes again when its lease is over. */
  async #settle(leased: LeasedPush, settlement: PushSettlement): Promise<void> {
    const { store, bus, clock, events, observer } = this.#options;
    const { lease, namespaceId, agent, device, registration } = leased;
    try {
      const { reported, removedToken, nextDueAt } = await store.settlePush(lease, settlement, clock.now());
      if (removedToken && registration.provider && settlement.kind === 'dead') {
        observer?.tokenRemoved(registration.provider, settlement.reason);
      }
      if (settlement.kind === 'done') {
        const { outcome, detail } = settlement;
        events.emit({
          event: 'push_ended',
          namespace: namespaceId,
          recipient: device,
          outcome,
          reason: detail,
        });
      }
      if (nextDueAt !== undefined) this.#arm(nextDueAt);
      if (reported) bus.reports(namespaceId, agent);
    } catch (error) {
      this.#storeFailed(error);
      this.#arm(lease.until);
    }
  }

  #track(work: Promise<void>): void {
    this.#running.add(work);
    void work.then(() => this.#running.delete(work));
  }

  #storeFailed(error: unknown): void {
    const code = error instanceof CountersignError ? error.code : 'unknown';
    this.#options.events.emit({ event: 'store_failed', operation: 'push', code });
  }
}

/** What a device shows loudly is counted; what it says quietly is not. */
function alertKeys({ intent, namespaceId, device }: LeasedPush): RateKey[] {
  return intent === 'replace' ? [] : [{ key: keyOf(namespaceId) + keyOf(device), factor: 1 }];
}

function roomOf(lanes: LaneMap<Lane>): LaneMap<number> {
  const { apns, fcm, webpush, '': none } = lanes;
  return { apns: apns.room, fcm: fcm.room, webpush: webpush.room, '': none.room };
}

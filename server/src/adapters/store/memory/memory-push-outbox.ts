/** `PushOutbox` in memory. It looks at every device: this store is for tests. Must not know providers. */
import {
  type LeasedPush,
  PUSH_LANES,
  type PushBatch,
  type PushLane,
  type PushLease,
  type PushOutbox,
  type PushSettlement,
  type SettledPush,
} from '../../../ports/index.js';
import type { MemoryDevice, MemoryMessage, MemoryNamespace, MemoryPush } from './memory-namespace.js';
import { endPushes } from './memory-push-rows.js';

type TakeOptions = Parameters<PushOutbox['takePushBatch']>[0];

interface Turn {
  readonly namespace: MemoryNamespace;
  readonly key: string;
  readonly device: MemoryDevice;
  readonly first: MemoryPush;
  readonly dueAt: number;
}

/** `PushOutbox.takePushBatch`. */
export function takePushBatch(all: Iterable<MemoryNamespace>, options: TakeOptions): PushBatch {
  const turns = [...turnsOf(all)].sort((a, b) => a.dueAt - b.dueAt);
  const pushes: LeasedPush[] = [];
  const nextDueAt: Partial<Record<PushLane, number>> = {};
  for (const lane of PUSH_LANES) {
    const ofLane = turns.filter(({ device }) => (device.registration.provider ?? '') === lane);
    const due = ofLane.filter(({ dueAt }) => dueAt <= options.now).slice(0, options.room[lane]);
    pushes.push(...due.map((turn) => lease(turn, options)));
    const next = ofLane.map((turn) => (due.includes(turn) ? options.leaseUntil : turn.dueAt));
    if (next.length > 0) nextDueAt[lane] = Math.min(...next);
  }
  return { pushes, nextDueAt };
}

function* turnsOf(all: Iterable<MemoryNamespace>): Generator<Turn> {
  for (const namespace of all) {
    for (const [key, device] of namespace.devices) {
      const [first] = device.pushes.toSorted((a, b) => a.dueAt - b.dueAt || a.id - b.id);
      if (first === undefined) continue;
      yield { namespace, key, device, first, dueAt: device.leasedUntil || first.dueAt };
    }
  }
}

function lease({ namespace, key, device, first }: Turn, options: TakeOptions): LeasedPush {
  if (first.lease > 0) first.unknowns++;
  first.lease = options.leaseUntil;
  first.dueAt = options.leaseUntil;
  device.leasedUntil = options.leaseUntil;
  const { seq, createdAt, expiresAt, attempts, unknowns, intent, collapse, reason } = first;
  return {
    lease: { push: first.id, device: 0, until: options.leaseUntil },
    namespaceId: namespace.id.slice(),
    agent: namespace.agent.slice(),
    device: device.ed25519.slice(),
    platform: device.platform,
    registration: device.registration,
    content: contentOf(messageOf(namespace, key, seq), first, options.maxContentBytes),
    ...{ seq, createdAt, expiresAt, attempts, unknowns, intent, collapse, reason },
  };
}

function contentOf(
  message: MemoryMessage | undefined,
  { intent, asWake, refused }: MemoryPush,
  maxBytes: number,
): LeasedPush['content'] {
  if (message === undefined || intent === 'wake' || asWake || refused) return undefined;
  if (message.ciphertext.length > maxBytes) return undefined;
  return { nonce: message.nonce.slice(), ciphertext: message.ciphertext.slice() };
}

function messageOf({ messages }: MemoryNamespace, key: string, seq: number): MemoryMessage | undefined {
  return messages.find((message) => message.recipient === key && message.seq === seq);
}

/** `PushOutbox.settlePush`. */
export function settlePush(
  all: Iterable<MemoryNamespace>,
  lease: PushLease,
  settlement: PushSettlement,
  now: number,
): SettledPush {
  for (const namespace of all) {
    for (const [key, device] of namespace.devices) {
      const push = device.pushes.find(({ id, lease: until }) => id === lease.push && until === lease.until);
      if (push === undefined) continue;
      device.leasedUntil = 0;
      const settled = settle(namespace, key, device, push, settlement, now);
      return { ...settled, nextDueAt: nextDueAt(device) };
    }
  }
  // The row went while it was sent: its device is whose turn is leased like that, and has no row that is.
  const devices = [...all].flatMap((namespace) => [...namespace.devices.values()]);
  const freed = devices.filter((device) => freeTurn(device, lease));
  const next = freed.flatMap((device) => nextDueAt(device) ?? []);
  return { reported: false, removedToken: false, nextDueAt: next.length > 0 ? Math.min(...next) : undefined };
}

function freeTurn(device: MemoryDevice, { until }: PushLease): boolean {
  const isHeld = device.pushes.some(({ lease }) => lease > 0);
  if (device.leasedUntil !== until || isHeld) return false;
  device.leasedUntil = 0;
  return true;
}

function nextDueAt({ pushes }: MemoryDevice): number | undefined {
  return pushes.length > 0 ? Math.min(...pushes.map(({ dueAt }) => dueAt)) : undefined;
}

function settle(
  namespace: MemoryNamespace,
  key: string,
  device: MemoryDevice,
  push: MemoryPush,
  settlement: PushSettlement,
  now: number,
): SettledPush {
  const message = messageOf(namespace, key, push.seq);
  const removedToken = settlement.kind === 'dead' && forget(device, settlement);
  const end = (ending: { outcome: 'no_token'; detail: string } | (PushSettlement & { kind: 'done' })) =>
    endPushes(namespace, device, (other) => other === push, { ...ending, now });
  if (settlement.kind === 'done') {
    const { environment } = settlement;
    if (environment !== undefined) device.registration = { ...device.registration, environment };
    if (message && settlement.outcome === 'accepted') message.pushed = true;
    return { reported: end(settlement), removedToken };
  }
  if (removedToken)
    return { reported: end({ outcome: 'no_token', detail: settlement.reason }), removedToken };
  push.lease = 0;
  push.dueAt = settlement.notBefore;
  push.reason = settlement.reason ?? push.reason;
  if (settlement.kind !== 'defer') push.attempts++;
  if (settlement.kind !== 'again') return { reported: false, removedToken };
  if (settlement.asWake) push.asWake = true;
  if (settlement.unknown) push.unknowns++;
  if (message && settlement.unknown) message.pushed = true;
  return { reported: false, removedToken };
}

function forget(device: MemoryDevice, dead: PushSettlement & { kind: 'dead' }): boolean {
  const { deviceToken, registeredAt, handle } = device.registration;
  if (dead.since !== undefined && registeredAt > dead.since) return false;
  if (deviceToken !== dead.token || registeredAt !== dead.registeredAt) return false;
  const { reason: problem } = dead;
  device.registration = { deviceToken: '', provider: undefined, registeredAt, handle, problem };
  return true;
}

/** `PushOutbox.hastenPushes` of a device that is known. */
export function hastenPushes({ pushes }: MemoryDevice, seqs: readonly number[], now: number): boolean {
  const early = pushes.filter(
    ({ seq, dueAt, attempts, lease }) => seqs.includes(seq) && dueAt > now && attempts === 0 && lease === 0,
  );
  for (const push of early) push.dueAt = now;
  return early.length > 0;
}

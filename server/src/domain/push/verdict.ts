/**
 * What follows from a provider's answer for the row and for its group (04 §2; the tables of the push facts). Must not know
 * the store or timers.
 */
import type { LeasedPush, PushOutcome, PushProvider, PushSettlement, Random } from '../../ports/index.js';
import type { Group } from './groups.js';
import { BACKOFF_BASE_MS, PUSH } from './push-limits.js';

export interface Verdict {
  readonly settlement: PushSettlement;
  /** The group's pushes wait from now on. */
  readonly paused?: boolean | undefined;
  /** Tokens of the group are not believed dead from now on. */
  readonly tokensKept?: boolean | undefined;
}

export interface Sent {
  readonly leased: LeasedPush;
  readonly provider: PushProvider;
  readonly outcome: PushOutcome;
  readonly wasContent: boolean;
  readonly group: Group;
  /** Unix, and of the monotonic clock. */
  readonly now: number;
  readonly elapsed: number;
  readonly random: Random;
}

/** Refusals that say nothing of the group: they are about one device, or over with the next try. */
const ABOUT_ONE = new Set(['TooManyRequests', 'BadDeviceToken', 'ExpiredProviderToken', 'UNAUTHENTICATED']);
/** The adapter is being closed; nothing went out. */
const CLOSING = 'closing';

type Of<Name extends PushOutcome['outcome']> = Extract<PushOutcome, { outcome: Name }>;

export function judge(sent: Sent): Verdict {
  const { outcome, group, elapsed } = sent;
  switch (outcome.outcome) {
    case 'retry':
      return retry(sent, outcome);
    case 'unknown':
      return unknown(sent, outcome);
    case 'config':
      return config(sent, outcome);
    case 'dead':
      return dead(sent, outcome);
    default:
      group.breaker.succeeded();
      if (outcome.outcome === 'accepted') group.fuse.accepted(elapsed);
      return { settlement: settled(sent, outcome) };
  }
}

function settled(
  { wasContent, now }: Sent,
  outcome: Of<'accepted'> | Of<'bad_request'> | Of<'too_large'>,
): PushSettlement {
  if (outcome.outcome === 'accepted') {
    const detail = wasContent ? 'content' : 'wake';
    return { kind: 'done', outcome: 'accepted', detail, environment: outcome.environment };
  }
  if (outcome.outcome === 'bad_request') return { kind: 'done', outcome: 'refused', detail: outcome.reason };
  return wasContent
    ? { kind: 'again', notBefore: now, reason: 'too_large', asWake: true }
    : { kind: 'done', outcome: 'refused', detail: 'too_large' };
}

function retry(sent: Sent, { reason, afterMs = 0 }: Of<'retry'>): Verdict {
  const { group, elapsed, now } = sent;
  if (reason === CLOSING) return { settlement: { kind: 'defer', notBefore: now } };
  const floorMs = Math.min(afterMs, PUSH.maxFloorMs);
  const paused = !ABOUT_ONE.has(reason) && group.breaker.failed(elapsed, floorMs);
  if (ABOUT_ONE.has(reason)) group.breaker.succeeded();
  return { settlement: later(sent, reason, floorMs), paused };
}

function unknown(sent: Sent, { reason }: Of<'unknown'>): Verdict {
  const { leased, group, elapsed } = sent;
  const paused = reason !== CLOSING && group.breaker.failed(elapsed, 0);
  if (leased.unknowns + 1 >= PUSH.maxUnknowns) {
    return { settlement: { kind: 'done', outcome: 'failed', detail: reason }, paused };
  }
  return { settlement: later(sent, reason, 0, true), paused };
}

/** The device is not at fault: its push waits as long as it lives. */
function config({ leased, group, elapsed, now }: Sent, { reason, afterMs = 0 }: Of<'config'>): Verdict {
  const floorMs = Math.min(afterMs, PUSH.maxFloorMs);
  const paused = group.breaker.trip(elapsed, floorMs);
  const notBefore = Math.min(leased.expiresAt, now + group.putOffMs(elapsed, floorMs || PUSH.breakerProbeMs));
  return { settlement: { kind: 'defer', notBefore, reason }, paused };
}

function dead(sent: Sent, { reason, since }: Of<'dead'>): Verdict {
  const { leased, group, elapsed, now } = sent;
  const { deviceToken: token, registeredAt } = leased.registration;
  if (since !== undefined && registeredAt > since) return { settlement: contradicted(sent, reason) };
  const fate = group.fuse.died(elapsed);
  if (fate === 'believed') {
    group.breaker.succeeded();
    return { settlement: { kind: 'dead', token, registeredAt, since, reason, notBefore: now } };
  }
  const paused = group.breaker.trip(elapsed, 0);
  const notBefore = Math.min(leased.expiresAt, now + group.putOffMs(elapsed, PUSH.breakerProbeMs));
  return { settlement: { kind: 'defer', notBefore, reason }, paused, tokensKept: fate === 'blew' };
}

/** Dead since before the device brought it: one of the two clocks, or the provider's memory, is wrong. */
function contradicted(sent: Sent, reason: string): PushSettlement {
  sent.group.breaker.succeeded();
  if (sent.leased.attempts + 1 >= PUSH.maxContradictions)
    return { kind: 'done', outcome: 'failed', detail: reason };
  return later(sent, reason, PUSH.contradictionMs);
}

/** Full jitter above the floor; what would come too late is over now. */
function later(
  { leased, provider, now, random }: Sent,
  reason: string,
  floorMs: number,
  isUnknown = false,
): PushSettlement {
  const notBefore = now + Math.max(floorMs, backoffMs(provider, leased.attempts, random));
  if (notBefore >= leased.expiresAt) return { kind: 'done', outcome: 'expired', detail: reason };
  return { kind: 'again', notBefore, reason, unknown: isUnknown };
}

export function backoffMs(provider: PushProvider, attempts: number, random: Random): number {
  const most = Math.min(PUSH.maxBackoffMs, BACKOFF_BASE_MS[provider] * 2 ** Math.min(attempts, 20));
  const [a = 0, b = 0] = random.bytes(2);
  return Math.round(((a * 256 + b) / 65_536) * most);
}

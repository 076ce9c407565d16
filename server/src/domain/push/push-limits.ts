/** The numbers of 04 §2. What a provider asks for itself is in its adapter. */
import type { PushLane, PushProvider } from '../../ports/index.js';

const SECOND = 1_000;
const MINUTE = 60 * SECOND;

export const PUSH = {
  /** A message of an agent that gives no hints is pushed so long. */
  unhintedMs: 24 * 60 * MINUTE,
  /** The shortest life a hint can give. */
  minTtlMs: SECOND,
  /** Longer than any adapter's deadline and what waits for it; then the push is anybody's again. */
  leaseMs: 60 * SECOND,
  /** With less of its lease left a push is not sent any more. */
  leaseMarginMs: 20 * SECOND,
  alertsPerDevicePerMinute: 10,
  minuteMs: MINUTE,
  /** Full jitter: between nothing and base·2^attempts, at most this. */
  maxBackoffMs: 5 * MINUTE,
  /** A floor a provider asks for is believed up to here. */
  maxFloorMs: 60 * MINUTE,
  /** Nobody knows whether a push went out: so often, then it has failed. */
  maxUnknowns: 3,
  /** Tries of a token its provider calls dead since before the device brought it. */
  maxContradictions: 5,
  contradictionMs: MINUTE,
  /** A web page confirms its subscription at each login; some services never say that one is gone. */
  staleWebMs: 60 * 24 * 60 * MINUTE,
  breakerFaults: 5,
  breakerProbeMs: 5 * SECOND,
  breakerMaxProbeMs: MINUTE,
  fuseDeaths: 20,
  fuseDeadPercent: 20,
  fuseWindowMs: 10 * MINUTE,
  /** Groups whose state is remembered; those least recently used go first. */
  maxGroups: 10_000,
  /** What is in flight at the end of the relay may take so long. */
  stopMs: 10 * SECOND,
  /** After the store could not do its work. */
  storePauseMs: SECOND,
  collapseIdBytes: 24,
  /** 3,500 bytes of base64 (04 §1). */
  maxContentBytes: 2_625,
  /** Ended without a provider at a time. */
  unsendableAtOnce: 64,
} as const;

/** Of the backoff; FCM asks for ten seconds after its own faults. */
export const BACKOFF_BASE_MS: Readonly<Record<PushProvider, number>> = {
  apns: SECOND,
  fcm: 10 * SECOND,
  webpush: SECOND,
};

export type LaneMap<T> = Record<PushLane, T>;

/**
 * The durable part of push: what is to be sent, and what agents are to be told about it (04 §2). Kept by the same store
 * as the queues, so that one transaction writes both. Each method is one transaction as in `relay-store.ts`. Of what is
 * `leased` and settled a loss is one repeated send, so those writes need not wait for the disk. Must not know providers.
 */
import type { PushEnvironment, PushProvider } from './notifier.js';

/** Who sends for a device; empty when nobody can: it has no token. */
export type PushLane = PushProvider | '';

export const PUSH_LANES: readonly PushLane[] = ['apns', 'fcm', 'webpush', ''];

/** Why a token a device brought was not stored. */
export type TokenProblem = 'unknown_app' | 'no_provider' | 'malformed' | 'forbidden_endpoint';

/** A token that was judged. */
export interface PushToken {
  readonly deviceToken: string;
  readonly app?: string | undefined;
  readonly provider?: PushProvider | undefined;
  /** Web Push: the key in force when the subscription came; kept until the subscription is replaced. */
  readonly vapidPublicKey?: string | undefined;
  /** With an empty `deviceToken`: there was one, and it was of no use. Stored for a device without a token only. */
  readonly tokenProblem?: TokenProblem | undefined;
}

export interface PushRegistration extends Omit<PushToken, 'tokenProblem'> {
  /** When the device last brought this token. */
  readonly registeredAt: number;
  readonly environment?: PushEnvironment | undefined;
  /** The name of this registration in pushes (04 §1), for a device that knows such names. */
  readonly handle?: Uint8Array | undefined;
  /** Why there is no token: a {@link TokenProblem}, or what the provider said of the last one. */
  readonly problem?: string | undefined;
}

export type PushIntent = 'alert' | 'replace' | 'wake';

/** To be written with a message. */
export interface NewPush {
  readonly intent: PushIntent;
  /** Not before then: a device that is there gets time to prove receipt. */
  readonly dueAt: number;
  readonly expiresAt: number;
  /** Whether the message's `ref` is to be reported on. */
  readonly isReported: boolean;
}

/** What was leased, and until when; opaque. A settlement of a lease that is over changes nothing. */
export interface PushLease {
  readonly push: number;
  readonly device: number;
  readonly until: number;
}

export interface LeasedPush {
  readonly lease: PushLease;
  readonly namespaceId: Uint8Array;
  readonly agent: Uint8Array;
  readonly device: Uint8Array;
  readonly platform: number;
  readonly registration: PushRegistration;
  readonly intent: PushIntent;
  /** The hint's; undefined for a message that had none. */
  readonly collapse?: Uint8Array | undefined;
  /** Of the message; of the newest one before it for a message that found the queue full. */
  readonly seq: number;
  /** Undefined for a wake, for content over the limit asked for, and when the message left the queue for want of room. */
  readonly content?: { readonly nonce: Uint8Array; readonly ciphertext: Uint8Array } | undefined;
  readonly createdAt: number;
  readonly expiresAt: number;
  /** Settled as `again` so often. */
  readonly attempts: number;
  /** So often it ended without anybody knowing whether it went out, a crash included. */
  readonly unknowns: number;
  /** Why it was not sent last time. */
  readonly reason?: string | undefined;
}

export interface PushBatch {
  readonly pushes: readonly LeasedPush[];
  /** When the next one is due that was not leased now, of each lane that has one. */
  readonly nextDueAt: Readonly<Partial<Record<PushLane, number>>>;
}

/** What an agent is told (01 §2). */
export type PushReportOutcome =
  | 'accepted'
  | 'no_device'
  | 'no_token'
  | 'superseded'
  | 'expired'
  | 'refused'
  | 'failed';

/**
 * - `done`: the row goes, the agent is told.
 * - `again`: after an attempt, not before `notBefore`; `unknown` when it may have gone out.
 * - `defer`: as if it had not been leased; it was not attempted.
 */
export type PushSettlement =
  | {
      readonly kind: 'done';
      readonly outcome: PushReportOutcome;
      readonly detail: string;
      /** Learned from the provider, where it tells. */
      readonly environment?: PushEnvironment | undefined;
    }
  | {
      readonly kind: 'again';
      readonly notBefore: number;
      readonly reason: string;
      readonly unknown?: boolean | undefined;
      /** The content goes, for good. */
      readonly asWake?: boolean | undefined;
    }
  | { readonly kind: 'defer'; readonly notBefore: number; readonly reason?: string | undefined }
  /**
   * The token is dead: it goes, unless the device brought another one, or this one again after `since`. Then the push
   * is due again at `notBefore`.
   */
  | {
      readonly kind: 'dead';
      readonly token: string;
      readonly registeredAt: number;
      readonly since?: number | undefined;
      readonly reason: string;
      readonly notBefore: number;
    };

export interface SettledPush {
  /** The agent has something to be told. */
  readonly reported: boolean;
  /** The device's token went. */
  readonly removedToken: boolean;
  /** When the device's next push is due, if it has one. */
  readonly nextDueAt?: number | undefined;
}

export interface PushReport {
  /** Ascending in the order they came to be. */
  readonly id: number;
  readonly ref: bigint;
  readonly peer: Uint8Array;
  readonly outcome: PushReportOutcome;
  readonly detail: string;
}

export interface PushOutbox {
  /**
   * Leases due pushes, those due longest first, at most one of each device and `room` of each lane. Until it is settled
   * or `leaseUntil` has passed nothing else of the device is leased. `maxContentBytes`: ciphertexts above it are not read.
   */
  takePushBatch(options: {
    readonly now: number;
    readonly leaseUntil: number;
    readonly room: Readonly<Record<PushLane, number>>;
    readonly maxContentBytes: number;
  }): Promise<PushBatch>;
  settlePush(lease: PushLease, settlement: PushSettlement, now: number): Promise<SettledPush>;
  /** Those of these messages that still wait for a proof are due now. True when there were any. */
  hastenPushes(
    namespaceId: Uint8Array,
    device: Uint8Array,
    seqs: readonly number[],
    now: number,
  ): Promise<boolean>;
  /** Oldest first; not those from before `notBefore`. */
  takeReports(namespaceId: Uint8Array, options: { limit: number; notBefore: number }): Promise<PushReport[]>;
  /** Forgets the reports up to this one. */
  dropReports(namespaceId: Uint8Array, throughId: number): Promise<void>;
  /** Undefined for a device that is not known. */
  pushRegistration(namespaceId: Uint8Array, device: Uint8Array): Promise<PushRegistration | undefined>;
}

/** Reports kept for one agent; the oldest make room (01 §2). */
export const MAX_REPORTS_PER_AGENT = 1_000;
/** A report nobody fetched is kept so long. */
export const REPORT_LIFE_MS = 86_400_000;

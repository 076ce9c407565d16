/**
 * What a store counts against `maxStoreBytes`, so that every adapter reaches the limit at the same message.
 * Must not know how a store keeps its rows.
 */
import { RELAY_DEFAULTS } from '@countersign/protocol';

/** How exactly it is known when a namespace was last in use: a login within this time of the last writes nothing. */
export const TOUCH_EVERY_MS = 60 * 60 * 1000;

/** Bytes a row counts for besides its ciphertext or push token: keys, times, index entries. */
export const STORE_ROW_BYTES = { namespace: 512, device: 512, message: 256, push: 256, report: 256 } as const;

export interface StoreLimits {
  /** Relay-wide limit of counted bytes; above it a message is answered `store_full`. */
  readonly maxStoreBytes: number;
  /** Above this share of `maxStoreBytes` new namespaces are refused, in percent. */
  readonly fullForNewPercent: number;
  /** How many nonces of accepted messages are remembered in all; the oldest make room. */
  readonly maxNonces: number;
}

export const DEFAULT_STORE_LIMITS: StoreLimits = {
  maxStoreBytes: 1024 ** 3,
  fullForNewPercent: RELAY_DEFAULTS.storeFullForNewPercent,
  maxNonces: 1_000_000,
};

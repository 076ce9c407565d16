/** What the main thread and the store's thread say to each other. Must not know how either works. */
import type { StoreLimits } from '../../../ports/index.js';
import type { DatabaseOptions } from './database.js';
import type { Failure } from './failures.js';
import type { OperationName } from './operations/index.js';

/** Given to the thread at its start. */
export interface ThreadOptions {
  readonly database: DatabaseOptions;
  readonly limits: StoreLimits;
}

export interface Request {
  readonly operation: OperationName;
  readonly args: readonly unknown[];
}

/** A request whose byte arrays are in the buffer of its batch, from `start`. */
export interface PackedRequest {
  readonly operation: OperationName;
  readonly args: unknown;
  readonly start: number;
}

export type Outcome =
  | { readonly ok: true; readonly value: unknown }
  | { readonly ok: false; readonly failure: Failure };

/** To the thread: requests to commit together, or the end. One batch is under way at a time. */
export type ToThread =
  | { readonly type: 'batch'; readonly requests: readonly PackedRequest[]; readonly bytes: Uint8Array }
  | { readonly type: 'close' };

/** From the thread; outcomes in the order of their requests, only after the commit. */
export type FromThread =
  | { readonly type: 'opened' }
  | { readonly type: 'failed'; readonly failure: Failure }
  | {
      readonly type: 'committed';
      /** Their byte arrays are in `bytes`. */
      readonly outcomes: unknown;
      readonly bytes: Uint8Array;
      readonly took?: { readonly runMs: number; readonly commitMs: number };
    };

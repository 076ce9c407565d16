/** What a store tells about its own work, in numbers. Must not know what is stored. */

/** One transaction that is on disk. */
export interface CommittedBatch {
  /** Requests that shared it. */
  readonly requests: number;
  /** All of it: the requests and the commit, in milliseconds. */
  readonly runMs: number;
  /** The commits alone, which is the wait for the disk; 0 when nothing had to be written. */
  readonly commitMs: number;
}

export interface StoreObserver {
  committed(batch: CommittedBatch): void;
}

/** What waits for the disk at this moment. */
export interface StoreBacklog {
  readonly requests: number;
  readonly bytes: number;
}

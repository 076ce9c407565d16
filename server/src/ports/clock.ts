/** Time as the domain sees it. The process clock is one implementation, a test's hand-moved clock the other. */
export interface Clock {
  /** Unix milliseconds: for what is stored and compared across restarts. May jump. */
  now(): number;
  /** Milliseconds since some fixed moment, never jumping: for deadlines and rates. */
  elapsed(): number;
  /** Runs once after `delayMs` unless cancelled. */
  after(delayMs: number, run: () => void): Cancel;
}

/** Idempotent; after it the function does not run. */
export type Cancel = () => void;

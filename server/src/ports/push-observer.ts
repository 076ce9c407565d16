/** What the push worker tells about its own work, in numbers and words of closed lists. Must not hold a token or an id. */
import type { PushOutcome, PushProvider } from './notifier.js';

export interface PushAttempt {
  readonly provider: PushProvider;
  readonly outcome: PushOutcome['outcome'];
  /** The adapter's word; empty for `accepted` and `too_large`. */
  readonly reason: string;
  readonly content: 'content' | 'wake';
  /** It may have gone out before, and did now. */
  readonly isDuplicate: boolean;
  /** From the push's beginning to this answer. */
  readonly ageMs: number;
}

export interface PushObserver {
  attempted(attempt: PushAttempt): void;
  tokenRemoved(provider: PushProvider, reason: string): void;
}

/** What the worker holds at this moment. */
export interface PushLoad {
  readonly inFlight: number;
  /** Groups whose pushes wait because of faults. */
  readonly paused: number;
}

/** One way of getting queued messages to a relay, by what it understands. Must not know any of the ways. */
import type { Session } from './session.js';

/**
 * What follows a turn: the next at once; or a wait until something changes or `until` (unix ms) has come, `idle` when
 * nothing is under way, `answer` while something is.
 */
export type Turn = { readonly wait: 'no' } | { readonly wait: 'idle' | 'answer'; readonly until: number };

export interface Sending {
  /** Does the next thing there is to do. @throws when the connection went or the store failed. */
  turn(session: Session): Promise<Turn>;
}

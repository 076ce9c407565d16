/**
 * What happens so often that an event each would cost: plain numbers that only grow, raised where it happens and
 * read when somebody looks. Must not hold anything of a peer, an id or an address least of all.
 */
import type { RefusalReason } from './relay-events.js';

/** What became of a live message. `failed`: the bus could not route it. */
export type LiveFate = 'delivered' | 'offline' | 'failed';

/**
 * What became of a store-and-forward message. Towards the store: `accepted`, `repeated` when it was accepted before,
 * or why not. Towards its recipient:
 * `sent` each time it is written, `proved` once receipt is proved and it left the queue.
 */
export type QueuedFate =
  | 'accepted'
  | 'repeated'
  | 'not_found'
  | 'queue_full'
  | 'store_full'
  | 'failed'
  | 'sent'
  | 'proved';

export interface RelayTally {
  readonly live: Record<LiveFate, number>;
  readonly queued: Record<QueuedFate, number>;
  /** Connections turned away before the upgrade: every one, while the events tell of one a minute. */
  readonly refused: Record<RefusalReason, number>;
}

export function createTally(): RelayTally {
  return {
    live: { delivered: 0, offline: 0, failed: 0 },
    queued: {
      accepted: 0,
      repeated: 0,
      not_found: 0,
      queue_full: 0,
      store_full: 0,
      failed: 0,
      sent: 0,
      proved: 0,
    },
    refused: { address_rate: 0, address_open: 0, relay_full: 0, origin: 0, stopping: 0 },
  };
}

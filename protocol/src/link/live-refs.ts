/**
 * Handles of live messages, so that a refusal finds the one it is about. Apart from outbox ids, which are below
 * 2^53: no answer can be taken for one about a queued message. Must not know connections.
 */
import { toHex } from '../frames/index.js';
import { LINK } from './link-limits.js';

/** Above every outbox id. */
const FIRST_LIVE_REF = 2n ** 63n;
/** Room for this many within a millisecond before a restarted process could repeat one. */
const PER_MILLISECOND = 1024n;

export interface LiveRefusal {
  readonly ref?: bigint | undefined;
  /** Absent in an `error`, which names no peer. */
  readonly peer?: Uint8Array | undefined;
}

interface Sent {
  readonly peer: string;
  readonly undelivered: (() => void) | undefined;
}

export class LiveRefs {
  readonly #sent = new Map<bigint, Sent>();
  #next: bigint;

  constructor(now: number) {
    this.#next = FIRST_LIVE_REF + BigInt(Math.max(0, Math.floor(now))) * PER_MILLISECOND;
  }

  /** The handle of a message about to be written. `undelivered` runs at most once. */
  take(peer: string, undelivered: (() => void) | undefined): bigint {
    const ref = this.#next++;
    this.#sent.set(ref, { peer, undelivered });
    const [oldest] = this.#sent.keys();
    if (this.#sent.size > LINK.maxRememberedLive && oldest !== undefined) this.#sent.delete(oldest);
    return ref;
  }

  /** The relay says that a message was not delivered. False: it names none that was sent to this peer. */
  refused({ ref, peer }: LiveRefusal): boolean {
    const sent = ref === undefined ? undefined : this.#sent.get(ref);
    if (ref === undefined || !sent || (peer && toHex(peer) !== sent.peer)) return false;
    this.#sent.delete(ref);
    sent.undelivered?.();
    return true;
  }

  /** A new connection: nothing is said any more about what was written on the one before. */
  clear(): void {
    this.#sent.clear();
  }
}

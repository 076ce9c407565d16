/**
 * One provider's share of the work: what is leased and waits for a place, and what is in flight. Must not know the store,
 * nor what a push is about.
 */
import type { LeasedPush, Notifier } from '../../ports/index.js';
import type { Group } from './groups.js';
import { PUSH } from './push-limits.js';

export interface Waiting {
  readonly leased: LeasedPush;
  readonly group: Group;
  readonly groupName: string;
}

export class Lane {
  readonly notifier: Notifier | undefined;
  readonly #cap: number;
  readonly #waiting: Waiting[] = [];
  inFlight = 0;
  /** Something was due when last looked, and not leased for want of room. */
  hasMore = false;

  /** Without a notifier nothing is sent here; rows only end. */
  constructor(notifier: Notifier | undefined) {
    this.notifier = notifier;
    this.#cap = notifier?.maxInFlight ?? PUSH.unsendableAtOnce;
  }

  get isFull(): boolean {
    return this.inFlight >= this.#cap;
  }

  /** Rows to lease now: enough to have the next ones ready, none while there are. */
  get room(): number {
    const room = 2 * this.#cap - this.inFlight - this.#waiting.length;
    return room >= this.#cap / 2 ? room : 0;
  }

  /** One more of this group may wait here: half of the room is kept for others. */
  mayWait({ groupName }: Waiting): boolean {
    return this.#waiting.filter((each) => each.groupName === groupName).length < this.#cap / 2;
  }

  add(waiting: Waiting): void {
    this.#waiting.push(waiting);
  }

  /** The first whose group has a place. */
  next(): Waiting | undefined {
    if (this.isFull) return undefined;
    const index = this.#waiting.findIndex(({ group }) => !group.isFull);
    return index < 0 ? undefined : this.#waiting.splice(index, 1)[0];
  }

  takeAll(): Waiting[] {
    return this.#waiting.splice(0);
  }
}

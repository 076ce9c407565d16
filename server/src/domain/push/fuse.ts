/**
 * Against mass deletion of tokens: when many of one group die in a short time the fault is probably ours (a wrong project
 * or environment looks like that), and none is believed dead until a push is accepted again (04 §2). Must not know tokens.
 */
import { PUSH } from './push-limits.js';

const SLICES = 10;
const SLICE_MS = PUSH.fuseWindowMs / SLICES;

interface Slice {
  readonly at: number;
  accepted: number;
  dead: number;
}

export class Fuse {
  #slices: Slice[] = [];
  #isBlown = false;

  accepted(now: number): void {
    if (this.#isBlown) this.#slices = [];
    this.#isBlown = false;
    this.#slice(now).accepted++;
  }

  /** `blown` when this death must not be believed; `blew` when it is the first of those. */
  died(now: number): 'believed' | 'blew' | 'blown' {
    if (this.#isBlown) return 'blown';
    this.#slice(now).dead++;
    const dead = this.#slices.reduce((sum, each) => sum + each.dead, 0);
    const all = this.#slices.reduce((sum, each) => sum + each.dead + each.accepted, 0);
    this.#isBlown = dead >= PUSH.fuseDeaths && dead * 100 > all * PUSH.fuseDeadPercent;
    return this.#isBlown ? 'blew' : 'believed';
  }

  #slice(now: number): Slice {
    this.#slices = this.#slices.filter(({ at }) => now - at < PUSH.fuseWindowMs);
    const last = this.#slices.at(-1);
    if (last !== undefined && now - last.at < SLICE_MS) return last;
    const slice = { at: now, accepted: 0, dead: 0 };
    this.#slices.push(slice);
    return slice;
  }
}

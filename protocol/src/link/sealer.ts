/**
 * Send counters and sealing: per channel one serial step of reserve, seal and what follows, so that no nonce is
 * used twice (02 §2; NIST SP 800-38D, 8.3). Must not know the wire.
 */
import { counterFloor } from '../e2e/index.js';
import { CountersignError, SEAL } from '../frames/index.js';
import { Lane } from './async-tools.js';
import type { PeerChannel, PeerStore } from './ports.js';
import type { LinkRuntime } from './runtime.js';

export interface Sealed {
  readonly nonce: Uint8Array;
  readonly ciphertext: Uint8Array;
}

interface SendState {
  readonly lane: Lane;
  /** Reserved and unused: from `next` up to but not including `end`. */
  next: number;
  end: number;
}

export class Sealer {
  readonly #runtime: LinkRuntime;
  readonly #store: Pick<PeerStore<never>, 'reserveCounters'>;
  readonly #channels = new Map<string, SendState>();

  constructor(runtime: LinkRuntime, store: Pick<PeerStore<never>, 'reserveCounters'>) {
    this.#runtime = runtime;
    this.#store = store;
  }

  /** Seals with the channel's next counter, then runs `use` before the next seal of the channel starts. */
  seal<T>(channel: PeerChannel, framed: Uint8Array, use: (sealed: Sealed) => MaybeAsync<T>): Promise<T> {
    const state = this.#stateOf(channel.id);
    return state.lane.run(async () => {
      const counter = await this.#nextCounter(channel.id, state);
      return use(await channel.sealed.seal(counter, framed));
    });
  }

  /** Resolves when every seal asked for so far is done with. */
  async idle(): Promise<void> {
    await Promise.all([...this.#channels.values()].map(({ lane }) => lane.idle()));
  }

  #stateOf(channelId: string): SendState {
    const known = this.#channels.get(channelId);
    if (known) return known;
    const state = { lane: new Lane(), next: 0, end: 0 };
    this.#channels.set(channelId, state);
    return state;
  }

  async #nextCounter(channelId: string, state: SendState): Promise<number> {
    if (state.next >= state.end) {
      // The clock's floor counts at process start only: later ones would age the receiver's window for nothing.
      const floor = state.end > 0 ? state.end : counterFloor(this.#runtime.now());
      const first = await this.#store.reserveCounters(channelId, floor, SEAL.maxReservedCounters);
      const end = first + SEAL.maxReservedCounters;
      if (!(first >= floor && Number.isSafeInteger(end))) {
        throw new CountersignError('state_corrupt', 'The store gave out send counters below their floor');
      }
      state.next = first;
      state.end = end;
    }
    return state.next++;
  }
}

type MaybeAsync<T> = T | Promise<T>;

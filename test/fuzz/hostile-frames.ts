/**
 * Frames to try a relay with: valid ones of every kind, valid ones that reach a peer, fields that mean nothing, and
 * all of them damaged. A marker goes wherever content goes. Must not know connections.
 */
import { encodeFrame, type RelayFrame } from '@countersign/protocol';
import fc from 'fast-check';
import { anyFrame, rawField } from '../support/frame-arbitraries.js';
import type { Chance } from '../support/trials/chance.js';
import { joined, mutated } from './mutate.js';

/** Looked for in whatever the relay writes down or says in its own words. */
export const MARKER = 'FUZZ-CANARY-5Q';
const marker = new TextEncoder().encode(MARKER);

export interface Target {
  /** Whom the sender may write to. */
  readonly peer: Uint8Array;
}

const POOL = 4000;
const KIB = 1024;

/** Frames and fields to choose from; made once, for they take their time. */
export interface Pool {
  readonly frames: readonly Uint8Array[];
  readonly fields: readonly Uint8Array[];
}

export function makePool(seed: number): Pool {
  const sample = { seed, numRuns: POOL };
  return {
    frames: fc.sample(anyFrame, sample).flatMap(encoded),
    fields: fc.sample(rawField, sample).map((field) => Uint8Array.from(field)),
  };
}

export class HostileFrames {
  readonly #chance: Chance;
  readonly #frames: readonly Uint8Array[];
  readonly #fields: readonly Uint8Array[];

  constructor(chance: Chance, { frames, fields }: Pool) {
    this.#chance = chance;
    this.#frames = frames;
    this.#fields = fields;
  }

  /** What a logged-in peer might send. */
  next(target: Target): Uint8Array {
    const chance = this.#chance;
    const kind = chance.between(1, 100);
    if (kind <= 35) return chance.pick(this.#frames);
    if (kind <= 60) return encodeFrame(this.#message(target, chance.between(0, 300)));
    if (kind <= 75) return joined(encodeFrame(this.#message(target, 40)), ...this.#someFields());
    if (kind <= 85) return joined(...this.#someFields());
    if (kind <= 89) return mutated(chance.pick(this.#frames), chance);
    if (kind <= 92) return mutated(encodeFrame(this.#message(target, 60)), chance);
    if (kind <= 94) return joined(chance.pick(this.#frames), chance.pick(this.#frames));
    if (kind <= 95) return this.#large(target);
    if (kind <= 97) return this.#command();
    return kind <= 98 ? chance.bytes(chance.between(0, 64)) : encodeFrame(this.#oddMessage(target));
  }

  /** What might come instead of a login. */
  damaged(auth: Uint8Array): Uint8Array {
    const chance = this.#chance;
    const kind = chance.between(1, 10);
    if (kind <= 6) return mutated(auth, chance);
    if (kind <= 8) return joined(auth, ...this.#someFields());
    return kind === 9 ? chance.pick(this.#frames) : joined(auth, marker);
  }

  #message({ peer }: Target, size: number): RelayFrame {
    const chance = this.#chance;
    const ciphertext = joined(marker, new Uint8Array(size).fill(chance.between(0, 255)));
    const nonce = chance.bytes(12);
    return { type: 'message', ciphertext, nonce, peer, live: chance.percent(80) };
  }

  /** Members of lengths that must not be. */
  #oddMessage({ peer }: Target): RelayFrame {
    const chance = this.#chance;
    const lengths = [0, 1, 11, 12, 13, 15, 16, 31, 32, 33] as const;
    return {
      type: 'message',
      ciphertext: chance.bytes(chance.pick(lengths)),
      nonce: chance.bytes(chance.pick(lengths)),
      peer: chance.percent(50) ? peer : chance.bytes(chance.pick(lengths)),
      live: chance.percent(50),
      ref: 2n ** 64n - 1n,
    };
  }

  /** At the limits of 64 and 512 KiB, a byte less and more. */
  #large(target: Target): Uint8Array {
    const chance = this.#chance;
    const limit = chance.percent(90) ? 64 * KIB : 512 * KIB;
    const empty = encodeFrame(this.#message(target, 0)).length;
    const size = limit - empty - 8 + chance.between(-12, 12);
    return encodeFrame(this.#message(target, size));
  }

  #command(): Uint8Array {
    const chance = this.#chance;
    const keys = () => Array.from({ length: chance.pick([0, 1, 2, 32, 33, 500]) }, () => chance.bytes(32));
    return encodeFrame(
      chance.pick<() => RelayFrame>([
        () => ({ type: 'authorize', clients: keys() }),
        () => ({
          type: 'pairing_start',
          pairingToken: chance.bytes(32),
          ttl: chance.pick([0, 1, 2 ** 32 - 1]),
        }),
        () => ({ type: 'pairing_stop' }),
        () => ({ type: 'presence_request' }),
        () => ({ type: 'received', seq: 2n ** 64n - 1n }),
        () => ({ type: 'error', code: MARKER, message: MARKER }),
      ])(),
    );
  }

  #someFields(): Uint8Array[] {
    return Array.from({ length: this.#chance.between(1, 5) }, () => this.#chance.pick(this.#fields));
  }
}

/** Random text may be what no frame can hold; then there is no such frame. */
function encoded(frame: RelayFrame): Uint8Array[] {
  try {
    return [encodeFrame(frame)];
  } catch {
    return [];
  }
}

/** Damages bytes the way machines and enemies do. Must not know what they mean. */
import type { Chance } from '../support/trials/chance.js';

type Mutation = (bytes: Uint8Array, chance: Chance) => Uint8Array;

/** Bytes that are special in protobuf: ends of varints, wire types, lengths. */
const ODD_BYTES = [0x00, 0x01, 0x07, 0x7f, 0x80, 0xff, 0x62, 0x0a, 0x12] as const;

const MUTATIONS: readonly Mutation[] = [
  (bytes, chance) => replaced(bytes, at(bytes, chance), (byte) => byte ^ (1 << chance.between(0, 7))),
  (bytes, chance) => replaced(bytes, at(bytes, chance), () => chance.pick(ODD_BYTES)),
  (bytes, chance) => bytes.slice(0, at(bytes, chance)),
  (bytes, chance) => joined(bytes, chance.bytes(chance.between(1, 16))),
  (bytes, chance) => {
    const where = at(bytes, chance);
    return joined(bytes.slice(0, where), chance.bytes(chance.between(1, 9)), bytes.slice(where));
  },
  (bytes, chance) => {
    const where = at(bytes, chance);
    return joined(bytes.slice(0, where), bytes.slice(where + chance.between(1, 9)));
  },
  // A piece twice: repeated fields, nested ones, lengths that no longer fit.
  (bytes, chance) => {
    const where = at(bytes, chance);
    const piece = bytes.slice(where, where + chance.between(1, 40));
    return joined(bytes.slice(0, where), piece, piece, bytes.slice(where + piece.length));
  },
  (bytes, chance) => {
    const where = at(bytes, chance);
    const run = new Uint8Array(chance.between(1, 12)).fill(chance.pick([0x00, 0x80, 0xff]));
    return joined(bytes.slice(0, where), run, bytes.slice(where));
  },
];

/** One to four mutations, one upon the other. */
export function mutated(bytes: Uint8Array, chance: Chance): Uint8Array {
  let result = bytes;
  for (let left = chance.between(1, 4); left > 0; left--) result = chance.pick(MUTATIONS)(result, chance);
  return result;
}

export function joined(...parts: readonly Uint8Array[]): Uint8Array {
  return new Uint8Array(Buffer.concat(parts));
}

function at(bytes: Uint8Array, chance: Chance): number {
  return chance.between(0, Math.max(0, bytes.length - 1));
}

function replaced(bytes: Uint8Array, where: number, change: (byte: number) => number): Uint8Array {
  const copy = bytes.slice();
  copy[where] = change(copy[where] ?? 0);
  return copy;
}

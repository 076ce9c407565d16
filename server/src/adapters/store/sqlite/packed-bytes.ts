/**
 * Plain data on its way to another thread, its byte arrays apart from the rest, in one buffer that is moved: a structured
 * clone costs most by the array, and a clone of a view copies its whole buffer. Must not know what the bytes mean.
 */

export interface Packed {
  /** The data, each byte array replaced by its place. */
  readonly shape: unknown;
  /** Owns its buffer. */
  readonly bytes: Uint8Array;
}

/** Names that no data of ours has. */
interface Place {
  readonly packedAt: number;
  readonly packedLength: number;
}

/** Copies every byte array; the given data is left as it is. */
export function pack(value: unknown): Packed {
  const found: Uint8Array[] = [];
  let length = 0;
  const shape = replaceBytes(value, (array) => {
    const place: Place = { packedAt: length, packedLength: array.length };
    found.push(array);
    length += array.length;
    return place;
  });
  return { shape, bytes: joined(found, length) };
}

/** One after the other in an array of its own; `length` is their sum. */
export function joined(arrays: readonly Uint8Array[], length: number): Uint8Array {
  const bytes = new Uint8Array(length);
  let at = 0;
  for (const array of arrays) {
    bytes.set(array, at);
    at += array.length;
  }
  return bytes;
}

/**
 * What was packed, `start` being where its bytes begin in `bytes`. Arrays shorter than `copyBelow` get a buffer of their
 * own, so that whoever keeps one keeps no more than that; the others are views.
 */
export function unpack(shape: unknown, bytes: Uint8Array, start = 0, copyBelow = 0): unknown {
  if (typeof shape !== 'object' || shape === null) return shape;
  if (Array.isArray(shape)) return shape.map((item) => unpack(item, bytes, start, copyBelow));
  if (isPlace(shape)) {
    const [from, to] = [start + shape.packedAt, start + shape.packedAt + shape.packedLength];
    return shape.packedLength < copyBelow ? bytes.slice(from, to) : bytes.subarray(from, to);
  }
  return mapMembers(shape, (member) => unpack(member, bytes, start, copyBelow));
}

function isPlace(shape: object): shape is Place {
  return 'packedAt' in shape;
}

function replaceBytes(value: unknown, replace: (bytes: Uint8Array) => Place): unknown {
  if (typeof value !== 'object' || value === null) return value;
  if (value instanceof Uint8Array) return replace(value);
  if (Array.isArray(value)) return value.map((item) => replaceBytes(item, replace));
  return mapMembers(value, (member) => replaceBytes(member, replace));
}

/** A loop, not entries: this runs for each message. Names are the program's own, never a peer's. */
function mapMembers(value: object, map: (member: unknown) => unknown): object {
  const result: Record<string, unknown> = {};
  for (const name of Object.keys(value)) result[name] = map((value as Record<string, unknown>)[name]);
  return result;
}

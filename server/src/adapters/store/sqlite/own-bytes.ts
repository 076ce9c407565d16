/**
 * Byte arrays on their way to another thread. A structured clone of a view copies its whole buffer, and a
 * transfer takes the buffer from everybody who shares it; so what is sent is always an exact array of its own,
 * copied once, and then moved, not cloned. Must not know what the bytes mean.
 */

/** Smaller arrays are cheaper to clone than to move. */
const MOVE_FROM_BYTES = 1024;

/** A deep copy of plain data whose byte arrays each own their buffer. The given arrays are left as they are. */
export function withOwnBytes<T>(value: T): T {
  return mapBytes(value, (bytes) => new Uint8Array(bytes)) as T;
}

/** As {@link withOwnBytes}, for data nobody else holds: an array that fills its buffer is not copied. */
export function withExactBytes<T>(value: T): T {
  return mapBytes(value, (bytes) => (fillsItsBuffer(bytes) ? bytes : new Uint8Array(bytes))) as T;
}

/** The buffers to move along with data made by one of the functions above. */
export function buffersOf(value: unknown): ArrayBuffer[] {
  const found = new Set<ArrayBuffer>();
  mapBytes(value, (bytes) => {
    if (bytes.length >= MOVE_FROM_BYTES) found.add(bytes.buffer as ArrayBuffer);
    return bytes;
  });
  return [...found];
}

/** Sum of the byte arrays in it. */
export function byteLengthOf(value: unknown): number {
  let sum = 0;
  mapBytes(value, (bytes) => {
    sum += bytes.length;
    return bytes;
  });
  return sum;
}

function fillsItsBuffer(bytes: Uint8Array): boolean {
  return bytes.buffer instanceof ArrayBuffer && bytes.byteLength === bytes.buffer.byteLength;
}

function mapBytes(value: unknown, map: (bytes: Uint8Array) => Uint8Array): unknown {
  if (value instanceof Uint8Array) return map(value);
  if (Array.isArray(value)) return value.map((item) => mapBytes(item, map));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, mapBytes(item, map)]));
}

/** Byte strings as map keys. Pure. */

/** One character a byte: a key for maps, never shown to anyone. */
export function keyOf(bytes: Uint8Array): string {
  // Not by spreading, which walks an iterator: several times as slow, and every live message comes here often.
  return Reflect.apply(String.fromCharCode, undefined, bytes);
}

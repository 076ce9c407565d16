/** Byte strings as map keys. Pure. */

/** One character a byte: a key for maps, never shown to anyone. */
export function keyOf(bytes: Uint8Array): string {
  return String.fromCharCode(...bytes);
}

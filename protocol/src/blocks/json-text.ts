/** JSON text of anything, for display. Must not be used where bytes are hashed or sent. */

/**
 * JSON of a value; two blanks an indent when `pretty`. What JSON cannot hold (cycles, bigints, depth beyond the
 * stack) is said in words. Never throws.
 */
export function jsonText(value: unknown, pretty = false): string {
  try {
    return JSON.stringify(value, undefined, pretty ? 2 : 0) ?? 'null';
  } catch {
    return '(a value that cannot be shown)';
  }
}

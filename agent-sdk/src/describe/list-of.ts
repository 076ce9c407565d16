/** Long lists of short words, as a line of text. */

/** The words between single blanks. */
export function listOf(text: string): string[] {
  return text.split(' ');
}

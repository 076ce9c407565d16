/** Code fences of Markdown (CommonMark 0.31 §4.5). Must not know platforms. */

const SHORTEST = 3;

/** Longer than any run of backticks in the text. */
export function fenceFor(text: string): string {
  let longest = 0;
  for (const [run] of text.matchAll(/`+/g)) longest = Math.max(longest, run.length);
  return '`'.repeat(Math.max(SHORTEST, longest + 1));
}

/** The code in a fence of its own lines. */
export function fenced(text: string, lang = ''): string {
  const fence = fenceFor(text);
  return `${fence}${lang}\n${text}\n${fence}`;
}

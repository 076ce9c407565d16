/**
 * Where a text may be divided: after a line, else after a blank, else between what a person sees as two characters,
 * else between two code points; never inside one. Must not know markup or platforms.
 */

/** How far before the cut clusters are looked for: longer ones are divided between code points. */
const CLUSTER_WINDOW_UNITS = 96;

const clusters = new Intl.Segmenter(undefined, { granularity: 'grapheme' });

/**
 * The best offset in UTF-16 units to divide `text` at, after `start` and not after `latest`; 0 when there is none,
 * because not even one code point fits between them.
 */
export function breakBefore(text: string, start: number, latest: number): number {
  if (latest >= text.length) return text.length;
  // What stands before the middle is no good place: messages would become many and short.
  const middle = start + Math.floor((latest - start) / 2);
  const line = text.lastIndexOf('\n', latest - 1) + 1;
  if (line > middle) return line;
  const blank = text.lastIndexOf(' ', latest - 1) + 1;
  if (blank > middle) return blank;
  return clusterBreak(text, start, latest) ?? codePointBreak(text, start, latest);
}

function clusterBreak(text: string, start: number, latest: number): number | undefined {
  const from = codePointBreak(text, start - 1, Math.max(start, latest - CLUSTER_WINDOW_UNITS)) || start;
  let best: number | undefined;
  for (const { index } of clusters.segment(text.slice(from, latest + CLUSTER_WINDOW_UNITS))) {
    if (from + index > latest) break;
    // The first boundary is where we began looking, perhaps inside a cluster.
    if (index > 0) best = from + index;
  }
  return best;
}

function codePointBreak(text: string, start: number, latest: number): number {
  const inside =
    /[\uD800-\uDBFF]/.test(text.charAt(latest - 1)) && /[\uDC00-\uDFFF]/.test(text.charAt(latest));
  const at = inside ? latest - 1 : latest;
  return at > start ? at : 0;
}

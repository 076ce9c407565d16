/** Rows as aligned columns. Must not know what they hold. */

/** Columns are as wide as their widest cell; the last is not padded. */
export function table(header: readonly string[], rows: readonly (readonly string[])[]): string[] {
  const widths = header.map((title, column) =>
    Math.max(width(title), ...rows.map((row) => width(row[column] ?? ''))),
  );
  return [header, ...rows].map((row) =>
    row
      .map((cell, column) => cell + ' '.repeat((widths[column] ?? 0) - width(cell)))
      .join('  ')
      .trimEnd(),
  );
}

/** Cells of a terminal, as far as it matters for columns: wide East Asian and pictographic characters take two. */
function width(text: string): number {
  const wide =
    /\p{Extended_Pictographic}|[\u1100-\u115F\u2E80-\uA4CF\uAC00-\uD7A3\uF900-\uFAFF\uFE30-\uFE6F\uFF00-\uFF60\uFFE0-\uFFE6]/u;
  const graphemes = [...new Intl.Segmenter().segment(text)];
  return graphemes.reduce((sum, { segment }) => sum + (wide.test(segment) ? 2 : 1), 0);
}

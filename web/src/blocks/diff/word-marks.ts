/** Which words of a changed line are new or gone. Loaded with the first diff. Pure. */
import { diffWordsWithSpace } from 'diff';
import { changedPairs, type DiffLine } from './diff-lines.js';

export interface Part {
  readonly text: string;
  readonly marked: boolean;
}

/** Longer lines, and pairs beyond these, are shown without marks: comparing them would take too long. */
export const MAX_LINE_UNITS = 2000;
export const MAX_PAIRS = 400;
/** With less in common, marks would only be noise. */
const MIN_COMMON = 0.3;

/** The parts of lines by their index; lines that are not here have no marks. */
export function wordMarks(lines: readonly DiffLine[]): Map<number, Part[]> {
  const marks = new Map<number, Part[]>();
  for (const [oldAt, newAt] of changedPairs(lines).slice(0, MAX_PAIRS)) {
    const [before = '', after = ''] = [lines[oldAt]?.text, lines[newAt]?.text];
    if (Math.max(before.length, after.length) > MAX_LINE_UNITS) continue;
    const changes = diffWordsWithSpace(before, after);
    const common = changes.reduce(
      (sum, { added, removed, value }) => sum + (added || removed ? 0 : value.length),
      0,
    );
    if (common < MIN_COMMON * Math.max(before.length, after.length)) continue;
    marks.set(oldAt, partsOf(changes.filter(({ added }) => !added)));
    marks.set(newAt, partsOf(changes.filter(({ removed }) => !removed)));
  }
  return marks;
}

function partsOf(changes: readonly { value: string; added?: boolean; removed?: boolean }[]): Part[] {
  return changes.map(({ value, added, removed }) => ({
    text: value,
    marked: added === true || removed === true,
  }));
}

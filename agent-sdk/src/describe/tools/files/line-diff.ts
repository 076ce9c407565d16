/**
 * Which lines of a text become which, within a bound of time and change. Must not know files or how it is shown.
 */
import { diffArrays } from 'diff';

/** More changed lines than this, or more time, and the texts are too different to be shown line by line. */
export const MAX_CHANGED_LINES = 2_000;
export const MAX_DIFF_MS = 100;

/** A stretch of lines that are kept, or of lines taken out and put in at one place. */
export type Stretch =
  | { readonly same: readonly string[] }
  | { readonly removed: readonly string[]; readonly added: readonly string[] };

export interface LineDiff {
  /** Undefined when the texts are too different. */
  readonly stretches: readonly Stretch[] | undefined;
  /** Lines; when too different, those that stand in only one of the texts. */
  readonly added: number;
  readonly removed: number;
}

/** Lines without their break; a text that ends with a break has no empty line after it. */
export function linesOf(text: string): string[] {
  if (text === '') return [];
  const lines = text.split('\n');
  if (lines.at(-1) === '') lines.pop();
  return lines;
}

/** Never throws; takes at most {@link MAX_DIFF_MS} and a little for what is linear. */
export function diffLines(
  before: readonly string[],
  after: readonly string[],
  timeoutMs = MAX_DIFF_MS,
): LineDiff {
  const start = commonStart(before, after);
  const end = commonEnd(before, after, start);
  const [old, young] = [before.slice(start, before.length - end), after.slice(start, after.length - end)];
  const inner = diffMiddle(old, young, timeoutMs);
  if (inner === undefined) return { stretches: undefined, ...differing(old, young) };
  const stretches = [{ same: before.slice(0, start) }, ...inner, { same: before.slice(before.length - end) }];
  const kept = stretches.filter((one) => !('same' in one) || one.same.length > 0);
  return { stretches: kept, added: sum(inner, 'added'), removed: sum(inner, 'removed') };
}

function diffMiddle(
  old: readonly string[],
  young: readonly string[],
  timeoutMs: number,
): Stretch[] | undefined {
  if (old.length === 0 && young.length === 0) return [];
  const least = differing(old, young);
  if (least.added + least.removed > MAX_CHANGED_LINES) return undefined;
  if (old.length === 0 || young.length === 0) return [{ removed: old, added: young }];
  const [before, after] = numbered(old, young);
  const changes = diffArrays(before, after, { timeout: timeoutMs, maxEditLength: MAX_CHANGED_LINES });
  return changes === undefined ? undefined : stretchesOf(changes, old, young);
}

/** Lines as numbers, the same for the same line: comparing them costs nothing. */
function numbered(old: readonly string[], young: readonly string[]): [number[], number[]] {
  const numbers = new Map<string, number>();
  const numberOf = (line: string) => {
    const number = numbers.get(line) ?? numbers.size;
    numbers.set(line, number);
    return number;
  };
  return [old.map(numberOf), young.map(numberOf)];
}

function stretchesOf(
  changes: readonly { added: boolean; removed: boolean; count: number }[],
  old: readonly string[],
  young: readonly string[],
): Stretch[] {
  const stretches: Stretch[] = [];
  let [inOld, inYoung] = [0, 0];
  for (const { added, removed, count } of changes) {
    if (!added && !removed) stretches.push({ same: old.slice(inOld, inOld + count) });
    else {
      const last = stretches.at(-1);
      const open = last !== undefined && 'removed' in last ? last : { removed: [], added: [] };
      if (open === last) stretches.pop();
      stretches.push(
        removed
          ? { removed: [...open.removed, ...old.slice(inOld, inOld + count)], added: open.added }
          : { removed: open.removed, added: [...open.added, ...young.slice(inYoung, inYoung + count)] },
      );
    }
    if (!added) inOld += count;
    if (!removed) inYoung += count;
  }
  return stretches;
}

function commonStart(a: readonly string[], b: readonly string[]): number {
  const most = Math.min(a.length, b.length);
  let at = 0;
  while (at < most && a[at] === b[at]) at += 1;
  return at;
}

function commonEnd(a: readonly string[], b: readonly string[], start: number): number {
  const most = Math.min(a.length, b.length) - start;
  let count = 0;
  while (count < most && a[a.length - 1 - count] === b[b.length - 1 - count]) count += 1;
  return count;
}

function sum(stretches: readonly Stretch[], side: 'added' | 'removed'): number {
  return stretches.reduce((all, one) => all + ('same' in one ? 0 : one[side].length), 0);
}

/** Lines that stand more often in one text than in the other. */
function differing(old: readonly string[], young: readonly string[]): { added: number; removed: number } {
  const counts = new Map<string, number>();
  for (const line of young) counts.set(line, (counts.get(line) ?? 0) + 1);
  for (const line of old) counts.set(line, (counts.get(line) ?? 0) - 1);
  let [added, removed] = [0, 0];
  for (const count of counts.values()) {
    if (count > 0) added += count;
    else removed -= count;
  }
  return { added, removed };
}

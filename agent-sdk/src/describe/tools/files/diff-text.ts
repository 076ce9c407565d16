/** A line diff as the text of a `diff` block: `= - +` lines with bounded context (03 §4). Must not know files. */
import { toWellFormed } from '@countersign/protocol/blocks';
import type { LineDiff, Stretch } from './line-diff.js';

/** Unchanged lines shown on either side of a change. */
const CONTEXT_LINES = 3;
/** Longer lines are shown around what changes in them. */
const MAX_LINE_UNITS = 400;
const AROUND_UNITS = 60;
/** Of texts that are too different, so many lines from either end. */
const HEAD_LINES = 40;
const TAIL_LINES = 15;

export interface DiffText {
  readonly value: string;
  /** Something of a changed line, or of the texts, is not shown. */
  readonly cut: boolean;
}

export function count(of: number, one: string): string {
  return `${of.toLocaleString('en-US')} ${one}${of === 1 ? '' : 's'}`;
}

/** The text of a diff; of texts too different, the ends of the old and of the new one. */
export function diffText(diff: LineDiff, before: readonly string[], after: readonly string[]): DiffText {
  if (diff.stretches === undefined) return { value: bothEnds(before, after), cut: true };
  const { stretches } = diff;
  const lines = stretches.flatMap((one, at) =>
    'same' in one ? context(one.same, at === 0, at === stretches.length - 1) : changed(one),
  );
  const cut = stretches.some((one) => !('same' in one) && [...one.removed, ...one.added].some(isLong));
  return { value: lines.join('\n'), cut };
}

function context(same: readonly string[], first: boolean, last: boolean): string[] {
  const head = first ? [] : same.slice(0, CONTEXT_LINES);
  const tail = last ? [] : same.slice(Math.max(head.length, same.length - CONTEXT_LINES));
  const left = same.length - head.length - tail.length;
  // A note takes a line too: one line left out is no gain.
  if (left <= 1) return same.map((line) => `= ${ends(line)}`);
  return [
    ...head.map((line) => `= ${ends(line)}`),
    unchanged(left),
    ...tail.map((line) => `= ${ends(line)}`),
  ];
}

export function unchanged(lines: number): string {
  return `= ⋯ ${count(lines, 'unchanged line')}`;
}

function changed({ removed, added }: Extract<Stretch, { added: readonly string[] }>): string[] {
  const pairs = removed.map((line, at) => around(line, added[at] ?? ''));
  const old = removed.map((line, at) => `- ${isLong(line) ? (pairs[at]?.[0] ?? '') : line}`);
  const young = added.map((line, at) => `+ ${isLong(line) ? (pairs[at]?.[1] ?? ends(line)) : line}`);
  return [...old, ...young];
}

function isLong(line: string): boolean {
  return line.length > MAX_LINE_UNITS;
}

/** Two long lines, each around the stretch in which they differ. */
function around(a: string, b: string): readonly [string, string] {
  if (!isLong(a) && !isLong(b)) return [a, b];
  const most = Math.min(a.length, b.length);
  let start = 0;
  while (start < most && a[start] === b[start]) start += 1;
  let end = 0;
  while (end < most - start && a[a.length - 1 - end] === b[b.length - 1 - end]) end += 1;
  return [window(a, start, a.length - end), window(b, start, b.length - end)];
}

function window(line: string, from: number, to: number): string {
  const start = Math.max(0, from - AROUND_UNITS);
  const stop = Math.min(line.length, to + AROUND_UNITS);
  const before = start === 0 ? '' : `⋯ ${count(start, 'character')} ⋯ `;
  const after = stop === line.length ? '' : ` ⋯ ${count(line.length - stop, 'character')} ⋯`;
  return `${before}${ends(toWellFormed(line.slice(start, stop)))}${after}`;
}

function ends(line: string): string {
  if (line.length <= 2 * MAX_LINE_UNITS) return line;
  const left = line.length - 2 * MAX_LINE_UNITS;
  return toWellFormed(
    `${line.slice(0, MAX_LINE_UNITS)} ⋯ ${count(left, 'character')} ⋯ ${line.slice(-MAX_LINE_UNITS)}`,
  );
}

function bothEnds(before: readonly string[], after: readonly string[]): string {
  return [...endsOf(before, '- ', 'old'), ...endsOf(after, '+ ', 'new')].join('\n');
}

function endsOf(lines: readonly string[], prefix: string, which: string): string[] {
  const left = lines.length - HEAD_LINES - TAIL_LINES;
  const shown = (part: readonly string[]) => part.map((line) => `${prefix}${ends(line)}`);
  if (left <= 1) return shown(lines);
  const note = `= ⋯ ${count(left, `${which} line`)} left out`;
  return [...shown(lines.slice(0, HEAD_LINES)), note, ...shown(lines.slice(-TAIL_LINES))];
}

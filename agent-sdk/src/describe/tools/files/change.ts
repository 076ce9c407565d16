/** What becomes of one file: its lines before and after, compared. Must not show anything. */
import type { FileContent } from '../../describer.js';
import { applyEdits, type Edit } from './edit.js';
import { diffLines, type LineDiff, linesOf, MAX_DIFF_MS } from './line-diff.js';

export interface Change {
  /** Undefined where nobody knows what the file holds. */
  readonly diff: LineDiff;
  readonly before: readonly string[];
  readonly after: readonly string[];
  /** Only the replaced pieces are compared: the file itself is not at hand, or they do not fit it. */
  readonly pieces: boolean;
  /** Clauses for a person. */
  readonly problems: readonly string[];
}

/** A whole text put in place of another. */
export function replacedBy(before: string, after: string): Change {
  const breaks = lineBreaks(before, after);
  const [old, young] = [linesOf(breaks.before), linesOf(breaks.after)];
  const problems = [...breaks.problems, ...lastBreak(before, after)];
  return { diff: diffLines(old, young), before: old, after: young, pieces: false, problems };
}

export function editedBy(content: FileContent | undefined, edits: readonly Edit[]): Change {
  const before = presentText(content, edits);
  if (before === undefined) return ofPieces(edits, []);
  const { text, problems } = applyEdits(before, edits);
  if (text === undefined) return ofPieces(edits, problems);
  const change = replacedBy(before, text);
  return { ...change, problems: [...problems, ...change.problems] };
}

/** An edit that replaces nothing makes the file when there is none. */
function presentText(content: FileContent | undefined, edits: readonly Edit[]): string | undefined {
  if (content === undefined) return undefined;
  if ('text' in content) return content.text;
  return content.problem === 'missing' && edits[0]?.old === '' ? '' : undefined;
}

/** After line `line`; 0 is before the first one. */
export function insertedInto(content: FileContent | undefined, line: number, text: string): Change {
  if (content === undefined || !('text' in content))
    return ofPieces([{ old: '', young: text, all: false }], []);
  const lines = linesOf(content.text);
  if (line < 0 || line > lines.length) {
    return ofPieces([{ old: '', young: text, all: false }], [`the file has only ${lines.length} lines`]);
  }
  const after = [...lines.slice(0, line), ...linesOf(text), ...lines.slice(line)];
  return { diff: diffLines(lines, after), before: lines, after, pieces: false, problems: [] };
}

/** Piece by piece; the time for all of them together is that of one. */
function ofPieces(edits: readonly Edit[], problems: readonly string[]): Change {
  const before = edits.flatMap(({ old }) => linesOf(old));
  const after = edits.flatMap(({ young }) => linesOf(young));
  const diffs = edits.map(({ old, young }) =>
    diffLines(linesOf(old), linesOf(young), MAX_DIFF_MS / edits.length),
  );
  const whole = diffs.every(({ stretches }) => stretches !== undefined);
  const total = (side: 'added' | 'removed') => diffs.reduce((sum, diff) => sum + diff[side], 0);
  const stretches = whole ? diffs.flatMap((diff) => diff.stretches ?? []) : undefined;
  return {
    diff: { stretches, added: total('added'), removed: total('removed') },
    before,
    after,
    pieces: true,
    problems,
  };
}

/** Breaks of Windows are no change of every line; when they change it is said once. */
function lineBreaks(before: string, after: string): { before: string; after: string; problems: string[] } {
  const [old, young] = [breaksOf(before), breaksOf(after)];
  if (old === 'mixed' || young === 'mixed' || (old === 'lf' && young === 'lf'))
    return { before, after, problems: [] };
  const plain = (text: string) => text.replaceAll('\r\n', '\n');
  const names = { lf: 'LF', crlf: 'CRLF', none: '' };
  const turned = old !== young && old !== 'none' && young !== 'none';
  const problems = turned ? [`all line breaks change from ${names[old]} to ${names[young]}`] : [];
  return { before: plain(before), after: plain(after), problems };
}

function breaksOf(text: string): 'lf' | 'crlf' | 'none' | 'mixed' {
  const [all, windows] = [text.split('\n').length - 1, text.split('\r\n').length - 1];
  if (all === 0) return 'none';
  if (windows === 0) return 'lf';
  return windows === all ? 'crlf' : 'mixed';
}

function lastBreak(before: string, after: string): string[] {
  if (before === '' || after === '' || before.endsWith('\n') === after.endsWith('\n')) return [];
  return [
    after.endsWith('\n')
      ? 'a line break comes at the end of the file'
      : 'the line break at the end of the file goes',
  ];
}

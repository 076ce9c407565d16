/** Each kind of file call in words: summary, rows and estimate. Must not read arguments. */
import type { Block } from '@countersign/protocol/blocks';
import {
  type DescribeContext,
  end,
  type FileContent,
  middle,
  type RiskEstimate,
  type SummaryPart,
} from '../../describer.js';
import { inferValue } from '../../infer.js';
import { block, row, valueRow } from '../../rows.js';
import { startsByItself } from '../paths.js';
import { invisibleIn } from '../shell/hidden.js';
import type { FileCall } from './call.js';
import { type Change, editedBy, insertedInto, replacedBy } from './change.js';
import { count, diffText } from './diff-text.js';
import { linesOf } from './line-diff.js';
import { changeReasons, deleteReasons, estimate, presentWords, readReasons, type Told } from './place.js';
import { toldPatch } from './told-patch.js';

/** Of a file that goes, so many lines are shown. */
const SHOWN_OF_DELETED = 40;
const MAX_LISTED = 50;

export function told(call: FileCall, context: DescribeContext): Told {
  switch (call.kind) {
    case 'write':
      return toldWrite(call.path, call.content, context);
    case 'append':
      return toldChange(
        'Append to',
        call.path,
        insertedAtEnd(context.files.get(call.path), call.content),
        call.content,
        context,
      );
    case 'edit':
      return toldChange(
        'Edit',
        call.path,
        editedBy(context.files.get(call.path), call.edits),
        call.edits.map(({ young }) => young).join('\n'),
        context,
      );
    case 'insert':
      return toldChange(
        'Insert into',
        call.path,
        insertedInto(context.files.get(call.path), call.line, call.content),
        call.content,
        context,
      );
    case 'sketch':
      return toldSketch(call.path, call.content, context);
    case 'patch':
      return toldPatch(call.patch, call.text, context);
    case 'delete':
      return toldDelete(call.paths, context);
    case 'move':
    case 'copy':
      return toldPair(call.kind, call.from, call.to, context);
    case 'undo':
      return {
        summary: ['Undo the last edit of ', middle(call.path)],
        blocks: [fileRow(call.path)],
        risk: estimate(changeReasons(call.path, context), 'normal'),
      };
    case 'directory':
      return toldPaths(
        'Make directory ',
        call.paths,
        estimate(
          call.paths.flatMap((path) => changeReasons(path, context)),
          'normal',
        ),
      );
    case 'read':
      return toldPaths('Read ', call.paths, estimate(call.paths.flatMap(readReasons), 'low'));
    case 'list':
      return toldPaths('List ', call.paths, estimate([], 'low'));
    case 'search':
      return toldSearch(call.path, call.pattern);
  }
}

export function fileRow(path: string, label = 'File'): Block {
  return valueRow(label, { value: path, value_type: 'path' });
}

export function watchOut(words: readonly string[]): Block[] {
  return words.map((one) => row('Watch out', one));
}

function toldWrite(path: string, content: string, context: DescribeContext): Told {
  const present = context.files.get(path);
  if (present !== undefined && 'text' in present) {
    return toldChange('Overwrite', path, replacedBy(present.text, content), content, context);
  }
  const isNew = present !== undefined && present.problem === 'missing';
  const size = `${count(linesOf(content).length, 'line')}`;
  const shown = inferValue('content', content, { content, path });
  const blocks = [
    fileRow(path),
    ...nowRows(present),
    row('Size', `${size}, ${count(content.length, 'character')}`),
    ...watchOut(oddities(path, content)),
    content === ''
      ? row('Content', 'empty')
      : block(isNew ? 'New file' : 'Content', content, shown.value_type, shown.lang),
  ];
  const risk = estimate(changeReasons(path, context), 'normal');
  return {
    summary: [isNew ? 'Create ' : 'Write ', middle(path), `${byItself(path)} (${size})`],
    blocks,
    risk,
  };
}

function nowRows(present: FileContent | undefined): Block[] {
  const words = presentWords(present);
  return words === undefined ? [] : [row('Now', words)];
}

function byItself(path: string): string {
  return startsByItself(path) ? ', which runs by itself' : '';
}

function oddities(path: string, content: string): string[] {
  return [
    ...(invisibleIn(content) ? ['it holds invisible or control characters, shown as ⟨U+…⟩'] : []),
    ...(startsByItself(path) ? ['this file runs by itself later'] : []),
  ];
}

function insertedAtEnd(present: FileContent | undefined, content: string): Change {
  if (present !== undefined && 'text' in present) return replacedBy(present.text, present.text + content);
  return insertedInto(undefined, 0, content);
}

function toldChange(
  verb: string,
  path: string,
  change: Change,
  fresh: string,
  context: DescribeContext,
): Told {
  const { added, removed, stretches } = change.diff;
  const present = context.files.get(path);
  const nothing = added === 0 && removed === 0;
  const counts = nothing ? 'changes no line' : countsOf(added, removed);
  const tooDifferent =
    stretches === undefined
      ? 'too different to compare line by line: the beginning and the end of both'
      : undefined;
  const text = diffText(change.diff, change.before, change.after);
  const diff = block(change.pieces ? 'Pieces' : 'Changes', text.value, 'diff');
  const cut = text.cut
    ? { truncated: true, value_len: change.before.join('\n').length + change.after.join('\n').length }
    : {};
  const misfits = change.problems.some((problem) => problem.includes('is not in the file'));
  return {
    summary: [
      `${verb} `,
      middle(path),
      `${byItself(path)} (${misfits ? 'text to replace not found' : counts})`,
    ],
    blocks: [
      fileRow(path),
      ...nowRows(present),
      row('Lines', tooDifferent === undefined ? counts : `${counts}, ${tooDifferent}`),
      ...watchOut([...change.problems, ...oddities(path, fresh)]),
      ...(text.value === '' ? [] : [{ ...diff, ...cut }]),
    ],
    risk: estimate(
      [
        ...changeReasons(path, context),
        ...change.problems.map((reason) => ({ level: 'normal' as const, reason })),
      ],
      'normal',
    ),
  };
}

function countsOf(added: number, removed: number): string {
  const parts = [...(added === 0 ? [] : [`+${added}`]), ...(removed === 0 ? [] : [`−${removed}`])];
  return `${parts.join(' ')} ${added + removed === 1 ? 'line' : 'lines'}`;
}

function toldSketch(path: string, content: string, context: DescribeContext): Told {
  const shown = inferValue('content', content, { content, path });
  const note = row('Lines', 'a sketch of the edit: the file decides what comes of it');
  const code = block('Edit', content, shown.value_type === 'string' ? 'code' : shown.value_type, shown.lang);
  const blocks = [
    fileRow(path),
    ...nowRows(context.files.get(path)),
    note,
    ...watchOut(oddities(path, content)),
    code,
  ];
  return {
    summary: ['Edit ', middle(path), byItself(path)],
    blocks,
    risk: estimate(changeReasons(path, context), 'normal'),
  };
}

function toldDelete(paths: readonly string[], context: DescribeContext): Told {
  const [only = ''] = paths;
  const present = paths.length === 1 ? context.files.get(only) : undefined;
  const lines = present !== undefined && 'text' in present ? linesOf(present.text) : undefined;
  const size = lines === undefined ? '' : ` (${count(lines.length, 'line')})`;
  const gone =
    lines === undefined || lines.length === 0
      ? []
      : [block(heldLabel(lines.length), lines.slice(0, SHOWN_OF_DELETED).join('\n'), 'code')];
  const holds = gone.map((one) =>
    lines !== undefined && lines.length > SHOWN_OF_DELETED
      ? { ...one, truncated: true, value_len: lines.join('\n').length }
      : one,
  );
  return {
    summary: ['Delete ', ...named(paths), size],
    blocks: [...listRows(paths), ...nowRows(present), ...holds],
    risk: estimate(
      paths.slice(0, MAX_LISTED).flatMap((path) => deleteReasons(path, context)),
      'normal',
    ),
  };
}

function heldLabel(lines: number): string {
  return lines > SHOWN_OF_DELETED
    ? `Holds now: first ${SHOWN_OF_DELETED} of ${count(lines, 'line')}`
    : 'Holds now';
}

function toldPair(kind: 'move' | 'copy', from: string, to: string, context: DescribeContext): Told {
  const present = context.files.get(to);
  const overwrites =
    present !== undefined &&
    !('problem' in present && present.problem === 'missing') &&
    !isDirectory(present);
  const reasons = [
    ...(kind === 'move' ? changeReasons(from, context) : readReasons(from)),
    ...changeReasons(to, context),
  ];
  const lost = overwrites ? [{ level: 'normal' as const, reason: `${to} exists and is replaced` }] : [];
  return {
    summary: [
      kind === 'move' ? 'Move ' : 'Copy ',
      middle(from),
      ' to ',
      middle(to),
      overwrites ? ' (replaces it)' : '',
    ],
    blocks: [
      fileRow(from, 'From'),
      fileRow(to, 'To'),
      ...watchOut(overwrites ? ['a file is there already and is replaced'] : []),
    ],
    risk: estimate([...reasons, ...lost], 'normal'),
  };
}

/** A move into a directory replaces nothing; a pipe or a device is no likely target. */
function isDirectory(present: FileContent): boolean {
  return 'problem' in present && (present.problem === 'not_regular' || present.problem === 'outside');
}

function toldPaths(verb: string, paths: readonly string[], risk: RiskEstimate): Told {
  return { summary: [verb, ...named(paths)], blocks: listRows(paths), risk };
}

function toldSearch(path: string | undefined, pattern: string): Told {
  const where = path === undefined ? [] : [' in ', middle(path)];
  const rows = [
    valueRow('Pattern', { value: pattern, value_type: 'string' }),
    ...(path === undefined ? [] : [fileRow(path, 'In')]),
  ];
  return { summary: ['Search for ', end(pattern), ...where], blocks: rows, risk: estimate([], 'low') };
}

function named(paths: readonly string[]): SummaryPart[] {
  const [first = '', second] = paths;
  if (second === undefined) return [middle(first)];
  return [middle(first), ', ', middle(second), ...(paths.length > 2 ? [` +${paths.length - 2}`] : [])];
}

function listRows(paths: readonly string[]): Block[] {
  return paths.length === 1
    ? [fileRow(paths[0] ?? '')]
    : [block(count(paths.length, 'file'), paths.join('\n'), 'text')];
}

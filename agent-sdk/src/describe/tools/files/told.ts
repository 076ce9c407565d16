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
import { block, valueRow } from '../../rows.js';
import { isThrowaway } from '../paths.js';
import type { FileCall } from './call.js';
import { editedBy, insertedInto } from './change.js';
import { count } from './diff-text.js';
import { linesOf } from './line-diff.js';
import {
  changeReasons,
  deleteReasons,
  estimate,
  fileRow,
  nowRows,
  readReasons,
  type Told,
  watchOut,
} from './place.js';
import { insertedAtEnd, toldChange, toldSketch, toldWrite } from './told-change.js';
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
      return toldSketch(call, context);
    case 'patch':
      return toldPatch(call.patch, call.text, context);
    case 'delete':
      return call.whole === true ? toldDeleteWhole(call.paths, context) : toldDelete(call.paths, context);
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

function toldDeleteWhole(paths: readonly string[], context: DescribeContext): Told {
  const lost = paths
    .slice(0, MAX_LISTED)
    .filter((path) => !isThrowaway(path))
    .map((path) => ({ level: 'high' as const, reason: `deletes everything in ${path}` }));
  const places = paths.slice(0, MAX_LISTED).flatMap((path) => changeReasons(path, context));
  return {
    summary: ['Delete ', ...named(paths), ' and all in it'],
    blocks: listRows(paths),
    risk: estimate([...lost, ...places], 'normal'),
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

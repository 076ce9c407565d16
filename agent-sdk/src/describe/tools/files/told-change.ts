/** Changes of one file in words: its diff, what does not fit, what is odd. Must not read arguments. */
import { type DescribeContext, type FileContent, middle } from '../../describer.js';
import { inferValue } from '../../infer.js';
import { block, row } from '../../rows.js';
import { startsByItself } from '../paths.js';
import { invisibleIn } from '../shell/hidden.js';
import { type Change, insertedInto, replacedBy } from './change.js';
import { count, diffText } from './diff-text.js';
import { linesOf } from './line-diff.js';
import { changeReasons, estimate, fileRow, nowRows, type Told, watchOut } from './place.js';

export function toldWrite(path: string, content: string, context: DescribeContext): Told {
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
    summary: [isNew ? 'Create ' : 'Write ', middle(path), `${byItself(path)}${overWhat(present)} (${size})`],
    blocks,
    risk,
  };
}

/** What is lost without a comparison. */
function overWhat(present: FileContent | undefined): string {
  if (present === undefined || 'text' in present) return '';
  if (present.problem === 'binary') return ', over a binary file';
  return present.problem === 'too_large' ? ', over a huge file' : '';
}

export function byItself(path: string): string {
  return startsByItself(path) ? ', which runs by itself' : '';
}

function oddities(path: string, content: string): string[] {
  return [
    ...(invisibleIn(content) ? ['it holds invisible or control characters, shown as ⟨U+…⟩'] : []),
    ...(startsByItself(path) ? ['this file runs by itself later'] : []),
  ];
}

export function insertedAtEnd(present: FileContent | undefined, content: string): Change {
  if (present !== undefined && 'text' in present) return replacedBy(present.text, present.text + content);
  return insertedInto(undefined, 0, content);
}

export function toldChange(
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

/** What becomes of a notebook's cell. */
const CELL_VERBS: ReadonlyMap<unknown, string> = new Map([
  ['delete', 'Delete a cell of '],
  ['insert', 'Insert a cell into '],
]);

interface Sketch {
  readonly path: string;
  readonly content: string;
  readonly mode?: unknown;
}

export function toldSketch({ path, content, mode }: Sketch, context: DescribeContext): Told {
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
    summary: [CELL_VERBS.get(mode) ?? 'Edit ', middle(path), byItself(path)],
    blocks,
    risk: estimate(changeReasons(path, context), 'normal'),
  };
}

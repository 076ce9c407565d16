/** Patches in words: a diff per file, and what of them does not fit. Must not read arguments. */
import type { Block } from '@countersign/protocol/blocks';
import { type DescribeContext, type FileContent, middle, type SummaryPart } from '../../describer.js';
import { inferValue } from '../../infer.js';
import { block, row } from '../../rows.js';
import { invisibleIn } from '../shell/hidden.js';
import { count } from './diff-text.js';
import { linesOf } from './line-diff.js';
import type { FilePatch, Patch } from './patch.js';
import { changeReasons, deleteReasons, estimate, presentWords, type Told } from './place.js';

const MAX_NAMED = 2;
/** Hunks checked against the file. */
const MAX_CHECKED_HUNKS = 200;

export function toldPatch(patch: Patch, text: string, context: DescribeContext): Told {
  const reasons = patch.files.flatMap((file) => [
    ...(file.action === 'delete' ? deleteReasons(file.path, context) : changeReasons(file.path, context)),
    ...(file.movedTo === undefined ? [] : changeReasons(file.movedTo, context)),
  ]);
  const unread = patch.broken
    ? [{ level: 'high' as const, reason: 'holds parts that could not be read as a patch' }]
    : [];
  const raw = patch.broken
    ? [
        row('Watch out', 'not all of the patch could be read; it is below as it was written'),
        block('Patch', text, 'code', 'diff'),
      ]
    : [];
  return {
    summary: summaryOf(patch),
    blocks: [...patch.files.flatMap((file) => blocksOf(file, context)), ...raw],
    risk: estimate([...unread, ...reasons], 'normal'),
  };
}

/** Deletions first: they are what cannot be undone by looking at the result. */
function summaryOf({ files }: Patch): SummaryPart[] {
  const [added, removed] = ['+', '-'].map((sign) =>
    files.reduce((sum, { lines }) => sum + lines.filter((line) => line.startsWith(sign)).length, 0),
  );
  const groups = [
    ['Delete', files.filter(({ action }) => action === 'delete')],
    ['Move', files.filter(({ movedTo }) => movedTo !== undefined)],
    ['Create', files.filter(({ action }) => action === 'add')],
    ['Patch', files.filter(({ action, movedTo }) => action === 'update' && movedTo === undefined)],
  ] as const;
  const parts = groups
    .filter(([, some]) => some.length > 0)
    .map(([verb, some], at) => groupParts(at === 0 ? verb : verb.toLowerCase(), some));
  return [
    ...parts.flatMap((part, at) => (at === 0 ? part : [', ', ...part])),
    ` (+${added} −${removed} lines)`,
  ];
}

function groupParts(verb: string, files: readonly FilePatch[]): SummaryPart[] {
  const shown = files
    .slice(0, MAX_NAMED)
    .flatMap(({ path, movedTo }, at) => [
      at === 0 ? '' : ', ',
      middle(movedTo === undefined ? path : `${path} to ${movedTo}`),
    ]);
  const more = files.length - MAX_NAMED;
  return [`${verb} `, ...shown.filter((part) => part !== ''), ...(more > 0 ? [` +${more}`] : [])];
}

function blocksOf(file: FilePatch, context: DescribeContext): Block[] {
  const present = context.files.get(file.path);
  const problems = problemsOf(file, present);
  const name = file.movedTo === undefined ? file.path : `${file.path} → ${file.movedTo}`;
  const verb = { add: 'Create', update: 'Change', delete: 'Delete' }[file.action];
  const label = `${verb} ${name}`;
  const notes = problems.map((problem) => row('Watch out', `${file.path}: ${problem}`));
  if (file.action === 'add') return [...notes, newFile(label, file)];
  if (file.lines.length === 0)
    return [...notes, row(label, file.action === 'delete' ? sizeOf(present) : 'no change of its content')];
  return [...notes, block(label, file.lines.map(signed).join('\n'), 'diff')];
}

function sizeOf(present: FileContent | undefined): string {
  return present !== undefined && 'text' in present
    ? count(linesOf(present.text).length, 'line')
    : 'the whole file';
}

function newFile(label: string, { path, lines }: FilePatch): Block {
  const content = lines
    .filter((line) => line.startsWith('+'))
    .map((line) => line.slice(1))
    .join('\n');
  const shown = inferValue('content', content, { content, path });
  return content === ''
    ? row(label, 'empty')
    : block(label, content, shown.value_type === 'string' ? 'text' : shown.value_type, shown.lang);
}

/** A line of a patch as one of a diff block; `@@ …` stays as it is. */
function signed(line: string): string {
  if (line === '') return '= ';
  const sign = line.charAt(0);
  if (sign === '@' || sign === '\\') return line;
  return `${sign === ' ' ? '=' : sign} ${line.slice(1)}`;
}

function problemsOf(file: FilePatch, present: FileContent | undefined): string[] {
  const invisible = file.lines.some((line) => line.startsWith('+') && invisibleIn(line))
    ? ['it holds invisible or control characters']
    : [];
  if (present === undefined) return invisible;
  if (!('text' in present)) {
    const wrong = file.action === 'add' ? present.problem !== 'missing' : true;
    return wrong
      ? [`the file ${presentWords(present)}`.replace('the file does', 'it does'), ...invisible]
      : invisible;
  }
  if (file.action === 'add') return ['it exists already and is replaced', ...invisible];
  return fits(file, present.text) ? invisible : ['it does not fit the file as it is now', ...invisible];
}

/** Whether what each hunk wants to find is in the file. */
function fits({ lines }: FilePatch, text: string): boolean {
  const whole = `\n${linesOf(text.replaceAll('\r\n', '\n')).join('\n')}\n`;
  return hunksOf(lines).every((old) => old.length === 0 || whole.includes(`\n${old.join('\n')}\n`));
}

function hunksOf(lines: readonly string[]): string[][] {
  const hunks: string[][] = [[]];
  for (const line of lines) {
    if (line.startsWith('@@')) hunks.push([]);
    else if (line === '' || line.startsWith(' ') || line.startsWith('-')) hunks.at(-1)?.push(line.slice(1));
    if (hunks.length > MAX_CHECKED_HUNKS) break;
  }
  return hunks;
}

/** What a path means for a person who decides: its words and its weight. By its look alone. Must not read anything. */
import type { Block } from '@countersign/protocol/blocks';
import type { DescribeContext, FileContent, RiskEstimate, RiskLevel, SummaryPart } from '../../describer.js';
import { row, valueRow } from '../../rows.js';
import { isDevice, isEverything, isSecretFile, isSystemPath, startsByItself } from '../paths.js';
import { count } from './diff-text.js';

/** A call in words: all there is to say. */
export interface Told {
  readonly summary: readonly SummaryPart[];
  readonly blocks: readonly Block[];
  readonly risk: RiskEstimate;
}

const RUNS_ELSEWHERE =
  /(?:^|[/\\])(?:\.github[/\\]workflows[/\\]|\.gitlab-ci\.yml$|\.circleci[/\\]|Jenkinsfile$|\.husky[/\\]|\.pre-commit-config\.yaml$)/;

/** What the file is now, where that is no text to compare with. */
export function presentWords(content: FileContent | undefined): string | undefined {
  if (content === undefined || 'text' in content) return undefined;
  const size = content.bytes === undefined ? '' : `, ${count(content.bytes, 'byte')}`;
  switch (content.problem) {
    case 'missing':
      return 'does not exist yet';
    case 'binary':
      return `a binary file${size}: not compared`;
    case 'too_large':
      return `a huge file${size}: not compared`;
    case 'not_regular':
      return 'not a plain file (a directory, a pipe, a device): not compared';
    case 'outside':
      return 'outside the directories this agent shows: not compared';
    case 'too_many':
      return `not read, since the call has too many files${size}`;
    case 'unreadable':
      return 'could not be read: not compared';
  }
}

/** Reasons for a change at this path, gravest first. */
export function changeReasons(
  path: string,
  context: DescribeContext,
): { level: RiskLevel; reason: string }[] {
  const high = (reason: string) => ({ level: 'high' as const, reason });
  return [
    ...(isDevice(path) ? [high(`writes to the device ${path}`)] : []),
    ...(startsByItself(path) ? [high(`${path} runs by itself later`)] : []),
    ...(isSecretFile(path) ? [high(`${path} holds secrets`)] : []),
    ...(isSystemPath(path) ? [high(`${path} belongs to the system`)] : []),
    ...(RUNS_ELSEWHERE.test(path) ? [{ level: 'normal' as const, reason: `${path} is run by others` }] : []),
    ...(isOutside(path, context.cwd)
      ? [{ level: 'normal' as const, reason: `${path} is outside the working directory` }]
      : []),
  ];
}

export function deleteReasons(
  path: string,
  context: DescribeContext,
): { level: RiskLevel; reason: string }[] {
  const everything = isEverything(path)
    ? [{ level: 'high' as const, reason: `deletes everything in ${path}` }]
    : [];
  return [...everything, ...changeReasons(path, context), { level: 'normal', reason: `deletes ${path}` }];
}

export function readReasons(path: string): { level: RiskLevel; reason: string }[] {
  return isSecretFile(path) ? [{ level: 'high', reason: `reads secrets in ${path}` }] : [];
}

export function estimate(
  found: readonly { level: RiskLevel; reason: string }[],
  least: RiskLevel,
): RiskEstimate {
  const high = found.filter(({ level }) => level === 'high');
  return {
    level: high.length > 0 ? 'high' : least,
    reasons: [...high, ...found.filter((one) => !high.includes(one))].map(({ reason }) => reason),
  };
}

/** By its letters alone: `..` out of the directory, or an absolute path elsewhere. */
function isOutside(path: string, cwd: string | undefined): boolean {
  if (path.startsWith('~')) return true;
  const absolute = /^(?:[/\\]|[A-Za-z]:)/.test(path);
  if (absolute && cwd === undefined) return false;
  const inside = absolute
    ? path.startsWith(`${cwd?.replace(/\/+$/, '')}/`)
      ? path.slice((cwd ?? '').length)
      : '..'
    : path;
  let depth = 0;
  for (const part of inside.split(/[/\\]/)) {
    if (part === '..') depth -= 1;
    else if (part !== '' && part !== '.') depth += 1;
    if (depth < 0) return true;
  }
  return false;
}

export function fileRow(path: string, label = 'File'): Block {
  return valueRow(label, { value: path, value_type: 'path' });
}

export function watchOut(words: readonly string[]): Block[] {
  return words.map((one) => row('Watch out', one));
}

export function nowRows(present: FileContent | undefined): Block[] {
  const words = presentWords(present);
  return words === undefined ? [] : [row('Now', words)];
}

/** Tools for git: what they ask for is put as git's own command line and judged by the rules for commands. */

import type { Block } from '@countersign/protocol/blocks';
import { quoteArgv } from '../../argv.js';
import { type DescriberEntry, end, middle, type SummaryPart } from '../../describer.js';
import { listOf } from '../../list-of.js';
import { block } from '../../rows.js';
import type { Given } from '../given.js';
import { isSecretFile } from '../paths.js';
import { analyse } from '../shell/analyse.js';
import { EFFECT_KINDS, grouped } from '../shell/effect.js';
import {
  entries,
  hiddenReasons,
  high,
  leakReasons,
  listed,
  low,
  type Reason,
  shown,
  type Tell,
  type Told,
  watchOut,
} from '../told.js';
import { GIT_VERBS, type GitVerb, gitArgv } from './argv.js';

const PLACE = [
  ...listOf('repo_path repository_path working_dir cwd directory repo_dir work_dir path dir workdir'),
  ...listOf('workspace'),
];
const READS: ReadonlySet<GitVerb> = new Set(['status', 'log', 'diff', 'show', 'blame']);

/** Names under which the verbs go, `git_` before them. */
const NAMES: Readonly<Partial<Record<GitVerb, readonly string[]>>> = {
  push: ['git_push', 'push_changes', 'git_push_branch', 'git_push_feature', 'git_push_tool'],
  commit: ['git_commit', 'commit_changes', 'git_add_or_commit', 'git_commit_tool', 'git_add_and_commit'],
  add: ['git_add', 'git_stage', 'stage_files'],
  checkout: ['git_checkout', 'git_switch', 'checkout_branch', 'switch_branch'],
  create: ['git_create_branch', 'git_new_branch'],
  delete: ['git_delete_branch', 'git_branch_delete', 'git_remove_branch'],
  diff: ['git_diff', 'git_diff_unstaged', 'git_diff_staged'],
  log: ['git_log', 'git_log_or_diff'],
  status: ['git_status'],
  restore: ['git_restore', 'git_discard', 'discard_changes'],
  clone: ['git_clone', 'clone_repository', 'clone_repo'],
};

function toldGit(verb: GitVerb): Tell {
  return (given, { toolName }) => {
    const argv = gitArgv(verb, given);
    if (argv === undefined) return undefined;
    const staged =
      /staged$/.test(toolName) && !/unstaged$/.test(toolName) && !argv.includes('--staged')
        ? ['--staged']
        : [];
    return told(verb, [...argv, ...staged], given);
  };
}

function told(verb: GitVerb, argv: readonly string[], given: Given): Told {
  const place = verb === 'clone' ? undefined : given.text(...PLACE);
  const command = quoteArgv(argv);
  const kinds = grouped(analyse(command).effects);
  const said = argv.includes('--message') ? argv[argv.indexOf('--message') + 1] : undefined;
  const secret = /^(?:add|commit)$/.test(verb) ? argv.slice(2).filter(isSecretFile) : [];
  return {
    summary: [
      ...summaryOf(argv, kinds),
      ...(place === undefined || place === '.' ? [] : [' in ', middle(place)]),
    ],
    blocks: [
      block('As a command', command, 'command'),
      ...shown('Message', said, 'text'),
      ...watchOut([said]),
      ...effectRows(kinds),
      ...shown('Repository', place, 'path'),
    ],
    reasons: [
      ...secret.map((path) => high(`puts ${path}, which holds secrets, into the repository`)),
      ...effectReasons(kinds),
      ...(READS.has(verb) ? [low('only looks')] : []),
      ...leakReasons([said]),
      ...hiddenReasons([said]),
    ],
    least: READS.has(verb) ? 'low' : 'normal',
  };
}

type Kinds = ReturnType<typeof grouped>;

/** Effects in words where there are any; a commit by its first line. The command itself where it is grave. */
function summaryOf(argv: readonly string[], kinds: Kinds): SummaryPart[] {
  const [first] = kinds.toSorted((a, b) => Number(b.level === 'high') - Number(a.level === 'high'));
  const command = quoteArgv(argv);
  const at = argv.indexOf('--message');
  if (first?.level !== 'high' && argv[1] === 'commit' && at !== -1) {
    const line = (argv[at + 1] ?? '').trimStart().split('\n')[0] ?? '';
    return [argv.includes('--amend') ? 'Amend the last commit: ' : 'Commit: ', end(line)];
  }
  if (first === undefined) return ['Run ', middle(command)];
  const words = [`${EFFECT_KINDS[first.kind].verb} `, middle(first.targets.join(', '))];
  return first.level === 'high' ? [...words, ': ', middle(command)] : words;
}

function effectRows(kinds: Kinds): Block[] {
  return kinds.flatMap(({ kind, targets }) => listed(EFFECT_KINDS[kind].label, targets));
}

function effectReasons(kinds: Kinds): Reason[] {
  return kinds.map(({ kind, targets, level }) => ({
    level,
    reason: `${EFFECT_KINDS[kind].clause} ${targets.slice(0, 3).join(', ')}`,
  }));
}

/** A tool that is git as a whole: a line a shell would read, or a list of words. */
function toldPlain(given: Given): Told | undefined {
  const list = given.words('args', 'argv', 'arguments', 'command', 'subcommand', 'cmd');
  const [line = ''] = list;
  if (line === '') return undefined;
  const written = list.length === 1 ? line.trim() : quoteArgv(list);
  const command = /^git\s/.test(written) ? written : `git ${written}`;
  const { effects, onlyReads } = analyse(command);
  const kinds = grouped(effects);
  const place = given.text(...PLACE);
  const [first] = kinds;
  return {
    summary: [
      ...(first === undefined
        ? ['Run ']
        : [`${EFFECT_KINDS[first.kind].verb} `, middle(first.targets.join(', ')), ': ']),
      middle(command),
      ...(place === undefined ? [] : [' in ', middle(place)]),
    ],
    blocks: [
      block('Command', command, 'command'),
      ...watchOut([command]),
      ...effectRows(kinds),
      ...shown('Repository', place, 'path'),
    ],
    reasons: [
      ...effectReasons(kinds),
      ...(onlyReads ? [low('only looks')] : []),
      ...hiddenReasons([command]),
    ],
    least: onlyReads ? 'low' : 'normal',
  };
}

export const gitTools: readonly DescriberEntry[] = [
  ...GIT_VERBS.flatMap((verb) => entries(NAMES[verb] ?? [`git_${verb}`], toldGit(verb))),
  ...entries(['git', 'git_command', 'run_git', 'git_run', 'run_git_command', 'git_exec'], toldPlain),
];

/** Tools for git: what they ask for is put as git's own command line and judged by the rules for commands. */

import { quoteArgv } from '../../argv.js';
import { type DescriberEntry, end, middle, type SummaryPart } from '../../describer.js';
import { listOf } from '../../list-of.js';
import { block } from '../../rows.js';
import type { Given } from '../given.js';
import { analyse } from '../shell/analyse.js';
import { EFFECT_KINDS, grouped } from '../shell/effect.js';
import {
  entries,
  hiddenReasons,
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
  const { effects } = analyse(command);
  const kinds = grouped(effects);
  const message = argv[argv.indexOf('--message') + 1];
  const said = argv.includes('--message') ? message : undefined;
  return {
    summary: [
      ...summaryOf(argv, kinds),
      ...(place === undefined || place === '.' ? [] : [' in ', middle(place)]),
    ],
    blocks: [
      block('As a command', command, 'command'),
      ...shown('Message', said, 'text'),
      ...watchOut([said]),
      ...kinds.flatMap(({ kind, targets }) => listed(EFFECT_KINDS[kind].label, targets)),
      ...shown('Repository', place, 'path'),
    ],
    reasons: [
      ...kinds.map(
        ({ kind, targets, level }): Reason => ({
          level,
          reason: `${EFFECT_KINDS[kind].clause} ${targets.slice(0, 3).join(', ')}`,
        }),
      ),
      ...(READS.has(verb) ? [low('only looks')] : []),
      ...hiddenReasons([said]),
    ],
    least: READS.has(verb) ? 'low' : 'normal',
  };
}

/** Grave effects in words first, then the command; a commit by its message. */
function summaryOf(argv: readonly string[], kinds: ReturnType<typeof grouped>): SummaryPart[] {
  const [grave] = kinds.filter(({ level }) => level === 'high');
  const command = quoteArgv(argv);
  if (grave !== undefined)
    return [`${EFFECT_KINDS[grave.kind].verb} `, middle(grave.targets.join(', ')), ': ', middle(command)];
  const at = argv.indexOf('--message');
  if (argv[1] === 'commit' && at !== -1)
    return [
      argv.includes('--amend') ? 'Amend the last commit: ' : 'Commit: ',
      end((argv[at + 1] ?? '').trimStart().split('\n')[0] ?? ''),
    ];
  if (argv[1] === 'push') return ['Push: ', middle(command)];
  return ['Run ', middle(command)];
}

/** A tool that is git as a whole: its words, a text or a list. */
function toldPlain(given: Given): Told | undefined {
  const list = given.words('args', 'argv', 'arguments', 'command', 'subcommand', 'cmd');
  if (list.length === 0) return undefined;
  const words = list.length === 1 ? (list[0] ?? '').trim().split(/\s+/) : list;
  const argv = words[0] === 'git' ? words : ['git', ...words];
  const verb = GIT_VERBS.find((one) => one === argv[1]) ?? 'init';
  return told(verb, argv, given);
}

export const gitTools: readonly DescriberEntry[] = [
  ...GIT_VERBS.flatMap((verb) => entries(NAMES[verb] ?? [`git_${verb}`], toldGit(verb))),
  ...entries(['git', 'git_command', 'run_git', 'git_run', 'run_git_command', 'git_exec'], toldPlain),
];

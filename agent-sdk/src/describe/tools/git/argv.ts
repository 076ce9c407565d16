/**
 * The command line that a git tool stands for: what the tool's arguments ask for, in git's own words. Undefined for
 * arguments this does not know. Must not judge what it does.
 */
import type { Given } from '../given.js';

export type GitVerb = keyof typeof VERBS;

type Build = (given: Given) => (string | undefined)[] | undefined;

const BRANCH = ['branch', 'branch_name', 'name', 'branchName', 'ref'];
const FORCE = ['force', 'force_push', 'hard_force'];

const VERBS = {
  push: (given: Given) => {
    const branch = given.word('branch', 'branch_name', 'refspec', 'ref', 'local_branch');
    const target = given.word('remote_branch', 'target_branch');
    return [
      ...[
        'push',
        when(given.flag(...FORCE), '--force'),
        when(given.flag('force_with_lease'), '--force-with-lease'),
      ],
      when(given.flag('set_upstream', 'upstream'), '--set-upstream'),
      ...[
        when(given.flag('tags', 'push_tags'), '--tags'),
        when(given.flag('delete', 'delete_remote'), '--delete'),
      ],
      ...[
        when(given.flag('no_verify'), '--no-verify'),
        when(given.flag('dry_run'), '--dry-run'),
        when(given.flag('all'), '--all'),
      ],
      when(given.flag('mirror'), '--mirror'),
      given.word('remote', 'remote_name') ?? when(branch !== undefined, 'origin'),
      branch !== undefined && target !== undefined ? `${branch}:${target}` : (branch ?? target),
    ];
  },
  reset: (given: Given) => {
    const mode = given.text('mode', 'reset_type', 'type') ?? (given.flag('hard') ? 'hard' : undefined);
    return [
      'reset',
      when(mode !== undefined, `--${(mode ?? '').replace(/^-+/, '')}`),
      given.word('commit', 'target', 'ref', 'revision', 'commit_ref', 'commit_hash', 'to'),
      ...paths(given, 'files', 'paths'),
    ];
  },
  commit: (given: Given) => [
    ...[
      'commit',
      when(given.flag('all', 'add_all', 'stage_all'), '--all'),
      when(given.flag('amend'), '--amend'),
    ],
    ...[when(given.flag('no_verify'), '--no-verify'), when(given.flag('allow_empty'), '--allow-empty')],
    ...pair('--message', given.text('message', 'commit_message', 'msg')),
    ...pair('--author', given.text('author')),
    ...paths(given, 'files', 'paths', 'file_paths'),
  ],
  add: (given: Given) => {
    const files = given.words('files', 'paths', 'file_paths', 'file', 'pathspec', 'file_path');
    const all = given.flag('all', 'add_all');
    return files.length === 0 && !all ? undefined : ['add', when(all, '--all'), ...files];
  },
  checkout: (given: Given) => {
    const creates = given.flag('create', 'create_branch', 'create_new', 'new');
    const fresh = given.word('new_branch', 'new_branch_name');
    const target = given.word('branch_or_path', 'target', ...BRANCH, 'commit', 'start_point');
    if (target === undefined && fresh === undefined) return undefined;
    const force = when(given.flag('force', 'discard_changes'), '--force');
    if (fresh !== undefined) return ['checkout', force, '-b', fresh, target];
    return ['checkout', force, when(creates, '-b'), target, ...paths(given, 'files', 'paths')];
  },
  branch: (given: Given) => {
    const mode = given.text('mode', 'operation', 'action') ?? '';
    const branch = given.word(...BRANCH);
    const force = given.flag('force');
    if (/^(?:delete|remove|-d|-D)$/.test(mode) || given.flag('delete'))
      return ['branch', force || mode === '-D' ? '-D' : '--delete', branch];
    if (/^rename$/.test(mode))
      return ['branch', force ? '-M' : '--move', branch, given.word('new_branch_name', 'new_name')];
    if (/^(?:list|show|show-current|)$/.test(mode) && branch === undefined) return ['branch', '--list'];
    return [
      'branch',
      when(force, '--force'),
      branch,
      given.word('start_point', 'base_branch', 'from', 'base'),
    ];
  },
  delete: (given: Given) => {
    const branch = given.word(...BRANCH);
    if (branch === undefined) return undefined;
    const remote = given.word('remote');
    return remote === undefined
      ? ['branch', given.flag('force') ? '-D' : '--delete', branch]
      : ['push', '--delete', remote, branch];
  },
  create: (given: Given) => [
    'branch',
    given.word(...BRANCH),
    given.word('base_branch', 'start_point', 'from', 'base'),
  ],
  clean: (given: Given) => [
    ...['clean', when(given.flag('force'), '--force'), when(given.flag('directories'), '-d')],
    ...[
      when(given.flag('ignored'), '-x'),
      when(given.flag('dry_run'), '--dry-run'),
      ...paths(given, 'paths', 'files'),
    ],
  ],
  merge: (given: Given) => [
    ...['merge', when(given.flag('abort'), '--abort'), when(given.flag('squash'), '--squash')],
    ...[
      when(given.flag('no_ff', 'no_fast_forward'), '--no-ff'),
      given.word('branch', 'source_branch', ...BRANCH),
    ],
    ...pair('--message', given.text('message', 'commit_message')),
  ],
  rebase: (given: Given) => {
    const mode = given.text('mode') ?? '';
    if (/^(?:abort|continue|skip)$/.test(mode)) return ['rebase', `--${mode}`];
    return [
      'rebase',
      ...pair('--onto', given.word('onto')),
      given.word('upstream', 'base', 'target'),
      given.word(...BRANCH),
    ];
  },
  stash: (given: Given) => {
    const mode = given.text('mode', 'action', 'operation', 'command') ?? 'push';
    return [
      'stash',
      mode === 'save' ? 'push' : mode,
      given.word('stash_ref', 'ref', 'index'),
      ...pair('--message', given.text('message')),
    ];
  },
  tag: (given: Given) => {
    const mode = given.text('mode', 'action', 'operation') ?? 'create';
    const tag = given.word('tag_name', 'tag', 'name');
    if (mode === 'list') return ['tag', '--list'];
    if (mode === 'delete') return ['tag', '--delete', tag];
    return [
      'tag',
      when(given.flag('force'), '--force'),
      tag,
      given.word('commit_ref', 'commit', 'target', 'ref'),
      ...pair('--message', given.text('message')),
    ];
  },
  pull: (given: Given) => [
    ...[
      'pull',
      when(given.flag('rebase'), '--rebase'),
      when(given.flag('ff_only'), '--ff-only'),
      when(given.flag('force'), '--force'),
    ],
    ...[given.word('remote', 'remote_name'), given.word(...BRANCH)],
  ],
  fetch: (given: Given) => [
    'fetch',
    when(given.flag('prune'), '--prune'),
    when(given.flag('all'), '--all'),
    given.word('remote'),
  ],
  clone: (given: Given) => {
    const url = given.text('repository_url', 'url', 'repo_url', 'repository', 'remote_url', 'repo');
    if (url === undefined) return undefined;
    return [
      'clone',
      ...pair('--branch', given.word('branch')),
      ...pair('--depth', given.word('depth')),
      url,
      given.text('target_path', 'path', 'directory', 'destination', 'local_path'),
    ];
  },
  remote: (given: Given) => {
    const mode = given.text('mode', 'action', 'operation') ?? 'show';
    return ['remote', mode, given.word('name', 'remote', 'remote_name'), given.text('url', 'remote_url')];
  },
  'cherry-pick': (given: Given) => [
    'cherry-pick',
    ...given.words('commit_ref', 'commit', 'commits', 'commit_hash', 'ref'),
  ],
  revert: (given: Given) => ['revert', ...given.words('commit', 'commit_ref', 'commit_hash', 'ref')],
  restore: (given: Given) => [
    'restore',
    when(given.flag('staged'), '--staged'),
    ...pair('--source', given.word('source')),
    ...paths(given, 'files', 'paths', 'file', 'pathspec'),
  ],
  init: (given: Given) => ['init', ...pair('--initial-branch', given.word('initial_branch'))],
  worktree: (given: Given) => [
    'worktree',
    given.text('mode', 'action') ?? 'list',
    when(given.flag('force'), '--force'),
    given.text('worktree_path', 'path'),
    given.word(...BRANCH),
  ],
  status: () => ['status'],
  log: (given: Given) => [
    'log',
    ...pair('--max-count', given.word('max_count', 'limit', 'count')),
    given.word('branch_or_file', 'branch', 'revision'),
  ],
  diff: (given: Given) => [
    'diff',
    when(given.flag('staged', 'cached'), '--staged'),
    given.word('target', 'commit1', 'base', 'from'),
    given.word('commit2', 'to'),
    ...paths(given, 'file', 'files', 'paths'),
  ],
  show: (given: Given) => ['show', given.word('revision', 'ref', 'commit')],
  blame: (given: Given) => ['blame', ...given.words('file', 'path', 'file_path')],
} satisfies Record<string, Build>;

export const GIT_VERBS = Object.keys(VERBS) as GitVerb[];

/** `git` and its words, or undefined when the arguments do not say enough. */
export function gitArgv(verb: GitVerb, given: Given): string[] | undefined {
  const words = VERBS[verb](given);
  return words === undefined ? undefined : ['git', ...words.filter((word) => word !== undefined)];
}

function when(is: boolean, word: string): string | undefined {
  return is ? word : undefined;
}

function pair(option: string, value: string | undefined): string[] {
  return value === undefined ? [] : [option, value];
}

function paths(given: Given, ...names: string[]): string[] {
  const found = given.words(...names);
  return found.length === 0 ? [] : ['--', ...found];
}

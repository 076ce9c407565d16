/** git and its companions on the command line. Must not know other programs. */
import { type Effect, effect } from '../effect.js';
import { has, readLine } from '../words.js';
import type { Rules, Use } from './use.js';

const GLOBAL_VALUES = ['-C', '-c', '--git-dir', '--work-tree', '--namespace', '--exec-path'];

type Verb = (args: readonly string[], use: Use) => Effect[];

function push(args: readonly string[]): Effect[] {
  const { options, operands } = readLine(args, ['-o', '--push-option', '--repo', '--receive-pack']);
  const [remote = 'its upstream', ...refs] = operands;
  const where = [remote, ...refs].join(' ');
  const deleted = has(options, '--delete', '-d')
    ? refs
    : refs.filter((ref) => /^:./.test(ref)).map((ref) => ref.slice(1));
  if (deleted.length > 0) return [effect('deletes', `${deleted.join(', ')} at ${remote}`, 'high')];
  const mirrored = has(options, '--mirror', '--prune');
  const forced =
    has(options, '--force', '-f', '--force-with-lease', '--force-if-includes') ||
    refs.some((ref) => ref.startsWith('+'));
  if (forced || mirrored) return [effect('forces', where, 'high')];
  return has(options, '--dry-run', '-n') ? [] : [effect('pushes', where)];
}

function reset(args: readonly string[]): Effect[] {
  const { options, operands } = readLine(args);
  return has(options, '--hard', '--merge')
    ? [effect('discards', `changes since ${operands[0] ?? 'the last commit'}`, 'high')]
    : [];
}

function clean(args: readonly string[]): Effect[] {
  const { options, operands } = readLine(args, ['-e', '--exclude']);
  if (has(options, '-n', '--dry-run') || !has(options, '-f', '--force')) return [];
  const ignored = has(options, '-x', '-X') ? ' and ignored' : '';
  return [
    effect(
      'deletes',
      `untracked${ignored} files${operands.length === 0 ? '' : ` in ${operands.join(', ')}`}`,
      'high',
    ),
  ];
}

function branch(args: readonly string[]): Effect[] {
  const { options, operands } = readLine(args, ['-u', '--set-upstream-to']);
  if (has(options, '-D') || (has(options, '--delete') && has(options, '--force'))) {
    return [effect('deletes', `branch ${operands.join(', ')} even if unmerged`, 'high')];
  }
  return has(options, '-d', '--delete') ? [effect('deletes', `branch ${operands.join(', ')}`)] : [];
}

function checkout(args: readonly string[]): Effect[] {
  const dashes = args.indexOf('--');
  const { options, operands } = readLine(args, ['-b', '-B']);
  if (dashes !== -1) return [effect('discards', `changes in ${args.slice(dashes + 1).join(', ')}`, 'high')];
  const forced = has(options, '-f', '--force', '--discard-changes');
  const everything = operands.includes('.');
  return forced || everything ? [effect('discards', 'changes in the work tree', 'high')] : [];
}

function restore(args: readonly string[]): Effect[] {
  const { options, operands } = readLine(args, ['-s', '--source']);
  const staged = has(options, '--staged', '-S') && !has(options, '--worktree', '-W');
  return staged ? [] : [effect('discards', `changes in ${operands.join(', ')}`, 'high')];
}

function stash(args: readonly string[]): Effect[] {
  return /^(?:drop|clear)$/.test(args[0] ?? '')
    ? [effect('discards', `stashed changes (${args.join(' ')})`, 'high')]
    : [];
}

function rewrite(args: readonly string[], use: Use): Effect[] {
  return [
    effect(
      'changes',
      `history (git ${readLine(use.args, GLOBAL_VALUES).operands[0] ?? ''} ${args.slice(0, 2).join(' ')})`,
      'high',
    ),
  ];
}

function rebase(args: readonly string[]): Effect[] {
  if (has(args, '--abort', '--continue', '--skip', '--quit')) return [];
  return [effect('changes', `history (rebase ${args.slice(0, 3).join(' ')})`)];
}

function commit(args: readonly string[]): Effect[] {
  const amended = has(args, '--amend') ? [effect('changes', 'the last commit')] : [];
  return has(args, '--no-verify', '-n')
    ? [...amended, effect('changes', 'a commit without its checks')]
    : amended;
}

function tag(args: readonly string[]): Effect[] {
  const { options, operands } = readLine(args, ['-m', '-F', '-u']);
  return has(options, '-d', '--delete') ? [effect('deletes', `tag ${operands.join(', ')}`)] : [];
}

function config(args: readonly string[]): Effect[] {
  const sets = readLine(args).operands.length > 1 || has(args, '--unset', '--add', '--replace-all');
  const runs = args.some((word) =>
    /^(?:alias\.|core\.(?:hookspath|sshcommand|editor|pager|fsmonitor)|credential\.|url\.)/i.test(word),
  );
  return sets
    ? [
        effect(
          runs ? 'persists' : 'changes',
          `git settings (${args.slice(0, 3).join(' ')})`,
          runs ? 'high' : 'normal',
        ),
      ]
    : [];
}

function clone(args: readonly string[]): Effect[] {
  const { operands } = readLine(args, ['-b', '--branch', '--depth', '-o', '-c', '--reference']);
  return operands[0] === undefined ? [] : [effect('connects', operands[0])];
}

const VERBS: ReadonlyMap<string, Verb> = new Map<string, Verb>([
  ['push', push],
  ['reset', reset],
  ['clean', clean],
  ['branch', branch],
  ['checkout', checkout],
  ['switch', checkout],
  ['restore', restore],
  ['stash', stash],
  ['rebase', rebase],
  ['commit', commit],
  ['tag', tag],
  ['config', config],
  ['clone', clone],
  ['rm', (args) => [effect('deletes', readLine(args).operands.join(', '))]],
  ['filter-branch', rewrite],
  ['filter-repo', rewrite],
  ['reflog', (args, use) => (/^(?:expire|delete)$/.test(args[0] ?? '') ? rewrite(args, use) : [])],
  ['gc', (args, use) => (has(args, '--prune') ? rewrite(args, use) : [])],
  ['update-ref', rewrite],
]);

/** Settings whose value git runs. */
const RUN_BY_GIT =
  /^(alias\.[^=]*|core\.(?:pager|sshcommand|editor|fsmonitor|askpass|hookspath|gitproxy)|pager\.[^=]*|sequence\.editor|credential\.(?:.*\.)?helper|diff\.external|(?:diff|filter|merge)\.[^=]*\.(?:textconv|command|clean|smudge|process|driver)|gpg\.(?:.*\.)?program|uploadpack\.packobjectshook)=(.+)$/is;
/** Values that people give to keep it from waiting. */
const HARMLESS_VALUE = /^(?:cat|less|more|true|false|:|vi|vim|nano|emacs)$/;

/** `git -c core.pager='rm -rf ~' log`: what one setting for one call starts. */
function settings(before: readonly string[], use: Use): Effect[] {
  return before.flatMap((word, at) => {
    const [, name, value = ''] = (before[at - 1] === '-c' && RUN_BY_GIT.exec(word)) || [];
    if (name === undefined || HARMLESS_VALUE.test(value)) return [];
    const isPath = /hookspath$/i.test(name);
    const isGits = /^alias\./i.test(name) && !value.startsWith('!');
    if (isGits) return use.command(['git', ...value.split(/\s+/)]);
    return [
      effect('changes', `which programs run (git ${name})`, 'high'),
      ...(isPath ? [] : use.script(value.replace(/^!/, ''))),
    ];
  });
}

function git(use: Use): Effect[] {
  let at = 0;
  while (at < use.args.length && (use.args[at] ?? '').startsWith('-'))
    at += GLOBAL_VALUES.includes(use.args[at] ?? '') ? 2 : 1;
  const done = VERBS.get(use.args[at] ?? '')?.(use.args.slice(at + 1), use) ?? [];
  return [...settings(use.args.slice(0, at), use), ...done];
}

/** GitHub's and GitLab's command lines. */
function hub(use: Use): Effect[] {
  const [area = '', verb = '', ...rest] = use.args;
  const what =
    `${area} ${readLine(rest, ['-R', '--repo', '-t', '--title', '-b', '--body']).operands.join(' ')}`.trim();
  if (/^(?:delete|archive)$/.test(verb)) return [effect('deletes', what, 'high')];
  if (/^(?:create|merge|comment|edit|close|reopen|review|ready|upload|rename|run)$/.test(verb)) {
    return [effect('publishes', `${use.program} ${what} (${verb})`, verb === 'merge' ? 'high' : 'normal')];
  }
  if (area === 'api')
    return [
      effect(
        use.args.some((word) => /^(?:-X|--method|-f|-F|--field)/.test(word)) ? 'sends' : 'connects',
        verb,
      ),
    ];
  return area === 'secret' || (area === 'auth' && verb === 'token')
    ? [effect('reads_secrets', what, 'high')]
    : [];
}

export const GIT_RULES: Rules = [
  ['git', git],
  ['gh glab', hub],
];

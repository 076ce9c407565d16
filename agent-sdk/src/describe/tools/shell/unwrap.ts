/**
 * Programs that only start others: `sudo`, `env`, `xargs`, `bash -c`, `ssh host`. What they start is what counts.
 * Must not know what that does.
 */

import { listOf } from '../../list-of.js';
import type { Step } from './script.js';
import { programName, readLine, valuesOf } from './words.js';

/** A command without the programs around it. */
export interface Invocation {
  readonly program: string;
  readonly args: readonly string[];
  /** The user it runs as, when another one is named: `root`. */
  readonly user: string | undefined;
  /** Where it runs, when elsewhere: a host, a container. */
  readonly place: string | undefined;
  /** Its operands come from another command's output (`xargs`). */
  readonly fed: boolean;
  /** Script text it gives to a shell: `bash -c`, `eval`, `ssh host …`. */
  readonly scripts: readonly string[];
  /** A container that is given the machine it runs on. */
  readonly hostWide: boolean;
  /** Every program on the way, this one included. */
  readonly programs: readonly string[];
  readonly step: Step;
}

type Change = Partial<Pick<Invocation, 'user' | 'place' | 'fed' | 'scripts' | 'hostWide'>> & {
  rest: readonly string[];
};

const SHELLS: ReadonlySet<string> = new Set(['ash', 'bash', 'dash', 'fish', 'ksh', 'mksh', 'sh', 'zsh']);
const POSIX_ASSIGNMENT = /^[A-Za-z_][A-Za-z0-9_]*=/;
const MAX_WRAPPERS = 12;

export function isShell(program: string): boolean {
  return SHELLS.has(program);
}

/** Where the options of a wrapper end, given those that take a value as their next word. */
function afterOptions(args: readonly string[], withValue: readonly string[]): readonly string[] {
  let at = 0;
  while (at < args.length && /^-./.test(args[at] ?? '')) {
    if (args[at] === '--') return args.slice(at + 1);
    at += withValue.includes(args[at] ?? '') ? 2 : 1;
  }
  return args.slice(at);
}

function plain(withValue: readonly string[] = [], skip = 0): (args: readonly string[]) => Change {
  return (args) => ({ rest: afterOptions(args, withValue).slice(skip) });
}

function withoutAssignments(args: readonly string[]): readonly string[] {
  const at = args.findIndex((word) => !POSIX_ASSIGNMENT.test(word));
  return at === -1 ? [] : args.slice(at);
}

function sudo(args: readonly string[]): Change {
  const rest = withoutAssignments(
    afterOptions(args, [
      '-u',
      '--user',
      '-g',
      '--group',
      '-h',
      '-p',
      '-C',
      '-T',
      '-U',
      '-r',
      '-t',
      '-D',
      '-R',
    ]),
  );
  const before = args.slice(0, args.length - rest.length);
  return { rest, user: valuesOf(before, '-u', '--user').at(-1) ?? 'root' };
}

function su(args: readonly string[]): Change {
  const { operands } = readLine(args, ['-c', '--command', '-s', '--shell', '-g', '-G']);
  return {
    rest: [],
    user: operands.find((word) => word !== '-') ?? 'root',
    scripts: valuesOf(args, '-c', '--command'),
  };
}

function env(args: readonly string[]): Change {
  const rest = withoutAssignments(afterOptions(args, listOf('-u --unset -C --chdir -S --split-string')));
  return { rest, scripts: valuesOf(args.slice(0, args.length - rest.length), '-S', '--split-string') };
}

function ssh(args: readonly string[]): Change {
  const rest = afterOptions(args, [...listOf('-b -c -D -E -e -F -I -i -J -L -l -m -O -o -p -Q -R -S -W -w')]);
  const [host, ...command] = rest;
  return { rest: [], place: host, scripts: command.length === 0 ? [] : [command.join(' ')] };
}

/** `docker exec`, `docker run`, `kubectl exec`: what follows the container's name, or `--`. */
function container(args: readonly string[]): Change | undefined {
  const [verb, ...more] = args[0] === 'compose' ? args.slice(1) : args;
  if (verb !== 'exec' && verb !== 'run') return undefined;
  const dashes = more.indexOf('--');
  const rest = afterOptions(more, [
    ...listOf('-e --env -u --user -w --workdir -v --volume -p --publish --name --network'),
    ...listOf('--mount --entrypoint --platform --env-file -n --namespace -c --container --rm=false'),
  ]);
  const [name, ...command] = dashes > 0 ? [rest[0] ?? '', ...more.slice(dashes + 1)] : rest;
  const before = more.slice(0, more.length - command.length);
  return { rest: command, place: name, hostWide: before.some((word) => HOST_WIDE.test(word)) };
}

/** Rights over the host, its files, its name spaces or the service that starts containers. */
const HOST_WIDE = /^(?:--privileged$|\/:)|=\/:|source=\/(?:,|$)|=host$|docker\.sock/;

/** `trap '…' EXIT` keeps a script for later; `-` and nothing take it away. */
function trap(args: readonly string[]): Change {
  const [script = '-'] = afterOptions(args, []);
  return { rest: [], scripts: script === '-' || script === '' ? [] : [script] };
}

/** `alias ls='…'`: what another name is going to mean. */
function alias(args: readonly string[]): Change {
  const scripts = args
    .filter((word) => /^[^=]+=./.test(word))
    .map((word) => word.slice(word.indexOf('=') + 1).replace(/^(['"])(.*)\1$/s, '$2'));
  return { rest: [], scripts };
}

function shell(args: readonly string[]): Change | undefined {
  const at = args.findIndex((word) => /^-[A-Za-z]*c$/.test(word) || word === '--command');
  const script = at === -1 ? undefined : args[at + 1];
  return script === undefined ? undefined : { rest: [], scripts: [script] };
}

const WRAPPERS: ReadonlyMap<string, (args: readonly string[]) => Change | undefined> = new Map([
  ...['sudo', 'doas', 'pkexec', 'run0', 'gosu'].map((name) => [name, sudo] as const),
  ['su', su],
  ['runuser', su],
  ['env', env],
  ['trap', trap],
  ['alias', alias],
  ['ssh', ssh],
  ...['docker', 'podman', 'kubectl', 'oc', 'nerdctl'].map((name) => [name, container] as const),
  ...[...SHELLS].map((name) => [name, shell] as const),
  ['eval', (args: readonly string[]) => ({ rest: [], scripts: [args.join(' ')] })],
  [
    'xargs',
    (args: readonly string[]) => ({
      ...plain(['-I', '-n', '-P', '-L', '-d', '-a', '-E', '-s'])(args),
      fed: true,
    }),
  ],
  ['parallel', (args: readonly string[]) => ({ ...plain(['-j', '-n', '-P'])(args), fed: true })],
  ['timeout', plain(['-s', '--signal', '-k', '--kill-after'], 1)],
  ['nice', plain(['-n', '--adjustment'])],
  ['ionice', plain(['-c', '-n', '-p'])],
  ['chroot', plain(['--userspec', '--groups'], 1)],
  ['watch', plain(['-n', '--interval'])],
  ['strace', plain(['-e', '-o', '-p', '-s'])],
  ['stdbuf', plain(['-i', '-o', '-e'])],
  ['flock', plain(['-w', '--timeout', '-E'], 1)],
  ...listOf('builtin busybox caffeinate chronic command exec noglob nohup setsid time unbuffer').map(
    (name) => [name, plain(name === 'exec' ? ['-a'] : [])] as const,
  ),
] as [string, (args: readonly string[]) => Change | undefined][]);

/** Takes off wrapper after wrapper. A wrapper that starts nothing stays as the program. */
export function unwrap(step: Step): Invocation {
  const [first = '', ...args] = step.words;
  let now: Invocation = {
    program: programName(first),
    args,
    user: undefined,
    place: undefined,
    fed: false,
    scripts: [],
    hostWide: false,
    programs: first === '' ? [] : [programName(first)],
    step,
  };
  for (let times = 0; times < MAX_WRAPPERS; times++) {
    const change = WRAPPERS.get(now.program)?.(now.args);
    if (change === undefined) return now;
    const { rest, scripts = [], ...more } = change;
    const known = { ...now, ...withoutUndefined(more), scripts: [...now.scripts, ...scripts] };
    const [next, ...nextArgs] = rest;
    if (next === undefined) return known;
    const program = programName(next);
    now = { ...known, program, args: nextArgs, programs: [...now.programs, program] };
  }
  return now;
}

function withoutUndefined<T extends object>(given: T): Partial<T> {
  return Object.fromEntries(Object.entries(given).filter(([, value]) => value !== undefined)) as Partial<T>;
}

/** All programs somebody wrote a rule for. Must not hold rules itself. */
import { listOf } from '../../../list-of.js';
import type { Effect } from '../effect.js';
import { CLOUD_RULES } from './cloud.js';
import { FILE_RULES } from './files.js';
import { GIT_RULES } from './git.js';
import { NETWORK_RULES } from './network.js';
import { PACKAGE_RULES } from './packages.js';
import { READER_RULES } from './readers.js';
import { SYSTEM_RULES } from './system.js';
import type { Rule, Use } from './use.js';
import { WINDOWS_RULES } from './windows.js';

export { written } from './files.js';
export { addressesOf } from './network.js';
export type { Use } from './use.js';

const RULES = new Map<string, Rule[]>();

for (const [programs, rule] of [
  ...FILE_RULES,
  ...NETWORK_RULES,
  ...SYSTEM_RULES,
  ...PACKAGE_RULES,
  ...GIT_RULES,
  ...CLOUD_RULES,
  ...WINDOWS_RULES,
  ...READER_RULES,
]) {
  for (const program of programs.split(' ')) RULES.set(program, [...(RULES.get(program) ?? []), rule]);
}

/** Asked for help or for its version a program does nothing else. */
const ONLY_TALKS = /^(?:--help|--version|-V|help|version)$/;

export function effectsOfProgram(use: Use): Effect[] {
  if (use.args.length === 1 && ONLY_TALKS.test(use.args[0] ?? '')) return [];
  return (RULES.get(use.program) ?? []).flatMap((rule) => [...rule(use)]);
}

const READS_ONLY: ReadonlySet<string> = new Set([
  ...listOf('[ ag arch awk basename bat cal cat cd cksum cloc cmp column comm cut date'),
  ...listOf('df diff dir dirname du echo egrep exa expr eza false fd fgrep file find fold'),
  ...listOf('free grep groups head hexdump hostname id jq less locale ls lsof md5sum more'),
  ...listOf('nl nproc od paste pgrep popd printf ps pushd pwd readlink realpath rev rg sed'),
  ...listOf('seq sha1sum sha256sum shasum shellcheck sleep sort stat strings tac tail test tokei'),
  ...listOf('top tr tree true tty type uname uniq uptime wait wc where which who whoami xxd yq'),
]);
const GIT_READS =
  /^(?:status|log|diff|show|blame|branch|remote|rev-parse|ls-files|ls-remote|describe|shortlog|reflog|grep|tag)$/;

/** Whether it only looks, provided it has no effect that a rule found. */
export function onlyReads(program: string, args: readonly string[]): boolean {
  if (program === '') return true;
  if (args.length === 1 && ONLY_TALKS.test(args[0] ?? '') && /^[a-z][\w.-]*$/.test(program)) return true;
  if (program === 'git')
    return (
      GIT_READS.test(args.find((word) => !word.startsWith('-')) ?? '') &&
      (args.length < 3 || !/^(?:branch|remote|tag)$/.test(args[0] ?? ''))
    );
  return READS_ONLY.has(program);
}

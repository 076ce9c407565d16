/**
 * Where code comes from that a shell or an interpreter is given: a download, other commands, a text at hand. Must not
 * know what code does.
 */
import { listOf } from '../../list-of.js';
import { type Effect, effect } from './effect.js';
import { addressesOf } from './programs/index.js';
import type { Step } from './script.js';
import { type Invocation, isShell, unwrap } from './unwrap.js';

const DOWNLOADERS: ReadonlySet<string> = new Set(
  listOf('curl wget fetch aria2c iwr irm invoke-webrequest invoke-restmethod'),
);
const INTERPRETERS: ReadonlySet<string> = new Set(
  listOf('python python2 python3 perl ruby node php deno iex invoke-expression pwsh powershell'),
);
const RUNS_ITS_WORDS: ReadonlySet<string> = new Set(listOf('eval source . iex invoke-expression'));
const DECODERS: ReadonlySet<string> = new Set(listOf('base64 base32 xxd openssl gunzip zcat gpg rev tr'));
const MAX_CHAIN = 50;
const MAX_NAMED = 4;

export function downloads(program: string): boolean {
  return DOWNLOADERS.has(program);
}

/** Whether the program takes code as its input. */
export function isInterpreter(program: string): boolean {
  return isShell(program) || INTERPRETERS.has(program);
}

/** Whether the program runs what its words, or the file they name, hold. */
export function runsCode(program: string): boolean {
  return isInterpreter(program) || RUNS_ITS_WORDS.has(program);
}

/** Code that only appears when it runs, by the commands that make it; nothing for code that is there to be read. */
export function unseenCode({ program, args, step }: Invocation): Effect[] {
  const origin =
    downloadedBy(step.inside) ??
    (step.pipedFrom === undefined ? undefined : downloadedBy(chainOf(step.pipedFrom)));
  if (origin !== undefined) return [effect('runs_download', origin, 'high')];
  const made = RUNS_ITS_WORDS.has(program) || args.includes('-c') ? step.inside : [];
  return made.length === 0 ? [] : [effect('runs_hidden', namesOf(made), decodes(made) ? 'high' : 'normal')];
}

/** The program itself is an expansion: whatever comes out of it runs. */
export function madeBy({ inside }: Step, word: string): Effect {
  const origin = downloadedBy(inside);
  if (origin !== undefined) return effect('runs_download', origin, 'high');
  return effect('runs_hidden', inside.length === 0 ? word : namesOf(inside), 'high');
}

/** The commands before a pipe, first one first. */
export function chainOf(last: Step): Step[] {
  const chain: Step[] = [];
  for (
    let step: Step | undefined = last;
    step !== undefined && chain.length < MAX_CHAIN;
    step = step.pipedFrom
  )
    chain.unshift(step);
  return chain;
}

export function downloadedBy(steps: readonly Step[]): string | undefined {
  for (const step of steps) {
    const { program, args } = unwrap(step);
    if (DOWNLOADERS.has(program)) return addressesOf(program, args)[0] ?? program;
  }
  return undefined;
}

export function namesOf(steps: readonly Step[]): string {
  return (
    [...new Set(steps.map((step) => unwrap(step).program).filter((name) => name !== ''))]
      .slice(0, MAX_NAMED)
      .join(' | ') || 'an expansion'
  );
}

function decodes(steps: readonly Step[]): boolean {
  return steps.some((step) => DECODERS.has(unwrap(step).program));
}

/** The text `echo` or `printf` writes, when it is there to be read. */
export function saidBy(step: Step | undefined): string | undefined {
  const [program = '', ...args] = step?.words ?? [];
  if (!/^(?:echo|printf)$/.test(program) || args.length === 0) return undefined;
  const text = args.filter((word) => !/^-[neE]+$/.test(word)).join(' ');
  return /\\x|\\0|\$\(/.test(text) ? undefined : text.replaceAll('\\n', '\n');
}
